package main

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"docledger/test/lib/generator"
)

// example returns the example invoice with another number, as its seller may send it:
// without a tax id, so that the name alone identifies the supplier.
func example(number, seller string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(root(), "examples", "invoice-ubl.xml"))
	text := strings.ReplaceAll(string(raw), "2026-0042", number)
	if seller != "" {
		text = strings.NewReplacer("DE136695976", "", "Lindner Bürobedarf", seller).Replace(text)
	}
	return text, err
}

// attached embeds a file in an invoice.
func attached(text string) string {
	const reference = `<cac:AdditionalDocumentReference><cbc:ID>A</cbc:ID><cac:Attachment><cbc:EmbeddedDocumentBinaryObject mimeCode="text/plain" filename="a.txt">aGVsbG8=</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>`
	const before = "<cac:AccountingSupplierParty>"
	return strings.Replace(text, before, reference+before, 1)
}

// printed returns a PDF with an invoice on each page.
func printed(numbers ...string) ([]byte, error) {
	d := &generator.Document{}
	for _, number := range numbers {
		var page generator.Page
		for i, line := range []string{
			"Maple Tools Ltd", "INVOICE", "Invoice No: " + number, "Invoice date: 3 May 2026", "Bill to: Granite Inc",
			"Steel bracket 2 20.00", "Drill 1 80.00", "Net total $100.00", "Tax 20% $20.00", "Total $120.00",
		} {
			page.Texts = append(page.Texts, generator.Text{X: 50, Y: 60 + 20*float64(i), Size: 11, Text: line})
		}
		d.Pages = append(d.Pages, page)
	}
	data, ok := d.PDF()
	if !ok {
		return nil, errors.New("the PDF cannot be written")
	}
	return data, nil
}

// upload uploads a file as JSON.
func (w *world) upload(ctx context.Context, entity, name string, content []byte) (document string, err error) {
	a, err := w.do(ctx, "uploadDocument", nil, nil, map[string]any{"entity_id": entity, "filename": name, "content": content})
	return a.at("id"), err
}

// newDocument uploads an electronic invoice with a number of its own.
func (w *world) newDocument(ctx context.Context, entity string) (string, error) {
	text, err := example(fmt.Sprintf("C-%d", w.next()), "")
	if err != nil {
		return "", err
	}
	return w.upload(ctx, entity, "invoice.xml", []byte(text))
}

// newInvoice returns an extracted invoice.
func (w *world) newInvoice(ctx context.Context, entity string) (answer, error) {
	document, err := w.newDocument(ctx, entity)
	if err != nil {
		return answer{}, err
	}
	return w.extract(ctx, document)
}

func (w *world) extract(ctx context.Context, document string) (answer, error) {
	return w.do(ctx, "extractInvoice", nil, nil, values{"document_id": document})
}

// freshPair is the second invoice of two with the same number.
func freshPair(ctx context.Context, t *turn) error {
	text, err := example(fmt.Sprintf("D-%d", t.next()), "")
	if err != nil {
		return err
	}
	for i := range 2 {
		document, err := t.upload(ctx, t.entities[0], "pair.xml", []byte(text+strings.Repeat("\n", i)))
		if err != nil {
			return err
		}
		invoice, err := t.extract(ctx, document)
		if err != nil {
			return err
		}
		t.known["$other"], t.known["invoice_id"] = t.known["invoice_id"], invoice.at("id")
	}
	return nil
}

// approval is the body that approves an invoice as it is.
func approval(invoice answer) map[string]any {
	blocking := []string{}
	checks, _ := invoice.value("checks").([]any)
	for _, c := range checks {
		if check, _ := c.(map[string]any); check["severity"] == "BLOCKING" && check["passed"] == false {
			rule, _ := check["rule"].(string)
			blocking = append(blocking, rule)
		}
	}
	return map[string]any{"version": invoice.value("version"), "acknowledge_checks": blocking}
}

func (w *world) approve(ctx context.Context, invoice answer) (answer, error) {
	return w.do(ctx, "approveInvoice", values{"invoice_id": invoice.at("id")}, nil, approval(invoice))
}

