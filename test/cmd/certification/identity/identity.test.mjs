// The published @clerk/backend and svix, unmodified, against the simulator that
// main.go started, and svix's signatures against docledger's own verifier.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { createClerkClient, verifyToken } from "@clerk/backend";
import { verifyWebhook } from "@clerk/backend/webhooks";
import { Webhook } from "svix";

const { ORIGIN, SECRET_KEY, PUBLISHABLE_KEY, WEBHOOK_SECRET, RECEIVER } = process.env;
const clerk = createClerkClient({ apiUrl: ORIGIN, secretKey: SECRET_KEY, publishableKey: PUBLISHABLE_KEY });
const verifying = { apiUrl: ORIGIN, secretKey: SECRET_KEY };

async function control(path, body) {
  const response = await fetch(`${ORIGIN}/_sim/${path}`, { method: "POST", body: JSON.stringify(body) });
  const answer = await response.json();
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer;
}

async function token(options) {
  return (await control("tokens", { user_id: "user_ada", organization_id: "org_acme", ...options })).token;
}

describe("verifyToken", () => {
  test("session tokens, version 2", async () => {
    const claims = await verifyToken(await token({ kind: "session" }), verifying);
    assert.equal(claims.sub, "user_ada");
    assert.equal(claims.iss, ORIGIN);
    assert.equal(claims.o.id, "org_acme");
    assert.equal(claims.o.rol, "admin");
  });

  test("session tokens, version 1", async () => {
    const claims = await verifyToken(await token({ kind: "session", version: 1 }), verifying);
    assert.equal(claims.org_id, "org_acme");
    assert.equal(claims.org_role, "org:admin");
  });

  test("a key that is rotated", async () => {
    const { kid } = await control("keys", { keep_old: true });
    const fresh = await token({ kind: "session" });
    assert.equal(JSON.parse(Buffer.from(fresh.split(".")[0], "base64url")).kid, kid);
    assert.equal((await verifyToken(fresh, verifying)).sub, "user_ada");
  });

  test("an expired token is refused", async () => {
    const old = await token({ kind: "session", expires_in_seconds: -60 });
    await assert.rejects(verifyToken(old, verifying), { reason: "token-expired" });
  });

  test("a changed token is refused", async () => {
    const [header, payload, signature] = (await token({ kind: "session" })).split(".");
    const claims = { ...JSON.parse(Buffer.from(payload, "base64url")), sub: "user_bob" };
    const forged = [header, Buffer.from(JSON.stringify(claims)).toString("base64url"), signature].join(".");
    await assert.rejects(verifyToken(forged, verifying), { reason: "token-invalid-signature" });
  });

  test("the origin of a session", async () => {
    const from = await token({ kind: "session", azp: "https://app.example.com" });
    await verifyToken(from, { ...verifying, authorizedParties: ["https://app.example.com"] });
    await assert.rejects(verifyToken(from, { ...verifying, authorizedParties: ["https://other.example.com"] }));
  });
});

describe("authenticateRequest", () => {
  const authenticate = (bearer, acceptsToken) =>
    clerk.authenticateRequest(
      new Request("http://backend.example.com/api/me", { headers: { authorization: `Bearer ${bearer}` } }),
      { acceptsToken },
    );

  test("OAuth access tokens", async () => {
    const state = await authenticate(await token({ kind: "oauth" }), "oauth_token");
    assert.equal(state.isAuthenticated, true, state.message);
    const auth = state.toAuth();
    assert.equal(auth.userId, "user_ada");
    assert.equal(auth.clientId, "client_assistant");
    assert.deepEqual(auth.scopes, ["profile", "email", "user:org:read"]);
  });

  test("opaque OAuth access tokens", async () => {
    await control("settings", { opaque_tokens: true });
    try {
      const state = await authenticate(await token({ kind: "oauth" }), "oauth_token");
assert.equal(state.isAuthenticated, true, state.message);
      assert.equal(state.toAuth().userId, "user_ada");
    } finally {
      await control("settings", { opaque_tokens: false });
    }
  });

  test("sessions", async () => {
    const state = await authenticate(await token({ kind: "session" }), "session_token");
    assert.equal(state.isAuthenticated, true, state.message);
    assert.equal(state.toAuth().orgId, "org_acme");
  });
});

