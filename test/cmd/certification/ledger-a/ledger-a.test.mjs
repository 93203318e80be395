// The published xero-node, unmodified, against the simulator that main.go
// started. Its hosts are rerouted by reroute.mjs.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import xeroNode from "xero-node";

const { XeroClient, AccountType, Invoice, CreditNote, LineAmountTypes } = xeroNode;
const { ORIGIN, CLIENT_ID, CLIENT_SECRET, REDIRECT, TAXED, UNTAXED } = process.env;
const scopes = "openid profile email offline_access accounting.settings.read accounting.contacts accounting.invoices accounting.attachments".split(" ");

function client() {
  return new XeroClient({ clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, redirectUris: [REDIRECT], scopes, state: "state-1" });
}

async function control(path, body) {
  const response = await fetch(`${ORIGIN}/_sim/${path}`, { method: "POST", body: JSON.stringify(body) });
  const answer = await response.json();
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer;
}

async function consent(xero) {
  const url = await xero.buildConsentUrl();
  const response = await fetch(url, { redirect: "manual" });
  assert.equal(response.status, 302);
  return xero.apiCallback(response.headers.get("location"));
}

// refused returns what the client says of an error of the API.
async function refused(promise) {
  try {
    await promise;
  } catch (error) {
    return JSON.parse(error).response;
  }
  assert.fail("it was not refused");
}

describe("OAuth", () => {
  test("discovery, consent, id token, tenants", async () => {
    const xero = client();
    const tokens = await consent(xero);
    assert.equal(tokens.expires_in > 1790, true);
    assert.equal(tokens.claims().email, "owner@example.com");
    assert.ok(tokens.refresh_token);
    const tenants = await xero.updateTenants();
    assert.deepEqual(tenants.map((t) => t.tenantId).sort(), [TAXED, UNTAXED]);
    const taxed = tenants.find((t) => t.tenantId === TAXED);
    assert.equal(taxed.orgData.paysTax, true);
    assert.equal(taxed.orgData.baseCurrency.toString(), "EUR");
    assert.equal(tenants.find((t) => t.tenantId === UNTAXED).orgData.paysTax, false);
  });

  test("a state that is not ours is refused", async () => {
    const xero = client();
    await xero.initialize();
    await assert.rejects(xero.apiCallback(`${REDIRECT}?code=x&state=other`), { name: "RPError" });
  });

  test("a code is good once", async () => {
    const xero = client();
    const response = await fetch(await xero.buildConsentUrl(), { redirect: "manual" });
    const location = response.headers.get("location");
    await xero.apiCallback(location);
    await assert.rejects(xero.apiCallback(location), { error: "invalid_grant" });
  });

  test("refresh tokens rotate", async () => {
    const xero = client();
    const first = await consent(xero);
    const second = await xero.refreshToken();
    assert.notEqual(second.refresh_token, first.refresh_token);
    assert.ok((await xero.refreshWithRefreshToken(CLIENT_ID, CLIENT_SECRET, second.refresh_token)).access_token);
  });

  test("disconnect and revoke", async () => {
    const xero = client();
    await consent(xero);
    const tenants = await xero.updateTenants(false);
    await xero.disconnect(tenants.find((t) => t.tenantId === UNTAXED).id);
    assert.deepEqual((await xero.updateTenants(false)).map((t) => t.tenantId), [TAXED]);
    const { refresh_token } = xero.readTokenSet();
    await xero.revokeToken();
    await assert.rejects(xero.refreshWithRefreshToken(CLIENT_ID, CLIENT_SECRET, refresh_token));
  });
});

