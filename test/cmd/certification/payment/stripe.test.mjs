// The processor's own Node.js library, unchanged, against the simulator.
// STRIPE_URL and STRIPE_SECRET_KEY say where it is; WEBHOOK_PORT is where it
// sends webhooks, signed with WEBHOOK_SECRET.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import Stripe from "stripe";

const address = new URL(process.env.STRIPE_URL);
const options = {
  apiVersion: "2024-06-20",
  host: address.hostname,
  port: address.port,
  protocol: "http",
  maxNetworkRetries: 0,
  telemetry: false,
};
const stripe = new Stripe(process.env.STRIPE_SECRET_KEY, options);

const inAMonth = () => {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) / 1000;
};

const advance = (duration) =>
  fetch(new URL("/_sim/clock", address), { method: "POST", body: JSON.stringify({ advance: duration }) });

async function customer(method) {
  const made = await stripe.customers.create({ metadata: { organization_id: "org-1" } });
  if (method) {
    const attached = await stripe.paymentMethods.attach(method, { customer: made.id });
    await stripe.customers.update(made.id, { invoice_settings: { default_payment_method: attached.id } });
  }
  return made;
}

async function monthly(amount = 3000, more = {}) {
  return stripe.prices.create({
    currency: "eur",
    unit_amount: amount,
    recurring: { interval: "month" },
    product_data: { name: "Team" },
    ...more,
  });
}

async function openInvoice(of, priceData) {
  const draft = await stripe.invoices.create({
    customer: of.id,
    currency: "eur",
    auto_advance: false,
    collection_method: "charge_automatically",
    pending_invoice_items_behavior: "exclude",
    metadata: { purpose: "immediate_charge" },
  });
  assert.equal(draft.status, "draft");
  await stripe.invoiceItems.create({
    customer: of.id,
    invoice: draft.id,
    quantity: 2,
    description: "This month",
    period: { start: 1700000000, end: 1702000000 },
    price_data: priceData,
  });
  return stripe.invoices.finalizeInvoice(draft.id, { auto_advance: true });
}

describe("customers", () => {
  it("are created, read, changed and deleted", async () => {
    const made = await stripe.customers.create({
      name: "Zażółć & Söhne",
      email: "billing@example.com",
      metadata: { organization_id: "org-1", note: "a=b&c" },
      address: { city: "Kraków", country: "PL" },
    });
    assert.match(made.id, /^cus_/);
    const read = await stripe.customers.retrieve(made.id);
    assert.equal(read.name, "Zażółć & Söhne");
    assert.equal(read.address.city, "Kraków");
    assert.deepEqual(read.metadata, { organization_id: "org-1", note: "a=b&c" });
    const changed = await stripe.customers.update(made.id, { metadata: { note: "" }, phone: "123" });
    assert.deepEqual(changed.metadata, { organization_id: "org-1" });
    const gone = await stripe.customers.del(made.id);
    assert.equal(gone.deleted, true);
    assert.equal((await stripe.customers.retrieve(made.id)).deleted, true);
    await assert.rejects(stripe.customers.update(made.id, { name: "x" }), { code: "resource_missing", statusCode: 404 });
  });

  it("are listed page by page without asking for pages", async () => {
    const email = `pages-${Date.now()}@example.com`;
    const made = new Set();
    for (let i = 0; i < 23; i++) made.add((await stripe.customers.create({ email })).id);
    const seen = [];
    for await (const c of stripe.customers.list({ email, limit: 5 })) seen.push(c.id);
    assert.equal(seen.length, 23);
    assert.deepEqual(new Set(seen), made);
    const all = await stripe.customers.list({ email }).autoPagingToArray({ limit: 100 });
    assert.deepEqual(all.map((c) => c.id), seen);
  });

  it("are found once the index has caught up", async () => {
    const mark = `search-${Date.now()}`;
    const made = await stripe.customers.create({ metadata: { organization_id: mark } });
    const query = `metadata['organization_id']:'${mark}'`;
    assert.equal((await stripe.customers.search({ query })).data.length, 0);
    await advance("2m");
    const found = await stripe.customers.search({ query });
    assert.equal(found.object, "search_result");
    assert.deepEqual(found.data.map((c) => c.id), [made.id]);
  });
});

