package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"docledger/infrastructure/httpclient"
)

// Kind is one of the two kinds of documents that a supplier sends.
type Kind struct{ plural, id, number, document string }

// These are the kinds.
var (
	Bills       = &Kind{"Invoices", "InvoiceID", "InvoiceNumber", "ACCPAY"}
	CreditNotes = &Kind{"CreditNotes", "CreditNoteID", "CreditNoteNumber", "ACCPAYCREDIT"}
)

// Number returns the name of the supplier's number in filters.
func (k *Kind) Number() string { return k.number }

// Holds reports whether a document is of the kind, and not one for a customer. Another check refuses
// a malformed document, so one without a type counts.
func (k *Kind) Holds(d Document) bool { return d.Type == "" || d.Type == k.document }

// Document is a bill or credit note. ID and Number are read from the fields of
// its kind.
type Document struct {
	Kind     *Kind       `json:"-"`
	ID       string      `json:"-"`
	Number   string      `json:"-"`
	Type     string      `json:"Type"`
	Contact  Contact     `json:"Contact"`
	Status   string      `json:"Status"`
	Link     string      `json:"Url"`
	Currency string      `json:"CurrencyCode"`
	Total    json.Number `json:"Total"`
	TotalTax json.Number `json:"TotalTax"`
	Due      json.Number `json:"AmountDue"`       // of a bill
	Credit   json.Number `json:"RemainingCredit"` // of a credit note
	Updated  Time        `json:"UpdatedDateUTC"`
	Lines    []Line      `json:"LineItems"`
	wireIDs
}

type wireIDs struct {
	InvoiceID        string
	InvoiceNumber    string
	CreditNoteID     string
	CreditNoteNumber string
}

// Line is one line of a document. Numbers are pointers because a text line has none.
type Line struct {
	Description string       `json:"Description"`
	Quantity    *json.Number `json:"Quantity,omitempty"`
	UnitAmount  *json.Number `json:"UnitAmount,omitempty"`
	LineAmount  *json.Number `json:"LineAmount,omitempty"`
	AccountID   string       `json:"AccountID,omitempty"`
	TaxType     string       `json:"TaxType,omitempty"`
	TaxAmount   *json.Number `json:"TaxAmount,omitempty"`
}

// NewDocument is a document to create.
type NewDocument struct {
	Kind        *Kind
	ContactID   string
	Number      string
	Date        string // 2026-03-01
	DueDate     string // "" for none
	Currency    string
	AmountTypes string // Exclusive, Inclusive or NoTax
	Status      string
	Link        string // "" for none; credit notes have none
	Lines       []Line
}

// MarshalJSON implements json.Marshaler. It sends only the id of the contact, because the provider
// would update any other contact field.
func (d NewDocument) MarshalJSON() ([]byte, error) {
	out := map[string]any{
		"Type": d.Kind.document, "Contact": map[string]string{"ContactID": d.ContactID}, "Date": d.Date,
		"CurrencyCode": d.Currency, "LineAmountTypes": d.AmountTypes, "Status": d.Status, "LineItems": d.Lines,
		d.Kind.number: d.Number,
	}
	if d.DueDate != "" {
		out["DueDate"] = d.DueDate
	}
	if d.Link != "" {
		out["Url"] = d.Link
	}
	return json.Marshal(out)
}

// Create creates a document, once per key within the provider's time window.
func (c *Client) Create(ctx context.Context, a Access, d NewDocument, key string) (Document, error) {
	doing := "create " + d.Kind.plural
	out := c.accounting(doing, http.MethodPut, a, d.Kind.plural)
	out.Query.Set("unitdp", "4")
	raw, err := c.write(ctx, out, d.Kind.plural, d, key)
	if err != nil {
		return Document{}, err
	}
	return d.Kind.read(doing, raw)
}

// CreateContact creates a contact, once per key within the provider's time window.
func (c *Client) CreateContact(ctx context.Context, a Access, contact Contact, key string) (Contact, error) {
	const doing, plural = "create Contacts", "Contacts"
	raw, err := c.write(ctx, c.accounting(doing, http.MethodPut, a, plural), plural, contact, key)
	if err != nil {
		return Contact{}, err
	}
	var made struct {
		Contact
		wireProblems
	}
	if json.Unmarshal(raw, &made) != nil || made.ID == "" {
		return Contact{}, httpclient.Broken(doing, "the response has no contact")
	}
	return made.Contact, nil
}

// write sends one new object and returns it as the provider stored it.
func (c *Client) write(ctx context.Context, out httpclient.Request, plural string, thing any, key string) (json.RawMessage, error) {
	out, err := out.WithJSON(map[string]any{plural: []any{thing}})
	if err != nil {
		return nil, err
	}
	out.SetHeader("Idempotency-Key", key)
	body := map[string]json.RawMessage{}
	if err := c.do(ctx, out, &body); err != nil {
		return nil, err
	}
	var made []json.RawMessage
	if json.Unmarshal(body[plural], &made) != nil || len(made) != 1 {
		return nil, httpclient.Broken(out.Operation, "the response does not contain the created object")
	}
	var p wireProblems
	if json.Unmarshal(made[0], &p) == nil && (p.HasErrors || p.Status == "ERROR") {
		f := &httpclient.Failure{Operation: out.Operation, Status: http.StatusBadRequest}
		p.addTo(f)
		return nil, c.link.Record(f)
	}
	return made[0], nil
}

// read decodes a document of its kind.
func (k *Kind) read(doing string, raw json.RawMessage) (Document, error) {
	var d Document
	if json.Unmarshal(raw, &d) != nil || !k.complete(&d) {
		return Document{}, httpclient.Broken(doing, "the response has no document")
	}
	return d, nil
}

// complete copies the fields specific to the kind and reports whether the required fields are
// present.
func (k *Kind) complete(d *Document) bool {
	d.Kind, d.ID, d.Number = k, d.InvoiceID, d.InvoiceNumber
	if k == CreditNotes {
		d.ID, d.Number = d.CreditNoteID, d.CreditNoteNumber
	}
	return IsID(d.ID) && d.Total != "" && d.Status != ""
}

// Document returns one document.
func (c *Client) Document(ctx context.Context, a Access, k *Kind, id string) (Document, error) {
	doing := "read " + k.plural
	body := map[string]json.RawMessage{}
	if err := c.do(ctx, c.accounting(doing, http.MethodGet, a, k.plural, id), &body); err != nil {
		return Document{}, err
	}
	var list []json.RawMessage
	if json.Unmarshal(body[k.plural], &list) != nil || len(list) != 1 {
		return Document{}, httpclient.Broken(doing, "the response has no document")
	}
	return k.read(doing, list[0])
}

// Documents lists the documents of a kind that match a filter, with their lines, ordered by last
// change, oldest first. It omits sales invoices and credit notes to customers, which share the
// address of a kind.
func (c *Client) Documents(ctx context.Context, a Access, k *Kind, where string) ([]Document, error) {
	q := url.Values{"where": {fmt.Sprintf(`Type=="%s" AND %s`, k.document, where)}, "order": {"UpdatedDateUTC ASC"}}
	out, err := pages(ctx, c, a, k.plural, q, documentsPage, func(d Document) string { return d.InvoiceID + d.CreditNoteID })
	if err != nil {
		return nil, err
	}
	out = slices.DeleteFunc(out, func(d Document) bool { return !k.Holds(d) })
	for i := range out {
		if !k.complete(&out[i]) {
			return nil, httpclient.Broken("list "+k.plural, "the response has no document")
		}
	}
	return out, nil
}
