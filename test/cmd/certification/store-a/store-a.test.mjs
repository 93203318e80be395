// The published @microsoft/microsoft-graph-client, unmodified, against the
// simulator that main.go started, which goes by the names of the provider's
// hosts; see reroute.mjs.
import assert from "node:assert/strict";
import { createHash, createPublicKey, randomBytes, verify } from "node:crypto";
import http from "node:http";
import { before, describe, test } from "node:test";
import { Client, PageIterator, ResponseType, RetryHandlerOptions } from "@microsoft/microsoft-graph-client";

const { ORIGIN, CLIENT_ID, CLIENT_SECRET, REDIRECT, SITE, DRIVE } = process.env;
const SCOPES = "openid profile offline_access User.Read Sites.Read.All Files.Read.All";
const ROOT = `/drives/${DRIVE}/root`;

async function control(path, body, method = "POST") {
  const response = await fetch(`${ORIGIN}/_sim/${path}`, { method, body: typeof body === "string" ? body : JSON.stringify(body) });
  const answer = await response.json();
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer;
}

const put = async (path, text) => (await control(`files?${new URLSearchParams({ path })}`, text, "PUT")).id;
const state = async () => (await fetch(`${ORIGIN}/_sim/state`)).json();

async function token(form, status = 200) {
  const response = await fetch(`${ORIGIN}/organizations/oauth2/v2.0/token`, {
    method: "POST", body: new URLSearchParams({ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, ...form }),
  });
  const answer = await response.json();
  assert.equal(response.status, status, JSON.stringify(answer));
  return answer;
}

// code is what a browser brings that agrees.
async function code(more) {
  const query = new URLSearchParams({
    response_type: "code", response_mode: "query", client_id: CLIENT_ID, redirect_uri: REDIRECT, scope: SCOPES, state: "state-1", ...more,
  });
  const response = await fetch(`${ORIGIN}/organizations/oauth2/v2.0/authorize?${query}`, { redirect: "manual" });
  assert.equal(response.status, 302);
  const back = new URL(response.headers.get("location")).searchParams;
  assert.equal(back.get("state"), "state-1");
  return back.get("code");
}

const consent = async () => token({ grant_type: "authorization_code", code: await code(), redirect_uri: REDIRECT });

function client(access) {
  return Client.init({ authProvider: (done) => done(null, access) });
}

const once = [new RetryHandlerOptions(0, 0)];

// refused returns the status and code that a call meets.
async function refused(promise) {
  try {
    await promise;
  } catch (error) {
    assert.ok(error.requestId, "an error has a request id");
    return [error.statusCode, error.code];
  }
  assert.fail("it was not refused");
}

// all follows a list to its end.
async function all(graph, path) {
  const out = [];
  const pages = new PageIterator(graph, await graph.api(path).get(), (entry) => Boolean(out.push(entry)));
  await pages.iterate();
  assert.ok(pages.isComplete());
  return [out, pages.getDeltaLink()];
}

describe("identity", () => {
  test("consent with a challenge, tokens, id token", async () => {
    const verifier = randomBytes(32).toString("base64url");
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const given = await code({ code_challenge: challenge, code_challenge_method: "S256" });
    const form = { grant_type: "authorization_code", code: given, redirect_uri: REDIRECT };
    assert.equal((await token({ ...form, code_verifier: "x".repeat(43) }, 400)).error, "invalid_grant");
    const tokens = await token({ ...form, code_verifier: verifier });
    assert.ok(tokens.refresh_token && tokens.expires_in > 3000 && tokens.scope.includes("Sites.Read.All"));
    assert.deepEqual((await token({ ...form, code_verifier: verifier }, 400)).error_codes, [54005]);
    const [header, claims, signature] = tokens.id_token.split(".");
    const { keys } = await (await fetch(`${ORIGIN}/common/discovery/v2.0/keys`)).json();
    const key = keys.find((k) => k.kid === JSON.parse(Buffer.from(header, "base64url")).kid);
    assert.ok(verify("RSA-SHA256", Buffer.from(`${header}.${claims}`), createPublicKey({ key, format: "jwk" }), Buffer.from(signature, "base64url")));
    const who = JSON.parse(Buffer.from(claims, "base64url"));
    assert.ok(who.tid && who.oid && who.aud === CLIENT_ID);
    const me = await client(tokens.access_token).api("/me").select("id,userPrincipalName").get();
    assert.deepEqual(me, { id: who.oid, userPrincipalName: "owner@example.com" });
  });

  test("refresh tokens follow each other, and end with the consent", async () => {
    const first = await consent();
    const second = await token({ grant_type: "refresh_token", refresh_token: first.refresh_token });
    assert.notEqual(second.refresh_token, first.refresh_token);
    await token({ grant_type: "refresh_token", refresh_token: first.refresh_token });
    await control("clock", { advance: "2h" });
    assert.deepEqual(await refused(client(second.access_token).api("/sites?search=*").get()), [401, "InvalidAuthenticationToken"]);
    await control("withdraw", {});
    assert.deepEqual((await token({ grant_type: "refresh_token", refresh_token: second.refresh_token }, 400)).error_codes, [50173]);
  });
});

