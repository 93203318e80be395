// The published intuit-oauth and node-quickbooks, unmodified, against the
// simulator that main.go started. Their hosts are rerouted by reroute.mjs.
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { before, describe, test } from "node:test";
import OAuthClient from "intuit-oauth";
import QuickBooks from "node-quickbooks";

const { ORIGIN, CLIENT_ID, CLIENT_SECRET, REDIRECT, VAT, US } = process.env;
const types = [
  "Bank", "Accounts Receivable", "Other Current Asset", "Fixed Asset", "Other Asset", "Accounts Payable", "Credit Card",
  "Other Current Liability", "Long Term Liability", "Equity", "Income", "Other Income", "Cost of Goods Sold", "Expense",
  "Other Expense", "Non-Posting",
];

async function control(path, body) {
  const response = await fetch(`${ORIGIN}/_sim/${path}`, { method: "POST", body: JSON.stringify(body) });
  const answer = await response.json();
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer;
}

function oauth() {
  return new OAuthClient({ clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, environment: "production", redirectUri: REDIRECT });
}

// callback is where a browser is led that agrees for a company.
async function callback(client, company) {
  await control("settings", { auto_company: company });
  const { Accounting, OpenId, Profile, Email } = OAuthClient.scopes;
  const uri = new URL(client.authorizeUri({ scope: [Accounting, OpenId, Profile, Email], state: "state-1" }));
  assert.equal(uri.host, "appcenter.intuit.com");
  const response = await fetch(ORIGIN + uri.pathname + uri.search, { redirect: "manual" });
  assert.equal(response.status, 302);
  return response.headers.get("location");
}

async function consent(company) {
  const client = oauth();
  await client.createToken(await callback(client, company));
  return client;
}

// books are those of a company, with promises in place of callbacks.
async function books(company) {
  const token = (await consent(company)).getToken();
  assert.equal(token.realmId, company);
  const qbo = new QuickBooks(CLIENT_ID, CLIENT_SECRET, token.access_token, false, company, false, false, null, "2.0", token.refresh_token);
  const ask = (name, ...args) =>
    new Promise((resolve, reject) => qbo[name](...args, (error, body) => (error ? reject(error) : resolve(body))));
  return { qbo, ask };
}

// refused returns the fault that a call meets.
async function refused(promise) {
  try {
    await promise;
  } catch (error) {
    return (error.response?.data ?? error).Fault;
  }
  assert.fail("it was not refused");
}

describe("OAuth", () => {
  test("consent, id token, user", async () => {
    const client = await consent(US);
    const token = client.getToken();
    assert.equal(token.realmId, US);
    assert.equal(token.expires_in, 3600);
    assert.equal(token.x_refresh_token_expires_in, 8640000);
    assert.equal(await client.validateIdToken(), true);
    assert.equal((await client.getUserInfo()).json.email, "owner@example.com");
  });

  test("a code is good once", async () => {
    const client = oauth();
    const location = await callback(client, VAT);
    await client.createToken(location);
    await assert.rejects(oauth().createToken(location), /invalid_grant/);
  });

  test("a refresh keeps its token for a day", async () => {
    const client = await consent(VAT);
    const first = client.getToken().refresh_token;
    await client.refresh();
    assert.equal(client.getToken().refresh_token, first);
    await control("clock", { advance: "25h" });
    await client.refresh();
    assert.notEqual(client.getToken().refresh_token, first);
    await assert.rejects(client.refreshUsingToken(first));
  });

  test("revoke", async () => {
    const client = await consent(VAT);
    const { refresh_token } = client.getToken();
    await client.revoke({ refresh_token });
    await assert.rejects(oauth().refreshUsingToken(refresh_token));
  });

  test("API calls", async () => {
    const client = await consent(VAT);
    const { json } = await client.makeApiCall({ url: `v3/company/${VAT}/companyinfo/${VAT}` });
    assert.equal(json.CompanyInfo.CompanyName, "Red Brick Traders");
    await assert.rejects(client.makeApiCall({ url: `v3/company/${US}/companyinfo/${US}` }));
  });

  test("the other client's refresh and revoke", async () => {
    const { qbo, ask } = await books(VAT);
    const before = qbo.token;
    await ask("refreshAccessToken");
    assert.notEqual(qbo.token, before);
    const { CompanyName } = await ask("getCompanyInfo", VAT);
    assert.equal(CompanyName, "Red Brick Traders");
    await ask("revokeAccess", true);
    assert.equal(qbo.token, null);
  });

  test("its discovery", async () => {
    QuickBooks.setOauthVersion("2.0", false);
    while (!QuickBooks.USER_INFO_URL) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(QuickBooks.TOKEN_URL, `${ORIGIN}/oauth2/v1/tokens/bearer`);
    assert.equal(QuickBooks.REVOKE_URL, `${ORIGIN}/v2/oauth2/tokens/revoke`);
  });
});