describe("errors", () => {
  it("are the library's own classes", async () => {
    await assert.rejects(stripe.customers.retrieve("cus_none"), (e) => {
      assert.ok(e instanceof Stripe.errors.StripeInvalidRequestError);
      assert.equal(e.code, "resource_missing");
      assert.equal(e.statusCode, 404);
      assert.ok(e.requestId);
      return true;
    });
    const stranger = new Stripe("pk_wrong_kind", options);
    await assert.rejects(stranger.customers.list(), Stripe.errors.StripeAuthenticationError);
    await assert.rejects(stripe.customers.create({ nmae: "x" }), { code: "parameter_unknown", param: "nmae" });
  });

  it("tell of limits and outages", async () => {
    const faulty = (action) =>
      fetch(new URL("/_sim/faults", address), {
        method: "POST",
        // The library automatically repeats a call once after a cut connection.
        body: JSON.stringify({ match: "GET /v1/products", times: 2, action }),
      });
    for (const [action, kind] of [
      ["status:429", Stripe.errors.StripeRateLimitError],
      ["status:503", Stripe.errors.StripeAPIError],
      ["drop", Stripe.errors.StripeConnectionError],
      ["garbage", Stripe.errors.StripeAPIError],
    ]) {
      await faulty(action);
      await assert.rejects(stripe.products.list(), kind, action);
      await fetch(new URL("/_sim/faults", address), { method: "DELETE" });
    }
  });
});

describe("catalogue", () => {
  it("has products and prices", async () => {
    const product = await stripe.products.create({ name: "Large", metadata: { max_entities: "20" } });
    const price = await stripe.prices.create({
      product: product.id,
      currency: "eur",
      unit_amount: 4990,
      recurring: { interval: "year", interval_count: 2 },
      lookup_key: `large-${Date.now()}`,
      tax_behavior: "exclusive",
    });
    assert.equal(price.unit_amount, 4990);
    assert.equal(price.recurring.interval_count, 2);
    const read = await stripe.prices.retrieve(price.id, { expand: ["product"] });
    assert.equal(read.product.metadata.max_entities, "20");
    const byKey = await stripe.prices.list({ lookup_keys: [price.lookup_key], active: true });
    assert.deepEqual(byKey.data.map((p) => p.id), [price.id]);
    await stripe.prices.update(price.id, { active: false });
    assert.equal((await stripe.prices.list({ product: product.id, active: true })).data.length, 0);
    const exact = await stripe.prices.create({ product: product.id, currency: "jpy", unit_amount_decimal: "0.125" });
    assert.equal(exact.unit_amount, null);
    assert.equal(exact.unit_amount_decimal, "0.125");
    const both = await stripe.products.list({ ids: [product.id] });
    assert.equal(both.data[0].name, "Large");
  });
});

describe("subscriptions", () => {
  it("are anchored to the 1st without a charge", async () => {
    const price = await monthly();
    const sub = await stripe.subscriptions.create({
      customer: (await customer("pm_card_visa")).id,
      items: [{ price: price.id, quantity: 3 }],
      billing_cycle_anchor: inAMonth(),
      proration_behavior: "none",
      metadata: { charge_current_month: "true", price_id: price.id },
    });
    assert.equal(sub.status, "active");
    assert.equal(sub.current_period_end, inAMonth());
    assert.equal(sub.latest_invoice, null);
    assert.equal(sub.items.data[0].quantity, 3);
    assert.equal(sub.metadata.charge_current_month, "true");
    const wide = await stripe.subscriptions.retrieve(sub.id, { expand: ["customer", "items.data.price.product"] });
    assert.equal(wide.customer.object, "customer");
    assert.equal(wide.items.data[0].price.product.name, "Team");
  });

  it("prorate, renew, change and end", async () => {
    const of = await customer("pm_card_visa");
    const sub = await stripe.subscriptions.create({
      customer: of.id,
      items: [{ price: (await monthly()).id }],
      expand: ["latest_invoice.payment_intent"],
    });
    assert.equal(sub.latest_invoice.amount_paid, 3000);
    assert.equal(sub.latest_invoice.payment_intent.status, "succeeded");
    const changed = await stripe.subscriptions.update(sub.id, {
      items: [{ id: sub.items.data[0].id, quantity: 2 }],
      cancel_at_period_end: true,
      proration_behavior: "none",
    });
    assert.equal(changed.items.data[0].quantity, 2);
    assert.equal(changed.cancel_at, changed.current_period_end);
    const ended = await stripe.subscriptions.cancel(sub.id);
    assert.equal(ended.status, "canceled");
    const all = await stripe.subscriptions.list({ customer: of.id, status: "all" });
    assert.deepEqual(all.data.map((s) => s.status), ["canceled"]);
    assert.equal((await stripe.subscriptions.list({ customer: of.id })).data.length, 0);
  });

  it("refuse what the processor refuses", async () => {
    const once = await stripe.prices.create({ currency: "eur", unit_amount: 1, product_data: { name: "Once" } });
    const of = await customer("pm_card_visa");
    await assert.rejects(stripe.subscriptions.create({ customer: of.id, items: [{ price: once.id }] }), /type=one_time/);
    const failing = await customer("pm_card_chargeCustomerFail");
    const items = [{ price: (await monthly()).id }];
    await assert.rejects(
      stripe.subscriptions.create({ customer: failing.id, items, payment_behavior: "error_if_incomplete" }),
      Stripe.errors.StripeCardError,
    );
    const incomplete = await stripe.subscriptions.create({ customer: failing.id, items });
    assert.equal(incomplete.status, "incomplete");
  });
});