describe("files", () => {
  let graph;
  before(async () => {
    graph = client((await consent()).access_token);
  });

  test("sites, libraries, children by pages", async () => {
    await control("sites", { count: 450 });
    const [sites] = await all(graph, "/sites?search=*");
    assert.equal(new Set(sites.map((s) => s.id)).size, 451);
    assert.ok(sites.every((s) => s.id.split(",").length === 3 && s.displayName && s.webUrl));
    const [drives] = await all(graph, `/sites/${SITE}/drives`);
    assert.deepEqual(drives.map((d) => [d.id, d.driveType]), [[DRIVE, "documentLibrary"]]);
    await control("folders", { path: "pages" });
    for (let n = 0; n < 7; n++) await put(`pages/${n}.txt`, String(n));
    const seen = [];
    let page = await graph.api(`${ROOT}:/pages:/children`).top(3).select(["id", "name"]).get();
    while (page) {
      seen.push(page.value.map((i) => i.name));
      assert.deepEqual(Object.keys(page.value[0]).sort(), ["id", "name"]);
      page = page["@odata.nextLink"] && (await graph.api(page["@odata.nextLink"]).get());
    }
    assert.deepEqual(seen.map((names) => names.length), [3, 3, 1]);
    assert.deepEqual(await refused(graph.api("/sites/none/drives").get()), [404, "itemNotFound"]);
    await control("deny", { site: sites[1].id, denied: true });
    assert.deepEqual(await refused(graph.api(`/sites/${sites[1].id}/drives`).get()), [403, "accessDenied"]);
  });

  test("items by id and by path, and their contents without the token", async () => {
    const id = await put("In voices/20 % #1.xml", "0123456789");
    const byPath = await graph.api(`${ROOT}:/In%20voices/20%20%25%20%231.xml`).get();
    assert.deepEqual([byPath.id, byPath.size, byPath.name], [id, 10, "20 % #1.xml"]);
    assert.ok(byPath.eTag && byPath.cTag && byPath.file.hashes.quickXorHash && byPath.parentReference.path.endsWith("/root:/In%20voices"));
    const item = `/drives/${DRIVE}/items/${id}`;
    const whole = await graph.api(`${item}/content`).responseType(ResponseType.ARRAYBUFFER).get();
    assert.equal(Buffer.from(whole).toString(), "0123456789");
    const part = await fetch(byPath["@microsoft.graph.downloadUrl"], { headers: { Range: "bytes=2-4" } });
    assert.deepEqual([part.status, await part.text()], [206, "234"]);
    assert.equal((await state()).token_leaked, false);
    await control("hold", { id, locked: true });
    assert.deepEqual(await refused(graph.api(`${item}/content`).get()), [423, "resourceLocked"]);
    await control("hold", { id, infected: true });
    assert.deepEqual(await refused(graph.api(`${item}/content`).get()), [403, "malwareDetected"]);
    assert.deepEqual(await refused(graph.api(`/drives/${DRIVE}/items/none`).get()), [404, "itemNotFound"]);
  });

  test("a delta, by pages, from its link, and from the start", async () => {
    await control("settings", { page_size: 3 });
    const [items, link] = await all(graph, `${ROOT}/delta`);
    assert.ok(items.some((i) => i.root) && items.every((i) => i.parentReference.path === undefined));
    const a = await put("delta/a.xml", "<a/>"), b = await put("delta/b.xml", "<b/>");
    await control("rename", { id: a, name: "c.xml" });
    await control("delete", { id: b });
    const [changes, then] = await all(graph, link);
    const last = new Map(changes.map((i) => [i.id, i]));
    assert.equal(last.get(a).name, "c.xml");
    assert.deepEqual([last.get(b).deleted, last.get(b).name, last.get(b).cTag], [{ state: "deleted" }, undefined, undefined]);
    assert.deepEqual((await all(graph, then))[0], []);
    const latest = await graph.api(`${ROOT}/delta?token=latest`).get();
    assert.deepEqual([latest.value, Boolean(latest["@odata.deltaLink"])], [[], true]);
    await control("cursors", {});
    const lost = await graph.api(then).get().catch((error) => error);
    assert.deepEqual([lost.statusCode, lost.code], [410, "resyncRequired"]);
    const [again] = await all(graph, lost.headers.get("Location"));
    assert.ok(again.some((i) => i.id === a) && !again.some((i) => i.id === b));
    await control("settings", { page_size: 0 });
  });

  test("limits", async () => {
    await control("limits", { minute_units: 1 });
    const over = await graph.api("/sites?search=*").middlewareOptions(once).get().catch((error) => error);
    assert.deepEqual([over.statusCode, over.code], [429, "activityLimitReached"]);
    assert.match(over.headers.get("Retry-After"), /^\d+\.\d+$/);
    assert.equal(over.headers.get("RateLimit-Limit"), "1");
    await control("limits", { minute_units: 0 });
    await control("faults", { match: "GET /v1.0/sites", action: "status:429" });
    assert.ok((await graph.api("/sites?search=books").get()).value.length > 0, "the client comes back after the time that the response requested");
  });

  test("subscriptions", async () => {
    const notifications = [];
    let more;
    const inbox = http.createServer((request, response) => {
      const proof = new URL(request.url, "http://here").searchParams.get("validationToken");
      if (proof) {
        response.writeHead(200, { "Content-Type": "text/plain" }).end(proof);
        return;
      }
      let body = "";
      request.on("data", (chunk) => (body += chunk)).on("end", () => {
        response.writeHead(202).end();
        notifications.push(...JSON.parse(body).value);
        more?.();
      });
    });
    await new Promise((resolve) => inbox.listen(0, "127.0.0.1", resolve));
    const { now } = await state();
    const after = (days) => new Date(Date.parse(now) + days * 86_400_000).toISOString();
    const wanted = {
      changeType: "updated", notificationUrl: `http://127.0.0.1:${inbox.address().port}/in`, resource: ROOT, clientState: "proof", expirationDateTime: after(1),
    };
    assert.equal((await refused(graph.api("/subscriptions").post({ ...wanted, changeType: "created" })))[0], 400);
    assert.equal((await refused(graph.api("/subscriptions").post({ ...wanted, expirationDateTime: after(31) })))[0], 400);
    const made = await graph.api("/subscriptions").post(wanted);
    const renewed = await graph.api(`/subscriptions/${made.id}`).patch({ expirationDateTime: after(20) });
    assert.equal(Date.parse(renewed.expirationDateTime), Date.parse(after(20)));
    assert.deepEqual((await graph.api("/subscriptions").get()).value.map((s) => s.id), [made.id]);
    await put("notified.xml", "<a/>");
    while (notifications.length === 0) await new Promise((resolve) => (more = resolve));
    assert.deepEqual([notifications[0].subscriptionId, notifications[0].clientState, notifications[0].changeType], [made.id, "proof", "updated"]);
    await graph.api(`/subscriptions/${made.id}`).delete();
    assert.deepEqual(await refused(graph.api(`/subscriptions/${made.id}`).delete()), [404, "ResourceNotFound"]);
    await new Promise((resolve) => inbox.close(resolve));
  });
});
