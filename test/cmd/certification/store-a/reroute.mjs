// Sends what the client asks of the provider's hosts, which it takes tokens to
// and nowhere else, to the simulator at ORIGIN. Nothing else is changed.
const to = process.env.ORIGIN;
const simulated = new Set(process.env.SIMULATED.split(","));
const { fetch } = globalThis;

globalThis.fetch = async function (asked, options) {
  const address = new URL(typeof asked === "string" ? asked : asked.url);
  if (!simulated.has(address.host)) return fetch(asked, options);
  const there = to + address.pathname + address.search;
  const response = await fetch(typeof asked === "string" ? there : new Request(there, asked), options);
  return Object.defineProperty(response, "url", { value: address.href });
};
