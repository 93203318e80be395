// What every client of the matrix does, and the person who signs in.
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { consented } from "./consent.mjs";

const { ENTITY_ID, CLIENT_ID, CLIENT_SECRET } = process.env;

/** The client that was registered beforehand; undefined where clients register themselves. */
export const registered = CLIENT_ID && { client_id: CLIENT_ID, ...(CLIENT_SECRET && { client_secret: CLIENT_SECRET }) };

const callback = "http://127.0.0.1:33418/callback";

/** Person is the OAuth part of the TypeScript SDKs: it keeps all in memory, and opens pages itself. */
export class Person {
  opened = 0;
  redirectUrl = callback;
  clientMetadata = {
    client_name: "clients", redirect_uris: [callback], grant_types: ["authorization_code", "refresh_token"], response_types: ["code"],
  };
  #client = registered;
  #tokens;
  #verifier;
  #discovery;
  #back;

  clientInformation() { return this.#client; }
  saveClientInformation(client) { this.#client = client; }
  tokens() { return this.#tokens; }
  saveTokens(tokens) { this.#tokens = tokens; }
  codeVerifier() { return this.#verifier; }
  saveCodeVerifier(verifier) { this.#verifier = verifier; }
  discoveryState() { return this.#discovery; }
  saveDiscoveryState(state) { this.#discovery = state; }
  state() { return "a-state-that-is-long"; }

  async redirectToAuthorization(url) {
    this.opened++;
    for (let at = String(url), hops = 0; hops < 10; hops++) {
      const response = await fetch(at, { redirect: "manual" });
      const next = response.headers.get("location");
      assert.ok(next, `the sign-in ended with ${response.status} at ${at}`);
      at = new URL(next, at).href;
      at = (await consented(at)) ?? at;
      if (at.startsWith(callback)) {
        this.#back = new URL(at).searchParams;
        return;
      }
    }
    assert.fail("the sign-in leads nowhere");
  }

  /** What the sign-in led back with. */
  returned() {
    assert.equal(this.#back.get("state"), this.state());
    return this.#back;
  }

  /** Makes the access token one that is refused, as one is that has expired. */
  expire() { this.#tokens = { ...this.#tokens, access_token: "expired.access.token" }; }
}

let last = 0;

/** Work has a document uploaded, read, and read back, all by tools. */
export async function work(call) {
  const me = await call("get_me", {});
  assert.equal(me.organization.name, "Sandbox Organization");
  const number = `${process.pid}-${++last}`;
  const document = await call("upload_document", {
    entity_id: ENTITY_ID, filename: `${number}.xml`, content: Buffer.from(invoice(number)).toString("base64"),
  });
  const extracted = await call("extract_invoice", { document_id: document.id });
  const read = await call("get_invoice", { invoice_id: extracted.id, fields: ["invoice_number", "gross_total", "document_id"] });
  assert.deepEqual(read, { invoice_number: number, gross_total: "119.00", document_id: document.id });
  const listed = await call("list_invoices", { fields: ["id"], limit: 1 });
  assert.deepEqual(listed.items, [{ id: extracted.id }]);
}

/** Value returns what a tool answered, which data and text must agree on. */
export function value(result) {
  const text = result.content[0].text;
  assert.ok(!result.isError, text);
  assert.deepEqual(result.structuredContent, JSON.parse(text));
  return result.structuredContent;
}

/** A port that a client can listen on. */
export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function invoice(number) {
  return `<?xml version="1.0" encoding="UTF-8"?>
<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
 xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
 xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
 <cbc:ID>${number}</cbc:ID><cbc:IssueDate>2026-01-15</cbc:IssueDate><cbc:DueDate>2026-02-14</cbc:DueDate>
 <cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode><cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
 <cac:AccountingSupplierParty><cac:Party><cac:PartyLegalEntity><cbc:RegistrationName>Quai Company</cbc:RegistrationName></cac:PartyLegalEntity></cac:Party></cac:AccountingSupplierParty>
 <cac:AccountingCustomerParty><cac:Party><cac:PartyLegalEntity><cbc:RegistrationName>Buyer Ltd</cbc:RegistrationName></cac:PartyLegalEntity></cac:Party></cac:AccountingCustomerParty>
 <cac:TaxTotal><cbc:TaxAmount currencyID="EUR">19.00</cbc:TaxAmount></cac:TaxTotal>
 <cac:LegalMonetaryTotal><cbc:LineExtensionAmount currencyID="EUR">100.00</cbc:LineExtensionAmount>
  <cbc:TaxExclusiveAmount currencyID="EUR">100.00</cbc:TaxExclusiveAmount><cbc:TaxInclusiveAmount currencyID="EUR">119.00</cbc:TaxInclusiveAmount>
  <cbc:PayableAmount currencyID="EUR">119.00</cbc:PayableAmount></cac:LegalMonetaryTotal>
 <cac:InvoiceLine><cbc:ID>1</cbc:ID><cbc:InvoicedQuantity unitCode="C62">1</cbc:InvoicedQuantity>
  <cbc:LineExtensionAmount currencyID="EUR">100.00</cbc:LineExtensionAmount><cac:Item><cbc:Name>Widget</cbc:Name></cac:Item>
  <cac:Price><cbc:PriceAmount currencyID="EUR">100.00</cbc:PriceAmount></cac:Price></cac:InvoiceLine>
</Invoice>`;
}
