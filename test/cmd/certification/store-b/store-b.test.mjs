// The published @googleapis/drive, unmodified, against the simulator that
// main.go started. Where the provider answers is set by the client's own options.
import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import http from "node:http";
import { before, describe, test } from "node:test";
import { auth, drive as driveClient } from "@googleapis/drive";

const { ORIGIN, CLIENT_ID, CLIENT_SECRET, REDIRECT, ROOT } = process.env;
const READ = "https://www.googleapis.com/auth/drive.readonly";
const FOLDER = "application/vnd.google-apps.folder";

async function control(path, body) {
  const response = await fetch(`${ORIGIN}/_sim/${path}`, { method: "POST", body: JSON.stringify(body) });
  const answer = await response.json();
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer;
}

const files = async (action, body) => (await control("files", { action, ...body })).id;

function oauth() {
  return new auth.OAuth2({
    clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, redirectUri: REDIRECT, forceRefreshOnFailure: true,
    endpoints: {
      oauth2AuthBaseUrl: `${ORIGIN}/o/oauth2/v2/auth`, oauth2TokenUrl: `${ORIGIN}/token`, oauth2RevokeUrl: `${ORIGIN}/revoke`,
    },
  });
}

// code is what a browser brings that agrees.
async function code(client, options) {
  const response = await fetch(client.generateAuthUrl({ scope: ["openid", READ], state: "state-1", ...options }), { redirect: "manual" });
  assert.equal(response.status, 302);
  const query = new URL(response.headers.get("location")).searchParams;
  assert.equal(query.get("state"), "state-1");
  return query.get("code");
}

async function consent() {
  const client = oauth();
  const { tokens } = await client.getToken(await code(client, { access_type: "offline", prompt: "consent" }));
  client.setCredentials(tokens);
  return client;
}

// refused returns the status and reason that a call meets.
async function refused(promise) {
  try {
    await promise;
  } catch (error) {
    const received = error.response.data.error;
    return [error.response.status, received.errors ? received.errors[0].reason : received];
  }
  assert.fail("it was not refused");
}

describe("OAuth", () => {
  test("consent with a challenge, tokens, id token", async () => {
    const client = oauth();
    const { codeVerifier, codeChallenge } = await client.generateCodeVerifierAsync();
    const given = await code(client, { access_type: "offline", prompt: "consent", code_challenge: codeChallenge, code_challenge_method: "S256" });
    assert.deepEqual(await refused(client.getToken({ code: given, codeVerifier: "x".repeat(43) })), [400, "invalid_grant"]);
    const { tokens } = await client.getToken({ code: given, codeVerifier });
    assert.ok(tokens.refresh_token && tokens.expiry_date > Date.now() + 3500_000);
    assert.ok(tokens.scope.split(" ").includes(READ));
    assert.deepEqual(await refused(client.getToken({ code: given, codeVerifier })), [400, "invalid_grant"]);
    const [header, claims, signature] = tokens.id_token.split(".");
    const { keys } = await (await fetch(`${ORIGIN}/oauth2/v3/certs`)).json();
    const key = keys.find((k) => k.kid === JSON.parse(Buffer.from(header, "base64url")).kid);
    assert.ok(verify("RSA-SHA256", Buffer.from(`${header}.${claims}`), createPublicKey({ key, format: "jwk" }), Buffer.from(signature, "base64url")));
    assert.equal(JSON.parse(Buffer.from(claims, "base64url")).aud, CLIENT_ID);
  });

  test("a refresh token once, and kept by a refresh", async () => {
    const client = await consent();
    const first = client.credentials;
    const { credentials } = await client.refreshAccessToken();
    assert.equal(credentials.refresh_token, first.refresh_token);
    assert.notEqual(credentials.access_token, first.access_token);
    const { tokens } = await client.getToken(await code(client, { access_type: "offline" }));
    assert.equal(tokens.refresh_token, undefined);
  });

  test("an expired token is renewed on the way", async () => {
    const client = await consent();
    await control("clock", { advance: "2h" });
    const { data } = await driveClient({ version: "v3", auth: client, rootUrl: `${ORIGIN}/` }).about.get({ fields: "user" });
    assert.equal(data.user.emailAddress, "owner@example.com");
  });

  test("revoke", async () => {
    const client = await consent();
    await client.revokeToken(client.credentials.refresh_token);
    assert.deepEqual(await refused(client.refreshAccessToken()), [400, "invalid_grant"]);
    assert.deepEqual(await refused(driveClient({ version: "v3", auth: client, rootUrl: `${ORIGIN}/`, retry: false }).files.list()), [400, "invalid_grant"]);
  });
});