describe("backend API", () => {
  test("organizations are read and listed", async () => {
    const organization = await clerk.organizations.getOrganization({ organizationId: "org_acme" });
    assert.equal(organization.name, "Acme");
    assert.equal(organization.createdAt, Date.UTC(2026, 2, 1, 12));
    const { data, totalCount } = await clerk.organizations.getOrganizationList();
    assert.equal(totalCount, data.length);
    assert.ok(data.some((o) => o.id === "org_acme"));
    await assert.rejects(clerk.organizations.getOrganization({ organizationId: "org_missing" }), { status: 404 });
  });

  test("metadata is merged", async () => {
    await clerk.organizations.updateOrganizationMetadata("org_acme", { publicMetadata: { theme: "dark" } });
    const organization = await clerk.organizations.updateOrganizationMetadata("org_acme", {
      publicMetadata: { trial_expiry_date: "2026-03-04", trial_max_entities: 10, trial_max_invoices_per_month: 300 },
    });
    assert.deepEqual(organization.publicMetadata, {
      theme: "dark", trial_expiry_date: "2026-03-04", trial_max_entities: 10, trial_max_invoices_per_month: 300,
    });
  });

  test("organizations are made, renamed and deleted", async () => {
    const made = await clerk.organizations.createOrganization({ name: "Made", createdBy: "user_ada" });
    assert.equal((await clerk.organizations.updateOrganization(made.id, { name: "Renamed" })).name, "Renamed");
    const { data } = await clerk.organizations.getOrganizationMembershipList({ organizationId: made.id });
    assert.equal(data[0].role, "org:admin");
    assert.equal((await clerk.organizations.deleteOrganization(made.id)).id, made.id);
  });

  test("people and their passwords", async () => {
    const { data } = await clerk.users.getUserList({ emailAddress: ["ada@example.com"] });
    assert.equal(data[0].primaryEmailAddress.emailAddress, "ada@example.com");
    assert.equal(data[0].emailAddresses[0].verification.status, "verified");
    const password = "ada's password";
    assert.equal((await clerk.users.verifyPassword({ userId: "user_ada", password })).verified, true);
    await assert.rejects(clerk.users.verifyPassword({ userId: "user_ada", password: "wrong" }), { status: 422 });
    const { data: places } = await clerk.users.getOrganizationMembershipList({ userId: "user_ada" });
    assert.equal(places[0].organization.id, "org_acme");
  });

  test("sessions and their tokens", async () => {
    const session = await clerk.sessions.createSession({ userId: "user_ada" });
    const { jwt } = await clerk.sessions.getToken(session.id);
    assert.equal((await verifyToken(jwt, verifying)).sid, session.id);
  });

  test("a wrong secret key is refused", async () => {
    const other = createClerkClient({ apiUrl: ORIGIN, secretKey: "sk_test_other" });
    await assert.rejects(other.organizations.getOrganization({ organizationId: "org_acme" }), { status: 401 });
  });

  test("too many writes of metadata are refused with a time to come back", async () => {
    const made = await clerk.organizations.createOrganization({ name: "Busy" });
    const write = () => clerk.organizations.updateOrganizationMetadata(made.id, { publicMetadata: { a: 1 } });
    for (let n = 0; n < 10; n++) await write();
    await assert.rejects(write(), (error) => error.status === 429 && error.retryAfter > 0);
  });
});

describe("webhooks", () => {
  let server;
  const waiting = [];
  const arrived = [];

  before(async () => {
    server = createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      arrived.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.end();
      waiting.shift()?.();
    });
    await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
    await control("endpoints", { url: `http://127.0.0.1:${server.address().port}/`, secrets: [WEBHOOK_SECRET] });
  });
  after(() => server.close());

  const next = () => (arrived.length ? Promise.resolve() : new Promise((go) => waiting.push(go)));

  test("svix and @clerk/backend verify what the simulator signs", async () => {
    await control("webhooks", { type: "organization.created", organization_id: "org_acme" });
    await next();
    const { headers, body } = arrived.shift();
    const event = new Webhook(WEBHOOK_SECRET).verify(body, headers);
    assert.equal(event.type, "organization.created");
    assert.equal(event.data.id, "org_acme");
    assert.equal(event.data.created_at, Date.UTC(2026, 2, 1, 12));
    assert.throws(() => new Webhook(WEBHOOK_SECRET).verify(body + " ", headers));
    const request = new Request("http://backend.example.com/webhook/identity", { method: "POST", body, headers });
    assert.equal((await verifyWebhook(request, { signingSecret: WEBHOOK_SECRET })).type, "organization.created");
  });

  test("docledger verifies what svix signs", async () => {
    const body = JSON.stringify({ type: "organization.updated", data: { id: "org_acme", name: "Ümläut", created_at: 1772366400000 } });
    const send = (secret, at, prefix, text) =>
      fetch(RECEIVER, {
        method: "POST",
        body: text,
        headers: {
          [`${prefix}-id`]: "msg_1",
          [`${prefix}-timestamp`]: String(Math.floor(at.getTime() / 1000)),
          [`${prefix}-signature`]: new Webhook(secret).sign("msg_1", at, body),
        },
      });
    const now = new Date();
    for (const prefix of ["svix", "webhook"]) {
      const good = await send(WEBHOOK_SECRET, now, prefix, body);
      assert.equal(good.status, 200);
      assert.equal(await good.text(), "organization.updated msg_1 org_acme");
      assert.equal((await send(WEBHOOK_SECRET, now, prefix, body + " ")).status, 400);
      assert.equal((await send("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", now, prefix, body)).status, 400);
      for (const apart of [-301_000, 302_000]) {
        assert.equal((await send(WEBHOOK_SECRET, new Date(now.getTime() + apart), prefix, body)).status, 400);
      }
    }
  });
});
