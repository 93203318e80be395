// Sends what the client asks of the provider's hosts, which are wired into it,
// to the simulator at ORIGIN. Nothing else is changed.
import http from "node:http";
import https from "node:https";

const to = new URL(process.env.ORIGIN);
const wired = new Set(["login.xero.com", "identity.xero.com", "api.xero.com"]);
const { request } = https;

https.request = function (first, ...rest) {
  const isURL = typeof first === "string" || first instanceof URL;
  const asked = isURL ? new URL(first) : first;
  const host = (asked.hostname ?? asked.host ?? "").split(":")[0];
  if (!wired.has(host)) return request.call(this, first, ...rest);
  const there = { protocol: to.protocol, hostname: to.hostname, host: to.hostname, port: to.port, agent: undefined };
  if (!isURL) return http.request({ ...first, ...there }, ...rest);
  const options = rest.length && typeof rest[0] === "object" ? rest.shift() : {};
  return http.request({ ...options, ...there, path: asked.pathname + asked.search }, ...rest);
};
