#!/usr/bin/env node
// Stands for the browser that clients open: it goes where the page leads, back
// to the client, as a person would who agrees to everything. The simulated
// identity provider asks nothing.
const response = await fetch(process.argv[2]);
await response.text();
if (!response.ok) {
  console.error(`browser: ${response.status} at ${response.url}`);
  process.exit(1);
}