describe("books", () => {
  const xero = client();
  const api = xero.accountingApi;
  let contactID;

  before(async () => {
    await consent(xero);
  });

  test("accounts", async () => {
    const { body } = await api.getAccounts(TAXED);
    const types = new Set(body.accounts.map((a) => a.type?.toString()));
    for (const type of "BANK CURRENT CURRLIAB DEPRECIATN DIRECTCOSTS EQUITY EXPENSE FIXED INVENTORY LIABILITY NONCURRENT OTHERINCOME OVERHEADS PREPAYMENT REVENUE SALES TERMLIAB PAYG".split(" ")) {
      assert.ok(types.has(type), type);
    }
    assert.ok(body.accounts.some((a) => a.type === AccountType.BANK && a.bankAccountType?.toString() === "CREDITCARD"));
    assert.ok(body.accounts.some((a) => a.status?.toString() === "ARCHIVED"));
    assert.ok(body.accounts[0].updatedDateUTC instanceof Date);
    const banks = await api.getAccounts(TAXED, undefined, 'Status=="ACTIVE" AND Type=="BANK"', "Name ASC");
    assert.deepEqual(banks.body.accounts.map((a) => a.name), ["Business Bank Account", "Company Card", "Savings Account"]);
  });

  test("contacts, by pages", async () => {
    await control("contacts", { organization_id: TAXED, count: 1195 });
    const names = new Set();
    for (let page = 1; ; page++) {
      const { body } = await api.getContacts(TAXED, undefined, undefined, undefined, undefined, page, true, false, undefined, 500);
      body.contacts.forEach((c) => names.add(c.name));
      assert.equal(body.pagination.itemCount, 1200);
      if (page >= body.pagination.pageCount) break;
    }
    assert.equal(names.size, 1200);
    const { body } = await api.createContacts(TAXED, { contacts: [{ name: "Certified Supplies", emailAddress: "c@example.com" }] });
    contactID = body.contacts[0].contactID;
    assert.ok(contactID);
  });

  test("tax rates and currencies", async () => {
    const { body } = await api.getTaxRates(TAXED);
    const rate = body.taxRates.find((t) => t.taxType === "TAX002");
    assert.equal(rate.effectiveRate, 13.5);
    assert.equal(rate.canApplyToExpenses, true);
    const currencies = (await api.getCurrencies(TAXED)).body.currencies;
    assert.deepEqual(currencies.map((c) => c.code.toString()), ["EUR", "GBP", "USD", "CHF"]);
  });

  const bill = (number, change = {}) => ({
    type: Invoice.TypeEnum.ACCPAY, contact: { contactID }, invoiceNumber: number, date: "2026-03-01", dueDate: "2026-03-31",
    lineAmountTypes: LineAmountTypes.Exclusive,
    lineItems: [{ description: "Paper", quantity: 2, unitAmount: 10.5, accountCode: "453", taxType: "INPUT2" }],
    ...change,
  });

  test("a bill, once for a key, with a file", async () => {
    const send = () => api.createInvoices(TAXED, { invoices: [bill("CERT-1")] }, true, 4, "certification-1");
    const made = (await send()).body.invoices[0];
    assert.equal((await send()).body.invoices[0].invoiceID, made.invoiceID);
    assert.equal(made.total, 25.2);
    assert.equal(made.status.toString(), "DRAFT");
    const pdf = Buffer.from("%PDF-1.7 certified");
    const headers = { headers: { "Content-Type": "application/pdf" } };
    const attached = await api.createInvoiceAttachmentByFileName(TAXED, made.invoiceID, "cert 1.pdf", pdf, false, undefined, headers);
    assert.equal(attached.body.attachments[0].contentLength, pdf.length);
    const files = await api.getInvoiceAttachments(TAXED, made.invoiceID);
    assert.deepEqual(files.body.attachments.map((a) => a.fileName), ["cert 1.pdf"]);
    const read = (await api.getInvoice(TAXED, made.invoiceID)).body.invoices[0];
    assert.equal(read.lineItems[0].lineAmount, 21);
    assert.equal(read.hasAttachments, true);
    assert.equal(new Date(read.dueDate).toISOString().slice(0, 10), "2026-03-31");
    const found = await api.getInvoices(TAXED, undefined, 'Type=="ACCPAY" AND InvoiceNumber=="CERT-1"', undefined, undefined, undefined, undefined, undefined, 1);
    assert.deepEqual(found.body.invoices.map((i) => i.invoiceID), [made.invoiceID]);
    const voided = await api.updateInvoice(TAXED, made.invoiceID, { invoices: [{ status: Invoice.StatusEnum.DELETED }] });
    assert.equal(voided.body.invoices[0].status.toString(), "DELETED");
  });

  test("a credit note", async () => {
    const { invoiceNumber, ...rest } = bill("");
    const { body } = await api.createCreditNotes(TAXED, {
      creditNotes: [{ ...rest, type: CreditNote.TypeEnum.ACCPAYCREDIT, creditNoteNumber: "CERT-C1" }],
    });
    assert.equal(body.creditNotes[0].remainingCredit, 25.2);
  });

  test("refusals", async () => {
    const wrong = bill("CERT-2", { currencyCode: "SEK" });
    const error = await refused(api.createInvoices(TAXED, { invoices: [wrong] }));
    assert.equal(error.statusCode, 400);
    assert.equal(error.body.Type, "ValidationException");
    assert.match(error.body.Elements[0].ValidationErrors[0].Message, /SEK/);
    const apart = await api.createInvoices(TAXED, { invoices: [wrong, bill("CERT-3")] }, false);
    assert.deepEqual(apart.body.invoices.map((i) => i.hasErrors), [true, false]);
    assert.equal((await refused(api.getInvoice(TAXED, TAXED))).statusCode, 404);
    assert.equal((await refused(api.getAccounts("a3f4c6b2-6b0d-4a1f-8d65-0d0a5f0f1099"))).statusCode, 403);
  });

  test("too many calls", async () => {
    await control("clock", { advance: "1m" }); // what was asked before counts no more
    await control("limits", { minute: 1 });
    try {
      await api.getCurrencies(UNTAXED);
      const error = await refused(api.getCurrencies(UNTAXED));
      assert.equal(error.statusCode, 429);
      assert.equal(error.headers["x-rate-limit-problem"], "minute");
      assert.ok(Number(error.headers["retry-after"]) > 0);
    } finally {
      await control("limits", { minute: 0 });
    }
  });
});
