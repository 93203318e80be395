// The TypeScript SDKs, each as an application uses it.
import * as second from "@modelcontextprotocol/client";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

export const about = { name: "clients", version: "1" };

export const sdks = {
  "TypeScript SDK 1.x": {
    client: () => new Client(about), Transport: StreamableHTTPClientTransport, Unauthorized: UnauthorizedError,
    finish: (transport, back) => transport.finishAuth(back.get("code")),
  },
  "TypeScript SDK 2.x": {
    client: () => new second.Client(about), Transport: second.StreamableHTTPClientTransport, Unauthorized: second.UnauthorizedError,
    finish: (transport, back) => transport.finishAuth(back),
  },
  "TypeScript SDK 2.x, newest revision first": {
    client: () => new second.Client(about, { versionNegotiation: { mode: "auto" } }),
    Transport: second.StreamableHTTPClientTransport, Unauthorized: second.UnauthorizedError,
    finish: (transport, back) => transport.finishAuth(back),
  },
};

/** Connects as applications do: try, sign in, try again. */
export async function connect(sdk, person) {
  const transport = () => new sdk.Transport(new URL(process.env.MCP_URL), { authProvider: person });
  const first = transport();
  try {
    const client = sdk.client();
    await client.connect(first);
    return client;
  } catch (error) {
    if (!(error instanceof sdk.Unauthorized)) throw error;
  }
  await sdk.finish(first, person.returned());
  const client = sdk.client();
  await client.connect(transport());
  return client;
}
