package main

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"docledger/adapter/httpapi/spectest"

	"github.com/google/uuid"
)

// turn is one call of an operation before it is sent.
type turn struct {
	*world
	n     int
	known values         // real values by the name of their parameter or key
	token string         // the credential; "" for none
	c     *spectest.Case // set for change
	etag  func() string  // of the last response of the operation
}

// recipe says how an operation succeeds. Both parts are optional: without fresh the
// call uses the seeded records, without change the generated query and body.
type recipe struct {
	// fresh makes records that the call consumes or changes.
	fresh func(ctx context.Context, t *turn) error
	// change replaces what a specification cannot say.
	change func(ctx context.Context, t *turn) error
	// after removes what would reach a limit of the organization.
	after func(ctx context.Context, t *turn, a answer) error
}

func (t *turn) json(body any) error {
	raw, err := json.Marshal(body)
	t.c.Body = raw
	t.c.Header.Set("Content-Type", "application/json")
	return err
}

// body decodes the generated body, so that parts of it can be replaced.
func (t *turn) body() map[string]any {
	var out map[string]any
	if json.Unmarshal(t.c.Body, &out) != nil || out == nil {
		out = map[string]any{}
	}
	return out
}

func (t *turn) query(change func(url.Values)) error {
	query, err := url.ParseQuery(t.c.RawQuery)
	if err != nil {
		return err
	}
	change(query)
	t.c.RawQuery = query.Encode()
	return nil
}

func (t *turn) pick(list []string) string { return list[t.n%len(list)] }

// made makes a recipe with a body that is the same for each call.
func made(body func(t *turn) any) recipe {
	return recipe{change: func(_ context.Context, t *turn) error { return t.json(body(t)) }}
}

// on gives a recipe its records.
func (r recipe) on(fresh func(ctx context.Context, t *turn) error) recipe {
	r.fresh = fresh
	return r
}

func public(_ context.Context, t *turn) error { t.token = ""; return nil }

func freshLogin(ctx context.Context, t *turn) (err error) {
	t.token, err = t.login(ctx, t.env["LOGIN_EMAIL"], t.env["LOGIN_PASSWORD"])
	return err
}

func freshEntity(ctx context.Context, t *turn) (err error) {
	t.known["entity_id"], err = t.newEntity(ctx)
	return err
}

func freshInvoice(ctx context.Context, t *turn) error {
	a, err := t.newInvoice(ctx, t.entities[0])
	return t.keep(a, err)
}

func freshApproved(ctx context.Context, t *turn) error {
	entity := t.entities[1]
	if t.n%8 == 0 {
		entity = t.entities[0] // of ACCOUNTING_A, see of
	}
	a, err := t.newApproved(ctx, entity)
	return t.keep(a, err)
}

func (t *turn) keep(invoice answer, err error) error {
	t.known["invoice_id"] = invoice.at("id")
	raw, _ := json.Marshal(approval(invoice)) // of plain values
	t.known["$approval"] = string(raw)
	return err
}

func freshWebhook(ctx context.Context, t *turn) (err error) {
	t.known["webhook_id"], t.known["delivery_id"], err = t.newWebhook(ctx)
	return err
}

func removeWebhook(ctx context.Context, t *turn, a answer) error {
	id := t.known["webhook_id"]
	if made := a.at("webhook", "id"); made != "" {
		id = made
	}
	if id == t.webhook {
		return nil
	}
	_, err := t.do(ctx, "deleteWebhook", values{"webhook_id": id}, nil, nil)
	return err
}

func freshSupplier(ctx context.Context, t *turn) (err error) {
	t.known["supplier_id"], t.known["iban"], err = t.newSupplier(ctx)
	return err
}

// freshConsent is at the callback after the provider's page.
func freshConsent(ctx context.Context, t *turn) error {
	t.token = ""
	entity, err := t.newEntity(ctx)
	if err != nil {
		return err
	}
	_, page, err := t.authorize(ctx, t.pick(providers), entity)
	if err != nil {
		return err
	}
	query, err := t.consent(ctx, page)
	t.known["$query"] = query.Encode()
	return err
}