describe("books", () => {
  let vat, us, vendor, account, code;

  before(async () => {
    vat = await books(VAT);
    us = await books(US);
  });

  test("accounts", async () => {
    for (const { ask } of [vat, us]) {
      const all = (await ask("findAccounts", { fetchAll: true })).QueryResponse.Account;
      assert.deepEqual([...new Set(all.map((a) => a.AccountType))].sort(), [...types].sort());
      for (const type of types) {
        const some = (await ask("findAccounts", { AccountType: type })).QueryResponse.Account;
        assert.ok(some.length > 0 && some.every((a) => a.AccountType === type), type);
      }
    }
    account = (await vat.ask("findAccounts", { Name: "Office Expenses" })).QueryResponse.Account[0].Id;
    assert.equal((await refused(vat.ask("findAccounts", { AccountType: "CostofGoodsSold" }))).Error[0].code, "10000");
    assert.equal((await vat.ask("getAccount", account)).Name, "Office Expenses");
  });

  test("vendors, by pages", async () => {
    await control("seed", { realm_id: VAT, list: "Vendor", count: 1200 });
    const { QueryResponse } = await vat.ask("findVendors", [
      { field: "fetchAll", value: true }, { field: "DisplayName", value: "Seeded %", operator: "LIKE" }, { field: "Active", value: [true, false], operator: "IN" },
    ]);
    assert.equal(new Set(QueryResponse.Vendor.map((v) => v.Id)).size, 1200);
    assert.equal(QueryResponse.Vendor.filter((v) => !v.Active).length, 120);
    const count = await vat.ask("findVendors", [{ count: true }, { field: "DisplayName", value: "Brown's%", operator: "LIKE" }]);
    assert.equal(count.QueryResponse.totalCount, 2);
    const made = await vat.ask("createVendor", { DisplayName: "O'Neill & Söhne", PrimaryEmailAddr: { Address: "c@example.com" } });
    vendor = made.Id;
    const found = await vat.ask("findVendors", { DisplayName: "O'Neill & Söhne" });
    assert.equal(found.QueryResponse.Vendor[0].Id, vendor);
    assert.equal((await refused(vat.ask("createVendor", { DisplayName: "O'Neill & Söhne" }))).Error[0].code, "6240");
    assert.deepEqual((await vat.ask("findVendors", { DisplayName: "unknown" })).QueryResponse, {});
  });

  test("tax codes, tax rates, currencies, preferences", async () => {
    const codes = (await vat.ask("findTaxCodes")).QueryResponse.TaxCode;
    const split = codes.find((c) => c.Name === "12.0% split");
    code = codes.find((c) => c.Name === "20.0% S").Id;
    let sum = 0;
    for (const { TaxRateRef } of split.PurchaseTaxRateList.TaxRateDetail) sum += (await vat.ask("getTaxRate", TaxRateRef.value)).RateValue;
    assert.equal(sum, 12);
    assert.ok((await vat.ask("findTaxRates", { fetchAll: true })).QueryResponse.TaxRate.length >= 8);
    const currencies = (await vat.ask("findCompanyCurrencies")).QueryResponse.CompanyCurrency;
    assert.deepEqual(currencies.map((c) => c.Code), ["GBP", "EUR", "USD"]);
    assert.equal((await refused(us.ask("findCompanyCurrencies"))).Error[0].code, "6000");
    assert.equal((await vat.ask("getPreferences")).CurrencyPrefs.MultiCurrencyEnabled, true);
    assert.equal((await us.ask("getPreferences")).CurrencyPrefs.HomeCurrency.value, "USD");
  });

  const bill = (number, change = {}) => ({
    VendorRef: { value: vendor }, DocNumber: number, TxnDate: "2026-03-01", CurrencyRef: { value: "GBP" }, GlobalTaxCalculation: "TaxExcluded",
    Line: [{
      DetailType: "AccountBasedExpenseLineDetail", Amount: 21, Description: "Paper",
      AccountBasedExpenseLineDetail: { AccountRef: { value: account }, TaxCodeRef: { value: code } },
    }],
    ...change,
  });

  test("a bill, once for a request id, with a file", async () => {
    const send = () => vat.ask("createBill", bill("CERT-1", { requestId: "certification-1" }));
    const made = await send();
    assert.equal((await send()).Id, made.Id);
    assert.equal(made.TotalAmt, 25.2);
    assert.equal(made.TxnTaxDetail.TotalTax, 4.2);
    assert.equal((await vat.ask("getBill", made.Id)).DocNumber, "CERT-1");
    const found = await vat.ask("findBills", { DocNumber: "CERT-1" });
    assert.equal(found.QueryResponse.Bill.length, 1);
    const attached = await vat.ask("upload", "cert 1.pdf", "application/pdf", Readable.from([Buffer.from("%PDF-1.7 certified")]), "Bill", made.Id);
    assert.equal(attached.FileName, "cert 1.pdf");
    const files = await vat.ask("findAttachables", [
      { field: "AttachableRef.EntityRef.Type", value: "bill" }, { field: "AttachableRef.EntityRef.value", value: made.Id },
    ]);
    assert.deepEqual(files.QueryResponse.Attachable.map((a) => a.FileName), ["cert 1.pdf"]);
    const refusedFile = await refused(vat.ask("upload", "a.txt", "text/plain", Readable.from([Buffer.from("text")]), "Bill", made.Id));
    assert.equal(refusedFile.type, "ValidationFault");
  });

  test("bills that are refused", async () => {
    assert.equal((await refused(vat.ask("createBill", bill("CERT-1")))).Error[0].code, "6140");
    const again = await vat.ask("createBill", { ...bill("CERT-1"), allowDuplicateDocNum: true });
    await vat.ask("deleteBill", again.Id);
    assert.equal((await refused(vat.ask("getBill", again.Id))).Error[0].code, "610");
    assert.equal((await refused(vat.ask("createBill", bill("CERT-2", { VendorRef: { value: "99999" } })))).Error[0].code, "2500");
    await control("close", { realm_id: VAT, until: "2026-03-31" });
    assert.equal((await refused(vat.ask("createBill", bill("CERT-2")))).Error[0].code, "6210");
    await control("close", { realm_id: VAT, until: "" });
  });

  test("a vendor credit", async () => {
    const made = await vat.ask("createVendorCredit", bill("CREDIT-1"));
    assert.equal(made.TotalAmt, 25.2);
    assert.equal((await vat.ask("getVendorCredit", made.Id)).VendorRef.value, vendor);
    await vat.ask("deleteVendorCredit", made.Id);
  });

  test("limits and tokens that ended", async () => {
    await control("limits", { second: 3 });
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => us.ask("getPreferences")));
    const fault = answers.find((a) => a.status === "rejected").reason.response;
    assert.equal(fault.status, 429);
    assert.equal(fault.data.Fault.Error[0].code, "3001");
    await control("limits", { second: 0 });
    await control("disconnect", { realm_id: US });
    const ended = await us.ask("getPreferences").then(() => assert.fail("it was not refused"), (error) => error.response);
    assert.equal(ended.status, 401);
    assert.equal(ended.data.fault.error[0].code, "3200");
  });
});