describe("checkout and portal", () => {
  it("sell a subscription on a page", async () => {
    const of = await customer();
    const price = await monthly();
    const session = await stripe.checkout.sessions.create({
      mode: "subscription",
      customer: of.id,
      line_items: [{ price: price.id, quantity: 1 }],
      success_url: "https://app.example/ok?session={CHECKOUT_SESSION_ID}",
      cancel_url: "https://app.example/no",
      subscription_data: {
        billing_cycle_anchor: inAMonth(),
        proration_behavior: "none",
        metadata: { price_id: price.id, charge_current_month: "true" },
      },
    });
    assert.equal(session.status, "open");
    const bought = await fetch(session.url, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams({ card: "4242424242424242" }),
    });
    assert.equal(bought.headers.get("location"), `https://app.example/ok?session=${session.id}`);
    const done = await stripe.checkout.sessions.retrieve(session.id, { expand: ["subscription", "line_items"] });
    assert.equal(done.status, "complete");
    assert.equal(done.payment_status, "no_payment_required");
    assert.equal(done.subscription.metadata.price_id, price.id);
    assert.equal(done.line_items.data[0].price.id, price.id);
    const portal = await stripe.billingPortal.sessions.create({ customer: of.id, return_url: "https://app.example/" });
    assert.match(await (await fetch(portal.url)).text(), new RegExp(done.subscription.id));
    const unwanted = await stripe.checkout.sessions.create({
      mode: "subscription",
      line_items: [{ price: price.id, quantity: 1 }],
      success_url: "https://app.example/ok",
    });
    assert.equal((await stripe.checkout.sessions.expire(unwanted.id)).status, "expired");
  });
});

describe("invoices", () => {
  it("take one item by price_data and are paid", async () => {
    const of = await customer("pm_card_visa");
    await stripe.invoiceItems.create({ customer: of.id, amount: 77, currency: "eur" });
    const { product } = await monthly();
    const open = await openInvoice(of, { currency: "eur", product, unit_amount: 1500 });
    assert.equal(open.status, "open");
    assert.equal(open.total, 3000);
    assert.equal(open.lines.data.length, 1);
    assert.equal(open.lines.data[0].period.end, 1702000000);
    assert.ok(open.hosted_invoice_url);
    const paid = await stripe.invoices.pay(open.id);
    assert.equal(paid.status, "paid");
    await assert.rejects(stripe.invoices.pay(open.id), /already paid/);
    await assert.rejects(stripe.invoices.finalizeInvoice(open.id), /already finalized/);
    const listed = await stripe.invoices.list({ customer: of.id, created: { gte: open.created } });
    assert.equal(listed.data[0].metadata.purpose, "immediate_charge");
    await assert.rejects(
      stripe.invoiceItems.create({ customer: of.id, price: (await monthly()).id }),
      /only accepts prices with `type=one_time`/,
    );
  });

  it("stay open when a card is declined", async () => {
    const { product } = await monthly();
    for (const [method, code] of [
      ["pm_card_chargeCustomerFail", "card_declined"],
      ["pm_card_authenticationRequired", "invoice_payment_intent_requires_action"],
    ]) {
      const of = await customer(method);
      const open = await openInvoice(of, { currency: "eur", product, unit_amount: 100 });
      await assert.rejects(stripe.invoices.pay(open.id), (e) => {
        assert.ok(e instanceof Stripe.errors.StripeCardError);
        assert.equal(e.code, code);
        assert.equal(e.payment_intent.object, "payment_intent");
        return true;
      });
      const now = await stripe.invoices.retrieve(open.id);
      assert.equal(now.status, "open");
      assert.equal(now.attempted, true);
      assert.ok(now.next_payment_attempt > now.created);
      const good = await stripe.paymentMethods.attach("pm_card_visa", { customer: of.id });
      assert.equal((await stripe.invoices.pay(open.id, { payment_method: good.id })).status, "paid");
    }
    const poor = await customer();
    const open = await openInvoice(poor, { currency: "eur", product, unit_amount: 100 });
    await assert.rejects(stripe.invoices.pay(open.id), /no `default_payment_method` set/);
    assert.equal((await stripe.invoices.voidInvoice(open.id)).status, "void");
  });

  it("carry tax", async () => {
    const rate = await stripe.taxRates.create({ display_name: "VAT", percentage: 19, inclusive: false });
    const of = await customer();
    const draft = await stripe.invoices.create({ customer: of.id, currency: "eur", default_tax_rates: [rate.id] });
    await stripe.invoiceItems.create({ customer: of.id, invoice: draft.id, amount: 1000, currency: "eur" });
    const read = await stripe.invoices.retrieve(draft.id);
    assert.equal(read.tax, 190);
    assert.equal(read.total, 1190);
    assert.equal((await stripe.invoices.del(draft.id)).deleted, true);
  });
});

