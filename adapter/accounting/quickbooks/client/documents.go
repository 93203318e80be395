package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// Kind is one of the two kinds of documents that a supplier sends.
type Kind struct {
	Entity string // its name in queries and answers
	path   string
}

// The kinds.
var (
	Bills         = &Kind{"Bill", "bill"}
	VendorCredits = &Kind{"VendorCredit", "vendorcredit"}
)

// Document is a bill or vendor credit as the provider shows it.
type Document struct {
	ID           string `json:"Id"`
	DocNumber    string
	TxnDate      string
	VendorRef    Ref
	CurrencyRef  Ref
	TotalAmt     json.Number
	TxnTaxDetail struct{ TotalTax json.Number }
	PrivateNote  string
	MetaData     struct{ CreateTime time.Time }

	Kind *Kind `json:"-"`
}

// NewDocument is what is to be made. Empty fields are left out.
type NewDocument struct {
	Kind *Kind `json:"-"`
	// AllowDuplicate takes a number that the vendor has on another document.
	AllowDuplicate bool `json:"-"`

	VendorRef            Ref    `json:"VendorRef"`
	DocNumber            string `json:"DocNumber,omitempty"`
	TxnDate              string `json:"TxnDate"`
	DueDate              string `json:"DueDate,omitempty"`
	CurrencyRef          *Ref   `json:"CurrencyRef,omitempty"`
	GlobalTaxCalculation string `json:"GlobalTaxCalculation,omitempty"`
	PrivateNote          string `json:"PrivateNote,omitempty"`
	Lines                []Line `json:"Line"`
}

// Line is one line of it.
type Line struct {
	DetailType  string      `json:"DetailType"`
	Amount      json.Number `json:"Amount"`
	Description string      `json:"Description,omitempty"`
	Detail      Detail      `json:"AccountBasedExpenseLineDetail"`
}

// Detail says where a line is booked.
type Detail struct {
	AccountRef Ref  `json:"AccountRef"`
	TaxCodeRef *Ref `json:"TaxCodeRef,omitempty"`
}

// LineType is the DetailType of Detail.
const LineType = "AccountBasedExpenseLineDetail"

// post sends JSON. With a key the provider does it once, and gives its first
// answer again.
func (c *Client) post(ctx context.Context, request call, body any, key string, into any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return &Failure{Doing: request.doing, NotSent: true, cause: err}
	}
	request.header.Set("Content-Type", "application/json")
	request.body = bytes.NewReader(raw)
	if key != "" {
		request.query.Set("requestid", key)
	}
	return c.do(ctx, request, into)
}

// Create makes a document.
func (c *Client) Create(ctx context.Context, a Access, d NewDocument, key string) (Document, error) {
	request := c.api("create "+d.Kind.Entity, http.MethodPost, a, d.Kind.path)
	if d.AllowDuplicate {
		request.query.Set("include", "allowduplicatedocnum")
	}
	var out map[string]json.RawMessage
	if err := c.post(ctx, request, d, key, &out); err != nil {
		return Document{}, err
	}
	return document(request.doing, d.Kind, out)
}

// Document reads one document.
func (c *Client) Document(ctx context.Context, a Access, k *Kind, id string) (Document, error) {
	request := c.api("read "+k.Entity, http.MethodGet, a, k.path, id)
	var out map[string]json.RawMessage
	if err := c.do(ctx, request, &out); err != nil {
		return Document{}, err
	}
	return document(request.doing, k, out)
}

func document(doing string, k *Kind, out map[string]json.RawMessage) (d Document, err error) {
	if json.Unmarshal(out[k.Entity], &d) != nil || d.ID == "" || d.TotalAmt == "" {
		return Document{}, &Failure{Doing: doing, cause: errors.New("the answer has no document")}
	}
	d.Kind = k
	return d, nil
}

// Documents lists documents.
func (c *Client) Documents(ctx context.Context, a Access, k *Kind, conditions ...Condition) ([]Document, error) {
	list, err := query[Document](ctx, c, a, k.Entity, documentsPage, conditions...)
	for i := range list {
		if list[i].ID == "" || list[i].TotalAmt == "" {
			return nil, &Failure{Doing: "list " + k.Entity, cause: errors.New("the list holds what is no document")}
		}
		list[i].Kind = k
	}
	return list, err
}

// NewVendor is a vendor to be made. Empty fields are left out.
type NewVendor struct {
	DisplayName      string   `json:"DisplayName"`
	TaxIdentifier    string   `json:"TaxIdentifier,omitempty"`
	PrimaryEmailAddr *Email   `json:"PrimaryEmailAddr,omitempty"`
	CurrencyRef      *Ref     `json:"CurrencyRef,omitempty"`
	BillAddr         *Address `json:"BillAddr,omitempty"`
}

// Email is an e-mail address.
type Email struct {
	Address string `json:"Address"`
}

// Address is a postal address.
type Address struct {
	Line1                  string `json:"Line1,omitempty"`
	Line2                  string `json:"Line2,omitempty"`
	City                   string `json:"City,omitempty"`
	CountrySubDivisionCode string `json:"CountrySubDivisionCode,omitempty"`
	PostalCode             string `json:"PostalCode,omitempty"`
	Country                string `json:"Country,omitempty"`
}

// CreateVendor makes a vendor.
func (c *Client) CreateVendor(ctx context.Context, a Access, v NewVendor, key string) (Vendor, error) {
	const doing = "create vendor"
	var out struct{ Vendor *Vendor }
	if err := c.post(ctx, c.api(doing, http.MethodPost, a, "vendor"), v, key, &out); err != nil {
		return Vendor{}, err
	}
	if out.Vendor == nil || out.Vendor.ID == "" {
		return Vendor{}, &Failure{Doing: doing, cause: errors.New("the answer has no vendor")}
	}
	return *out.Vendor, nil
}