// newApproved returns an approved invoice.
func (w *world) newApproved(ctx context.Context, entity string) (answer, error) {
	invoice, err := w.newInvoice(ctx, entity)
	if err != nil {
		return answer{}, err
	}
	return w.approve(ctx, invoice)
}

// ibanOf returns a valid German IBAN, another one for each n. Two suppliers with one
// bank account would be one supplier.
func ibanOf(n int64) string {
	account := fmt.Sprintf("37040044%010d", n)
	rest := new(big.Int)
	rest.SetString(account+"131400", 10) // DE00
	return fmt.Sprintf("DE%02d%s", 98-rest.Mod(rest, big.NewInt(97)).Int64(), account)
}

// newSupplier returns a supplier with its bank account, which the approval of its first invoice creates.
func (w *world) newSupplier(ctx context.Context) (supplier, iban string, err error) {
	n := w.next()
	iban = ibanOf(n)
	text, err := example(fmt.Sprintf("S-%d", n), fmt.Sprintf("Workshop %s", letters(n)))
	if err != nil {
		return "", "", err
	}
	text = strings.ReplaceAll(text, "DE89370400440532013000", iban)
	document, err := w.upload(ctx, w.entities[0], "supplier.xml", []byte(text))
	if err != nil {
		return "", "", err
	}
	invoice, err := w.extract(ctx, document)
	if err != nil {
		return "", "", err
	}
	if _, err = w.approve(ctx, invoice); err != nil {
		return "", "", err
	}
	a, err := w.do(ctx, "getInvoice", values{"invoice_id": invoice.at("id")}, nil, nil)
	if err == nil && a.at("supplier_id") == "" {
		err = errors.New("the approved invoice has no supplier")
	}
	return a.at("supplier_id"), iban, err
}

// letters writes a number with letters, for names that must differ clearly.
func letters(n int64) string {
	names := []string{"Amber", "Birch", "Cedar", "Delta", "Ember", "Fjord", "Grove", "Harbor", "Iris", "Juniper"}
	text := ""
	for ; n > 0; n /= 10 {
		text = names[n%10] + text
	}
	return text
}

// newEntity returns a new entity.
func (w *world) newEntity(ctx context.Context) (string, error) {
	a, err := w.do(ctx, "createEntity", nil, nil, values{"name": fmt.Sprintf("Entity %d", w.next())})
	return a.at("id"), err
}

// newWebhook returns a webhook with a delivery.
func (w *world) newWebhook(ctx context.Context) (webhook, delivery string, err error) {
	a, err := w.do(ctx, "createWebhook", nil, nil, map[string]any{"url": "http://127.0.0.1:1/", "types": []string{"billing.*"}})
	if err != nil {
		return "", "", err
	}
	webhook = a.at("webhook", "id")
	a, err = w.do(ctx, "testWebhook", values{"webhook_id": webhook}, nil, nil)
	return webhook, a.at("id"), err
}

// newKey returns an API key.
func (w *world) newKey(ctx context.Context) (string, error) {
	a, err := w.do(ctx, "createApiKey", nil, nil, map[string]any{"name": "Import", "role": "VIEWER", "entity_ids": w.entities[:1]})
	return a.at("id"), err
}

// newPrinted returns a document with three invoices in one file, which can be split.
func (w *world) newPrinted(ctx context.Context) (string, error) {
	number := fmt.Sprintf("P-%d", w.next())
	file, err := printed(number, number, number)
	if err != nil {
		return "", err
	}
	document, err := w.upload(ctx, w.entities[0], "printed.pdf", file)
	if err != nil {
		return "", err
	}
	// A file with several invoices is refused and split, which the split then changes.
	_, _ = w.extract(ctx, document)
	return document, ctx.Err()
}