// freshIntegration has a consent and no set-up.
func freshIntegration(ctx context.Context, t *turn) (err error) {
	if err := freshEntity(ctx, t); err != nil {
		return err
	}
	t.known["provider"] = t.pick(providers)
	t.known["integrationId"], err = t.authorized(ctx, t.known["provider"], t.known["entity_id"])
	return err
}

func ofLedger(_ context.Context, t *turn) error { return t.of(ledgers) }
func ofStore(_ context.Context, t *turn) error  { return t.of(stores) }
func ofAny(_ context.Context, t *turn) error    { return t.of(providers) }

// of uses an integration. ACCOUNTING_A admits 60 calls a minute, and the service keeps
// to that, so that it gets one turn in eight of the ledgers.
func (t *turn) of(list []string) error {
	c := t.connected[t.pick(list)]
	if c == t.connected[ledgers[0]] && t.n%8 != 0 {
		c = t.connected[ledgers[1]]
	}
	t.known["integrationId"], t.known["integration_id"], t.known["entity_id"] = c.integration, c.integration, c.entity
	t.known["sourceId"], t.known["subSourceId"] = c.source, c.subSource
	return nil
}

// redirected fills in where a browser returns to.
func redirected(name string) func(context.Context, *turn) error {
	return func(_ context.Context, t *turn) error {
		body := t.body()
		body[name] = t.env["BASE_URL"] + "/docs"
		return t.json(body)
	}
}

// ranged requests a part of a file, and a file that has not changed.
func ranged(_ context.Context, t *turn) error {
	t.c.Header.Del("Range")
	t.c.Header.Del("If-None-Match")
	switch t.n % 4 {
	case 2:
		t.c.Header.Set("Range", "bytes=0-9")
	case 3:
		if tag := t.etag(); tag != "" {
			t.c.Header.Set("If-None-Match", tag)
		}
	}
	return nil
}

func ofPages(_ context.Context, t *turn) error {
	t.known["document_id"] = t.pick(t.documents)
	return nil
}

// corrections are changes of an invoice that a person makes.
var corrections = []map[string]any{
	{"note": "Seen"}, {"purchase_order": "PO-7"}, {"due_date": "2026-12-31"}, {"invoice_number": nil}, {"delivery_date": "2026-11-01"},
	{"seller": map[string]any{"email": "billing@example.com", "address": map[string]any{"country": "DE", "city": "Bremen"}}},
	{"document_type": "CREDIT_NOTE"}, {"currency": "USD"}, {"billing_period": map[string]any{"start": "2026-10-01", "end": "2026-10-31"}},
	{"allowances": []any{map[string]any{"amount": "1.00", "reason": "Discount"}}}, {"gross_total": "12.50"},
	{"lines": []any{map[string]any{"description": "Another line", "quantity": "2", "unit_price": "5.00", "net_amount": "10.00"}}},
}

