package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"docledger/infrastructure/httpclient"
)

// Kind is one of the two kinds of documents that a supplier sends.
type Kind struct {
	Entity string // its name in queries and responses
	path   string
}

// These are the kinds.
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
	Lines        []Line `json:"Line"`

	Kind *Kind `json:"-"`
}

// NewDocument is a document to create. Empty fields are omitted.
type NewDocument struct {
	Kind *Kind `json:"-"`
	// AllowDuplicate permits a number that another document of the vendor has.
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

// Line is one line of a document.
type Line struct {
	DetailType  string      `json:"DetailType"`
	Amount      json.Number `json:"Amount"`
	Description string      `json:"Description,omitempty"`
	Detail      Detail      `json:"AccountBasedExpenseLineDetail"`
}

// Detail holds the account and tax code of a line.
type Detail struct {
	AccountRef Ref  `json:"AccountRef"`
	TaxCodeRef *Ref `json:"TaxCodeRef,omitempty"`
}

// LineType is the DetailType of Detail.
const LineType = "AccountBasedExpenseLineDetail"

// post sends JSON. With a key, the provider executes the request once and repeats its first
// response.
func (c *Client) post(ctx context.Context, request httpclient.Request, body any, key string, into any) error {
	request, err := request.WithJSON(body)
	if err != nil {
		return err
	}
	if key != "" {
		request.Query.Set("requestid", key)
	}
	return c.do(ctx, request, into)
}

// Create creates a document.
func (c *Client) Create(ctx context.Context, a Access, d NewDocument, key string) (Document, error) {
	request := c.request("create "+d.Kind.Entity, http.MethodPost, a, d.Kind.path)
	if d.AllowDuplicate {
		request.Query.Set("include", "allowduplicatedocnum")
	}
	var out map[string]json.RawMessage
	if err := c.post(ctx, request, d, key, &out); err != nil {
		return Document{}, err
	}
	return document(request.Operation, d.Kind, out)
}

// Document reads one document.
func (c *Client) Document(ctx context.Context, a Access, k *Kind, id string) (Document, error) {
	request := c.request("read "+k.Entity, http.MethodGet, a, k.path, id)
	var out map[string]json.RawMessage
	if err := c.do(ctx, request, &out); err != nil {
		return Document{}, err
	}
	return document(request.Operation, k, out)
}

func document(doing string, k *Kind, out map[string]json.RawMessage) (d Document, err error) {
	if json.Unmarshal(out[k.Entity], &d) != nil || d.ID == "" || d.TotalAmt == "" {
		return Document{}, httpclient.Broken(doing, "the response has no document")
	}
	d.Kind = k
	return d, nil
}

// Documents lists the documents that keep returns true for. It has one page of the others in memory
// at a time.
func (c *Client) Documents(ctx context.Context, a Access, k *Kind, keep func(*Document) bool, conditions ...Condition) ([]Document, error) {
	var kept []Document
	err := eachPage(ctx, c, a, k.Entity, documentsPage, conditions, func(rows []Document) error {
		for i := range rows {
			if rows[i].ID == "" || rows[i].TotalAmt == "" {
				return httpclient.Broken("list "+k.Entity, "the list contains an element that is not a document")
			}
			if keep(&rows[i]) {
				rows[i].Kind = k
				kept = append(kept, rows[i])
			}
		}
		return nil
	})
	return kept, err
}

// NewVendor is a vendor to create. Empty fields are omitted.
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

// CreateVendor creates a vendor.
func (c *Client) CreateVendor(ctx context.Context, a Access, v NewVendor, key string) (Vendor, error) {
	const doing = "create vendor"
	var out struct{ Vendor *Vendor }
	if err := c.post(ctx, c.request(doing, http.MethodPost, a, "vendor"), v, key, &out); err != nil {
		return Vendor{}, err
	}
	if out.Vendor == nil || out.Vendor.ID == "" {
		return Vendor{}, httpclient.Broken(doing, "the response has no vendor")
	}
	return *out.Vendor, nil
}
