// Published clients, unmodified, each from its first request to an invoice that
// was read back: discovery, registration where they register themselves, the
// sign-in, and calls of tools. main.go says where the tool server is.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Person, freePort, registered, value, work } from "./person.mjs";
import { about, connect, sdks } from "./sdks.mjs";

const { MCP_URL } = process.env;
const here = dirname(fileURLToPath(import.meta.url));
const packages = join(here, "node_modules");

for (const [name, sdk] of Object.entries(sdks)) {
  test(name, async () => {
    const person = new Person();
    const client = await connect(sdk, person);
    assert.ok((await client.listTools()).tools.length > 20);
    await work(async (tool, args) => value(await client.callTool({ name: tool, arguments: args })));
    await client.close();
    assert.equal(person.opened, 1);
    // A refused token is renewed without asking the user.
    person.expire();
    const again = await connect(sdk, person);
    assert.ok(value(await again.callTool({ name: "get_me", arguments: {} })));
    await again.close();
    assert.equal(person.opened, 1);
  });
}

/** Environment of a client that opens browsers and keeps files. */
async function alone(t) {
  const home = await mkdtemp(join(tmpdir(), "docledger-client-"));
  t.after(() => rm(home, { recursive: true, force: true }));
  return {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: home, MCP_REMOTE_CONFIG_DIR: join(home, "mcp-remote"),
    BROWSER: join(here, "browser.mjs"), PERSON: process.env.PERSON ?? "", MCP_AUTO_OPEN_ENABLED: "true", NO_PROXY: "*", no_proxy: "*",
  };
}

test("mcp-remote", async (t) => {
  const args = [join(packages, "mcp-remote", "dist", "proxy.js"), MCP_URL, String(await freePort())];
  if (registered) args.push("--static-oauth-client-info", JSON.stringify(registered));
  const client = new Client(about);
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: await alone(t), stderr: "ignore" }));
  t.after(() => client.close());
  assert.ok((await client.listTools()).tools.length > 20);
  await work(async (tool, args) => value(await client.callTool({ name: tool, arguments: args })));
});

describe("Inspector CLI", () => {
  // How the client came to its id is nothing that eras differ in.
  for (const era of registered ? ["auto"] : ["legacy", "auto", "modern"]) {
    test(era, async (t) => {
      const env = await alone(t);
      const run = inspector(env, era, `http://127.0.0.1:${await freePort()}/oauth/callback`);
      const listed = await run("--method", "tools/list", "--strict");
      assert.ok(listed.tools.length > 20);
      await work(async (tool, args) =>
        value(await run("--method", "tools/call", "--tool-name", tool, "--tool-args-json", JSON.stringify(args))));
    });
  }
});

/** Returns what runs one command of the Inspector. The first signs in, the others find its token. */
function inspector(env, era, callback) {
  const fixed = [
    join(packages, "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js"), "--cli", "--server-url", MCP_URL,
    "--transport", "http", "--protocol-era", era, "--format", "json", "-q", "--callback-url", callback,
  ];
  if (registered) fixed.push("--client-id", registered.client_id);
  if (registered?.client_secret) fixed.push("--client-secret", registered.client_secret);
  return (...args) => new Promise((resolve, reject) => {
    execFile(process.execPath, [...fixed, ...args], { env, timeout: 60_000 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message}\n${stderr}`));
      else resolve(JSON.parse(stdout).result);
    });
  });
}