describe("files", () => {
  let drive, folder;

  before(async () => {
    drive = driveClient({ version: "v3", auth: await consent(), rootUrl: `${ORIGIN}/`, retry: false });
    folder = await files("folder", { name: "In voices" });
  });

  // all reads the pages of a list to its end.
  async function all(list, of, params) {
    const out = [];
    let pageToken;
    do {
      const { data } = await list({ ...params, pageToken });
      out.push(...data[of]);
      pageToken = data.nextPageToken;
    } while (pageToken);
    return out;
  }

  test("list by pages, some of them empty", async () => {
    await control("seed", { parent: folder, count: 1200 });
    await control("settings", { empty_pages: true });
    const q = `'${folder}' in parents and mimeType = '${FOLDER}' and trashed = false`;
    const list = await all((p) => drive.files.list(p), "files", { q, fields: "nextPageToken,files(id,name,parents)", pageSize: 500 });
    await control("settings", { empty_pages: false });
    assert.equal(new Set(list.map((f) => f.id)).size, 1200);
    assert.ok(list.every((f) => f.parents[0] === folder && f.mimeType === undefined));
    assert.deepEqual(await refused(drive.files.list({ q: "name = x" })), [400, "invalid"]);
  });

  test("get, media, a range, export", async () => {
    const id = await files("add", { name: "O'Neill \\ 1.xml", parent: folder, mime_type: "text/xml", text: "0123456789" });
    const found = await drive.files.list({ q: "name = 'O\\'Neill \\\\ 1.xml'", fields: "files(id,size,version,md5Checksum)" });
    assert.deepEqual(found.data.files.map((f) => [f.id, f.size, f.md5Checksum]), [[id, "10", "781e5e245d69b566979b86e28d23f2c7"]]);
    const { data } = await drive.files.get({ fileId: id });
    assert.deepEqual(Object.keys(data).sort(), ["id", "kind", "mimeType", "name"]);
    const whole = await drive.files.get({ fileId: id, alt: "media" }, { responseType: "arraybuffer" });
    assert.equal(Buffer.from(whole.data).toString(), "0123456789");
    const part = await drive.files.get({ fileId: id, alt: "media" }, { responseType: "text", headers: { Range: "bytes=2-4" } });
    assert.deepEqual([part.status, part.data], [206, "234"]);
    const doc = await files("add", { name: "Bill", parent: folder, mime_type: "application/vnd.google-apps.document", text: "%PDF-1.7" });
    const pdf = await drive.files.export({ fileId: doc, mimeType: "application/pdf" }, { responseType: "arraybuffer" });
    assert.equal(Buffer.from(pdf.data).toString(), "%PDF-1.7");
    assert.deepEqual(await refused(drive.files.get({ fileId: "none" })), [404, "notFound"]);
    await files("deny", { id, status: 403 });
    assert.deepEqual(await refused(drive.files.get({ fileId: id })), [403, "insufficientFilePermissions"]);
    await control("refuse", { reason: "userRateLimitExceeded", times: 2 }); // after the first the client tries a new token
    assert.deepEqual(await refused(drive.files.list()), [403, "userRateLimitExceeded"]);
  });

  test("shared drives", async () => {
    const { id } = await control("drives", { name: "Team" });
    const list = await all((p) => drive.drives.list(p), "drives", { pageSize: 100 });
    assert.ok(list.some((d) => d.id === id && d.name === "Team"));
    const file = await files("add", { name: "a.xml", parent: id, text: "<a/>" });
    assert.deepEqual(await refused(drive.files.get({ fileId: file })), [404, "notFound"]);
    const { data } = await drive.files.list({
      q: `'${id}' in parents`, corpora: "drive", driveId: id, supportsAllDrives: true, includeItemsFromAllDrives: true,
    });
    assert.deepEqual(data.files.map((f) => f.id), [file]);
  });

  test("changes", async () => {
    const start = (await drive.changes.getStartPageToken()).data.startPageToken;
    const a = await files("add", { name: "a.xml", parent: folder, text: "<a/>" });
    const b = await files("add", { name: "b.xml", parent: folder, text: "<b/>" });
    await files("rename", { id: a, name: "c.xml" });
    await files("move", { id: a, parent: ROOT });
    await files("delete", { id: b });
    const changes = [];
    let token = start, end;
    while (token) {
      const { data } = await drive.changes.list({ pageToken: token, pageSize: 1, fields: "*" });
      assert.equal(Boolean(data.nextPageToken), !data.newStartPageToken);
      changes.push(...data.changes);
      ({ nextPageToken: token, newStartPageToken: end } = data);
    }
    assert.deepEqual(changes.map((c) => [c.fileId, c.removed, c.file?.name, c.file?.parents[0]]), [[a, false, "c.xml", ROOT], [b, true, undefined, undefined]]);
    assert.deepEqual((await drive.changes.list({ pageToken: end })).data.changes, []);
    assert.deepEqual(await refused(drive.changes.list({ pageToken: "none" })), [400, "invalid"]);
  });

  test("watch and stop", async () => {
    const received = [];
    let more;
    const inbox = http.createServer((request, response) => {
      received.push([request.headers["x-goog-resource-state"], request.headers["x-goog-channel-token"], request.headers["x-goog-message-number"]]);
      response.end();
      more?.();
    });
    await new Promise((resolve) => inbox.listen(0, "127.0.0.1", resolve));
    const until = async (count) => {
      while (received.length < count) await new Promise((resolve) => (more = resolve));
    };
    const pageToken = (await drive.changes.getStartPageToken()).data.startPageToken;
    const id = `channel-${Date.now()}`;
    const { data } = await drive.changes.watch({
      pageToken, requestBody: { id, type: "web_hook", address: `http://127.0.0.1:${inbox.address().port}`, token: "proof" },
    });
    assert.ok(data.resourceId && Number(data.expiration) > 0);
    await until(1);
    await files("add", { name: "w.xml", parent: folder, text: "<w/>" });
    await until(2);
    const stop = { requestBody: { id, resourceId: data.resourceId } };
    assert.equal((await drive.channels.stop(stop)).status, 204);
    assert.deepEqual(await refused(drive.channels.stop(stop)), [404, "notFound"]);
    assert.deepEqual(received, [["sync", "proof", "1"], ["change", "proof", "2"]]);
    await new Promise((resolve) => inbox.close(resolve));
  });
});