// newMergeable returns a printed document of one page that has ended.
func (w *world) newMergeable(ctx context.Context) (string, error) {
	file, err := printed(fmt.Sprintf("P-%d", w.next()))
	if err != nil {
		return "", err
	}
	document, err := w.upload(ctx, w.entities[0], "printed.pdf", file)
	if err != nil {
		return "", err
	}
	_, _ = w.extract(ctx, document) // whether it is an invoice makes no difference
	return document, ctx.Err()
}

// makeInvoices makes documents and an invoice of each status.
func (w *world) makeInvoices(ctx context.Context) (err error) {
	ledger, store := w.connected[ledgers[0]], w.connected[stores[0]]
	if w.supplier, _, err = w.newSupplier(ctx); err != nil {
		return err
	}
	text, err := example("C-attached", "")
	if err != nil {
		return err
	}
	if w.paged, err = w.upload(ctx, store.entity, "attached.xml", []byte(attached(text))); err != nil {
		return err
	}
	if _, err = w.extract(ctx, w.paged); err != nil {
		return err
	}
	document, err := w.newPrinted(ctx)
	if err != nil {
		return err
	}
	w.documents = []string{w.paged, document}
	keep := func(a answer, err error) error {
		if err != nil {
			return err
		}
		w.invoices[a.at("status")] = a.at("id")
		return nil
	}
	if err := keep(w.newInvoice(ctx, ledger.entity)); err != nil {
		return err
	}
	if err := w.needsReview(ctx, keep); err != nil {
		return err
	}
	if err := keep(w.newApproved(ctx, ledger.entity)); err != nil {
		return err
	}
	refused, err := w.newInvoice(ctx, ledger.entity)
	if err != nil {
		return err
	}
	if err := keep(w.do(ctx, "rejectInvoice", values{"invoice_id": refused.at("id")}, nil, values{"reason": "Not ours"})); err != nil {
		return err
	}
	synced, err := w.newApproved(ctx, ledger.entity)
	if err != nil {
		return err
	}
	if err := keep(w.do(ctx, "syncInvoice", values{"invoice_id": synced.at("id")}, nil, nil)); err != nil {
		return err
	}
	if err := w.failSync(ctx, keep); err != nil {
		return err
	}
	for _, status := range statuses {
		if w.invoices[status] == "" {
			return fmt.Errorf("no invoice is %s: %v", status, w.invoices)
		}
	}
	return nil
}

// needsReview makes an invoice with a total that is wrong.
func (w *world) needsReview(ctx context.Context, keep func(answer, error) error) error {
	text, err := example(fmt.Sprintf("C-%d", w.next()), "")
	if err != nil {
		return err
	}
	from := strings.Index(text, "<cbc:PayableAmount")
	to := strings.Index(text, "</cbc:PayableAmount>")
	document, err := w.upload(ctx, w.entities[0], "wrong.xml", []byte(text[:from]+`<cbc:PayableAmount currencyID="EUR">1.00`+text[to:]))
	if err != nil {
		return err
	}
	return keep(w.extract(ctx, document))
}

// failSync makes an invoice that is not synced, because no account is set.
func (w *world) failSync(ctx context.Context, keep func(answer, error) error) error {
	c := w.connected[ledgers[1]]
	invoice, err := w.newApproved(ctx, c.entity)
	if err != nil {
		return err
	}
	if _, err := w.do(ctx, "updateSettings", values{"entity_id": c.entity}, nil, map[string]any{"default_account_id": nil}); err != nil {
		return err
	}
	if err := keep(w.do(ctx, "syncInvoice", values{"invoice_id": invoice.at("id")}, nil, nil)); err != nil {
		return err
	}
	_, err = w.do(ctx, "updateSettings", values{"entity_id": c.entity}, nil, values{"default_account_id": c.account})
	return err
}

// makeCredentials makes an API key and a webhook with a delivery.
func (w *world) makeCredentials(ctx context.Context) (err error) {
	if w.apiKey, err = w.newKey(ctx); err != nil {
		return err
	}
	w.webhook, w.delivery, err = w.newWebhook(ctx)
	return err
}

// entityQuery is the query with an entity alone.
func entityQuery(entity string) url.Values { return url.Values{"entity_id": {entity}} }