// recipes are the operations that need more than generated values and seeded ids.
var recipes = map[string]recipe{
	"createApiKey": {change: func(_ context.Context, t *turn) error {
		body := map[string]any{"name": fmt.Sprintf("Key %d", t.n), "role": t.pick([]string{"VIEWER", "EDITOR", "APPROVER", "ADMIN"})}
		if body["role"] != "ADMIN" {
			body["entity_ids"] = t.entities
		}
		if t.n%3 == 0 {
			body["expires_at"] = time.Now().AddDate(0, 0, 30).UTC().Format(time.RFC3339)
		}
		return t.json(body)
	}, after: func(ctx context.Context, t *turn, a answer) error {
		_, err := t.do(ctx, "revokeApiKey", values{"api_key_id": a.at("id")}, nil, nil)
		return err
	}},
	"revokeApiKey": {fresh: func(ctx context.Context, t *turn) (err error) {
		t.known["api_key_id"], err = t.newKey(ctx)
		return err
	}},
	"login": made(func(t *turn) any {
		return values{"email": t.env["LOGIN_EMAIL"], "password": t.env["LOGIN_PASSWORD"]}
	}).on(public),
	"logout":       {fresh: freshLogin},
	"refreshToken": {fresh: freshLogin, change: func(_ context.Context, t *turn) error { t.c.Body = nil; t.c.Header.Del("Content-Type"); return nil }},
	"endSession": {fresh: func(ctx context.Context, t *turn) error {
		token, err := t.login(ctx, t.env["LOGIN_EMAIL"], t.env["LOGIN_PASSWORD"])
		if err != nil {
			return err
		}
		found, err := t.call(ctx, "listSessions", token, nil, url.Values{"limit": {"100"}}, nil)
		for _, s := range found.items() {
			if s["current"] == true {
				t.known["session_id"], _ = s["id"].(string)
			}
		}
		return err
	}},
	"changePassword": {fresh: func(ctx context.Context, t *turn) (err error) {
		t.token, err = t.login(ctx, t.env["LOCAL_EMAIL"], t.password)
		return err
	}, change: func(_ context.Context, t *turn) error {
		return t.json(values{"current_password": t.password, "new_password": fmt.Sprintf("a long password %d", t.n)})
	}, after: func(_ context.Context, t *turn, _ answer) error {
		t.password = t.body()["new_password"].(string)
		return nil
	}},
	"createCheckoutSession": {fresh: func(_ context.Context, t *turn) error { t.token = t.other; return nil }, change: func(_ context.Context, t *turn) error {
		back := t.env["BASE_URL"] + "/docs"
		return t.json(values{"price_id": t.price, "success_url": back, "cancel_url": back})
	}},
	"createPortalSession": {change: redirected("return_url")},
	"getBillingUsage": {change: func(_ context.Context, t *turn) error {
		return t.query(func(q url.Values) {
			if q.Has("month") {
				q.Set("month", time.Now().UTC().Format("2006-01"))
			}
		})
	}},
	"uploadDocument":        {change: upload},
	"getDocument":           {fresh: ofPages},
	"getDocumentAttachment": {fresh: func(_ context.Context, t *turn) error { t.known["document_id"] = t.paged; return nil }, change: ranged},
	"getDocumentContent":    {fresh: ofPages, change: ranged},
	"getDocumentPage":       {fresh: ofPages, change: ranged},
	"getDocumentPageWords":  {fresh: ofPages},
	"getDocumentReadable":   {fresh: func(_ context.Context, t *turn) error { t.known["document_id"] = t.paged; return nil }, change: ranged},
	"deleteDocument": {fresh: func(ctx context.Context, t *turn) (err error) {
		t.known["document_id"], err = t.newPrinted(ctx)
		return err
	}},
	"moveDocument": {fresh: func(ctx context.Context, t *turn) (err error) {
		t.known["document_id"], err = t.newPrinted(ctx)
		return err
	}, change: func(_ context.Context, t *turn) error { return t.json(values{"entity_id": t.entities[1]}) }},
	"updateDocument": made(func(t *turn) any { return values{"external_id": fmt.Sprintf("order-%d", t.n)} }).on(ofPages),
	"splitDocument": {fresh: func(ctx context.Context, t *turn) (err error) {
		t.known["document_id"], err = t.newPrinted(ctx)
		return err
	}, change: func(_ context.Context, t *turn) error {
		return t.json(map[string]any{"parts": []map[string]int{{"from": 1, "to": 1}, {"from": 2, "to": 3}}})
	}},
	"mergeDocuments": {fresh: func(ctx context.Context, t *turn) (err error) {
		t.known["document_id"], err = t.newMergeable(ctx)
		return err
	}, change: func(_ context.Context, t *turn) error {
		return t.json(map[string]any{"parts": []map[string]any{{"document_id": t.known["document_id"], "pages": []map[string]int{{"number": 1, "rotate": 90}}}}})
	}},
	"createEntity": {change: func(_ context.Context, t *turn) error {
		body := t.body()
		body["name"] = fmt.Sprintf("Made %d", t.next())
		return t.json(body)
	}},
	"updateEntity": {fresh: freshEntity, change: func(_ context.Context, t *turn) error {
		body := t.body()
		body["name"] = fmt.Sprintf("Changed %d", t.next())
		return t.json(body)
	}},
	"updateEmailIntake": made(func(t *turn) any {
		return t.emailRules()
	}).on(freshEntity),
	"updateSettings": {fresh: freshEntity, change: func(_ context.Context, t *turn) error {
		body := t.body()
		for _, key := range []string{"accounting_integration_id", "default_account_id", "default_tax_rate_id", "tax_mappings"} {
			delete(body, key) // of a ledger, which a new entity does not have
		}
		return t.json(body)
	}},
	"listEvents": {change: func(_ context.Context, t *turn) error {
		return t.query(func(q url.Values) { delete(q, "type") })
	}},
	"connectIntegration":   {fresh: ofAny, change: redirected("redirect_url")},
	"createConnectLink":    made(func(t *turn) any { return values{"entity_id": t.entities[0], "provider": "ACCOUNTING_A"} }),
	"getIntegrationStatus": {fresh: ofAny},
	"getIntegration":       {fresh: ofAny},
	"changeInvoices":       {fresh: freshInvoice, change: bulk},
	"extractInvoice": {fresh: func(ctx context.Context, t *turn) (err error) {
		t.known["document_id"], err = t.newDocument(ctx, t.entities[0])
		return err
	}},
	"getInvoice":           {fresh: ofStatus},
	"getInvoiceHistory":    {fresh: ofStatus},
	"listInvoiceLines":     {fresh: ofStatus},
	"getInvoiceValidation": {fresh: ofStatus},
	"updateInvoice":        made(func(t *turn) any { return corrections[t.n%len(corrections)] }).on(freshInvoice),
	"approveInvoice": {fresh: freshInvoice, change: func(_ context.Context, t *turn) error {
		t.c.Body = []byte(t.known["$approval"])
		return nil
	}},
	"rejectInvoice": made(func(t *turn) any { return values{"reason": fmt.Sprintf("Not ours %d", t.n)} }).on(freshInvoice),
	"dismissDuplicate": made(func(t *turn) any {
		return values{"invoice_id": t.known["$other"], "reason": fmt.Sprintf("Two deliveries %d", t.n)}
	}).on(freshPair),
	"reopenInvoice": {fresh: freshApproved},
	"syncInvoice":   made(func(t *turn) any { return map[string]any{"force": t.n%2 == 0} }).on(freshApproved),
	"updateSupplier": {fresh: freshSupplier, change: func(_ context.Context, t *turn) error {
		body := t.body()
		body["name"] = "Supplier " + letters(t.next())
		for _, key := range []string{"contact_id", "default_account_id", "default_tax_rate_id"} {
			delete(body, key) // of a ledger
		}
		return t.json(body)
	}},
	"confirmBankAccount": made(func(t *turn) any {
		return values{"iban": t.known["iban"], "method": t.pick([]string{"phone", "letter", "other"})}
	}).on(freshSupplier),
	"mergeSupplier": made(func(t *turn) any { return values{"into": t.supplier} }).on(freshSupplier),
	"authorizeIntegration": {fresh: freshEntity, change: func(_ context.Context, t *turn) error {
		in := values{"entity_id": t.known["entity_id"], "provider": t.pick(providers), "redirect_url": t.env["BASE_URL"] + "/docs"}
		t.c.RawQuery = ""
		if t.n%2 == 0 {
			return t.json(in)
		}
		t.c.Body = nil
		t.c.Header.Del("Content-Type")
		return t.query(func(q url.Values) {
			for name, value := range in {
				q.Set(name, value)
			}
		})
	}},
	"finishAuthorization": {fresh: freshConsent, change: func(_ context.Context, t *turn) error { t.c.RawQuery = t.known["$query"]; return nil }},
	"confirmAuthorization": {fresh: freshConsent, change: func(_ context.Context, t *turn) error {
		t.c.RawQuery = t.known["$query"] + "&confirmation=shown"
		return nil
	}},
	"disconnectIntegration": {fresh: freshIntegration, change: func(_ context.Context, t *turn) error {
		t.c.RawQuery = entityQuery(t.known["entity_id"]).Encode()
		return nil
	}},
	"setUpIntegration": {fresh: freshIntegration, change: func(ctx context.Context, t *turn) error {
		metadata, err := t.location(ctx, t.known["provider"], t.known["integrationId"], t.known["entity_id"])
		if err != nil {
			return err
		}
		t.c.RawQuery = entityQuery(t.known["entity_id"]).Encode()
		return t.json(setUp(t.known["entity_id"], metadata))
	}},
	"listAccountingAccounts":      {fresh: ofLedger},
	"listAccountingContacts":      {fresh: ofLedger},
	"listAccountingCurrencies":    {fresh: ofLedger},
	"listAccountingOrganizations": {fresh: ofLedger},
	"listAccountingTaxRates":      {fresh: ofLedger},
	"connectEntities": {fresh: func(ctx context.Context, t *turn) error {
		if err := t.of(ledgers); err != nil {
			return err
		}
		return freshEntity(ctx, t)
	}, change: func(_ context.Context, t *turn) error {
		return t.json(map[string]any{"items": []any{map[string]any{"entity_id": t.known["entity_id"]}}})
	}},
	"listSkippedFiles":      {fresh: ofStore},
	"listTriggerSources":    {fresh: ofStore},
	"listTriggerSubSources": {fresh: ofStore},
	"listTriggerFolders": {fresh: ofStore, change: func(_ context.Context, t *turn) error {
		return t.query(func(q url.Values) { q.Del("path") })
	}},
	"createWebhook": {change: func(_ context.Context, t *turn) error {
		body := t.body()
		body["url"], body["types"] = "http://127.0.0.1:1/", []string{t.pick([]string{"*", "invoice.*", "document.received"})}
		return t.json(body)
	}, after: removeWebhook},
	"deleteWebhook": {fresh: freshWebhook},
	"updateWebhook": {fresh: freshWebhook, change: func(_ context.Context, t *turn) error {
		body := t.body()
		body["url"], body["types"] = "http://127.0.0.1:1/changed", []string{"invoice.*"}
		return t.json(body)
	}, after: removeWebhook},
	"retryWebhookDelivery": {fresh: freshWebhook, after: removeWebhook},
	"rotateWebhookSecret":  {fresh: freshWebhook, after: removeWebhook},
	"testWebhook":          {fresh: freshWebhook, after: removeWebhook},
	"receivePaymentEvent": {fresh: public, change: func(_ context.Context, t *turn) error {
		at := strconv.FormatInt(time.Now().Unix(), 10)
		if err := t.json(map[string]any{"id": "evt_" + uuid.NewString(), "object": "event", "type": "product.created", "created": time.Now().Unix(), "data": map[string]any{"object": map[string]any{}}}); err != nil {
			return err
		}
		t.c.Header.Set("Stripe-Signature", "t="+at+",v1="+hex.EncodeToString(sign([]byte("whsec_sandbox"), at+"."+string(t.c.Body))))
		return nil
	}},
	"receiveIdentityEvent": {fresh: public, change: func(_ context.Context, t *turn) error {
		if err := t.json(map[string]any{"type": "session.created", "data": map[string]any{"id": "sess_1"}}); err != nil {
			return err
		}
		id, at := "msg_"+uuid.NewString(), strconv.FormatInt(time.Now().Unix(), 10)
		key, err := base64.StdEncoding.DecodeString("c2FuZGJveC1zYW5kYm94LXNhbmRib3g=")
		t.c.Header.Set("svix-id", id)
		t.c.Header.Set("svix-timestamp", at)
		t.c.Header.Set("svix-signature", "v1,"+base64.StdEncoding.EncodeToString(sign(key, id+"."+at+"."+string(t.c.Body))))
		return err
	}},
	"receiveStorageNotification": {fresh: public, change: func(_ context.Context, t *turn) error {
		t.c.Header.Del("X-Goog-Channel-Token")
		return t.query(func(q url.Values) { q.Set("validationToken", fmt.Sprintf("Validation: %d <&>", t.n)) })
	}},
	"receiveEmail": {fresh: public, change: func(_ context.Context, t *turn) error {
		t.c.Header.Set("Content-Type", "message/rfc822")
		t.c.Header.Set("X-Webhook-Secret", t.env["EMAIL_WEBHOOK_SECRET"])
		t.c.Body = fmt.Appendf(nil, "From: a@example.com\r\nTo: b@example.com\r\nSubject: Message %d\r\n\r\nHello", t.next())
		return t.query(func(q url.Values) { q.Set("recipient", t.env["ENTITY_EMAIL"]) })
	}},
}

// emailRules are valid rules for the e-mail of an entity.
func (t *turn) emailRules() any {
	return []any{
		map[string]any{"senders": []string{"billing@supplier.example", "@shop.example"}},
		map[string]any{"accept_sender": "Billing@Supplier.example", "only_senders": true},
		map[string]any{"new_address": true},
	}[t.n%3]
}
