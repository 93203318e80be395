#!/usr/bin/env node
// Stands for the browser that clients open: it goes where the page leads, back
// to the client, as a person would who agrees to everything. The simulated
// identity provider asks nothing; the consent page of the service does.
import { consented } from "./consent.mjs";

let response = await fetch(process.argv[2]);
const next = await consented(response.url);
if (next) response = await fetch(next);
await response.text();
if (!response.ok) {
  console.error(`browser: ${response.status} at ${response.url}`);
  process.exit(1);
}