describe("idempotency keys", () => {
  it("answer a repeated call once", async () => {
    const idempotencyKey = `certify-${Date.now()}`;
    const first = await stripe.customers.create({ name: "Once" }, { idempotencyKey });
    const again = await stripe.customers.create({ name: "Once" }, { idempotencyKey });
    assert.equal(again.id, first.id);
    assert.equal(again.lastResponse.headers["idempotent-replayed"], "true");
    await assert.rejects(
      stripe.customers.create({ name: "Twice" }, { idempotencyKey }),
      Stripe.errors.StripeIdempotencyError,
    );
    await advance("25h");
    const later = await stripe.customers.create({ name: "Once" }, { idempotencyKey });
    assert.notEqual(later.id, first.id);
  });

  it("repair a lost answer by the library's own retry", async () => {
    const patient = new Stripe(process.env.STRIPE_SECRET_KEY, { ...options, maxNetworkRetries: 2 });
    const email = `lost-${Date.now()}@example.com`;
    await fetch(new URL("/_sim/faults", address), {
      method: "POST",
      body: JSON.stringify({ match: "POST /v1/customers", times: 1, action: "commit_then_drop" }),
    });
    await patient.customers.create({ email });
    assert.equal((await stripe.customers.list({ email })).data.length, 1);
  });
});

describe("webhooks", () => {
  const received = [];
  let server;
  before(async () => {
    server = createServer((request, response) => {
      const chunks = [];
      request.on("data", (chunk) => chunks.push(chunk));
      request.on("end", () => {
        received.push({ body: Buffer.concat(chunks), signature: request.headers["stripe-signature"] });
        response.end();
        server.emit("webhook");
      });
    });
    server.listen(Number(process.env.WEBHOOK_PORT), "127.0.0.1");
    await once(server, "listening");
  });
  after(() => server.close());

  it("verify with the library", async () => {
    const price = await monthly();
    const sub = await stripe.subscriptions.create({
      customer: (await customer()).id,
      items: [{ price: price.id }],
      billing_cycle_anchor: Math.floor(Date.now() / 1000) + 2 * 24 * 3600,
      proration_behavior: "none",
    });
    const versions = new Set();
    const signal = AbortSignal.timeout(10_000);
    while (versions.size < 2) {
      const delivery = received.shift();
      if (!delivery) {
        await once(server, "webhook", { signal });
        continue;
      }
      // The simulator's clock was moved: its own time is in the signature.
      const now = new Date(Number(/t=(\d+)/.exec(delivery.signature)[1]) * 1000);
      const event = stripe.webhooks.constructEvent(
        delivery.body, delivery.signature, process.env.WEBHOOK_SECRET, 300, undefined, now.getTime());
      if (event.type !== "customer.subscription.created" || event.data.object.id !== sub.id) continue;
      versions.add(event.api_version);
      const end = event.data.object.current_period_end ?? event.data.object.items.data[0].current_period_end;
      assert.equal(end, sub.current_period_end);
      assert.throws(
        () => stripe.webhooks.constructEvent(Buffer.concat([delivery.body, Buffer.from(" ")]), delivery.signature, process.env.WEBHOOK_SECRET, 300, undefined, now.getTime()),
        Stripe.errors.StripeSignatureVerificationError,
      );
    }
    assert.deepEqual([...versions].sort(), ["2024-06-20", "2025-03-31.basil"]);
    const events = await stripe.events.list({ types: ["customer.subscription.created"], limit: 1 });
    assert.equal(events.data[0].data.object.id, sub.id);
    assert.equal((await stripe.events.retrieve(events.data[0].id)).id, events.data[0].id);
  });
});
