package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docledger/test/lib/harness"
	"docledger/test/suites/assistant"
)

// corpus is an optional folder of real documents with their expected values in expected.json.
var corpus = filepath.Join("..", "..", "..", "shared", "corpus")

// known is a document and what reading it must give; "" is for what it does not
// state.
type known struct {
	name                                    string
	content                                 []byte
	number, currency, seller, gross, issued string
}

// documents are some of each sort of the corpus, small enough for a message.
func documents(t *testing.T) []known {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(corpus, "expected.json"))
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("THE CORPUS IS NOT HERE: no real invoice went through the tools; it belongs into %s", corpus)
	}
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Files []struct {
			File, Category, Outcome string
			Bytes                   int
			Expected                struct {
				Number   string `json:"invoice_number"`
				Currency string
				Seller   string `json:"seller_name"`
				Gross    string `json:"gross_total"`
				Issued   string `json:"issue_date"`
			}
		}
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	const each, most = 4, 600 << 10
	taken := map[string]int{}
	var out []known
	for _, f := range all.Files {
		sort := f.Category == "ubl" || f.Category == "cii" || f.Category == "hybrid"
		if !sort || f.Outcome != "extract" || f.Bytes > most || taken[f.Category] == each {
			continue
		}
		taken[f.Category]++
		content, err := os.ReadFile(filepath.Join(corpus, f.File))
		if err != nil {
			t.Fatal(err)
		}
		e := f.Expected
		out = append(out, known{filepath.Base(f.File), content, e.Number, e.Currency, e.Seller, e.Gross, e.Issued})
	}
	if len(out) < 2*each {
		t.Fatalf("the corpus has only %d such documents", len(out))
	}
	return out
}

// TestInvoicesThroughToolsAlone has an assistant sign in to the sandbox, upload
// invoices, have them read and read them back, and never use anything else.
func TestInvoicesThroughToolsAlone(t *testing.T) {
	s := start(t, options{dataDir: t.TempDir(), environment: "deployed", autoApprove: true})
	t.Cleanup(s.stop)
	session, err := assistant.Connect(t.Context(), s.env["MCP_URL"], assistant.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	t.Run("our own", func(t *testing.T) {
		readBack(t, session, known{"own.xml", harness.UBL("OWN-1"), "OWN-1", "EUR", "Société Générique", "119.00", "2026-01-15"})
	})
	t.Run("the corpus", func(t *testing.T) {
		for _, d := range documents(t) {
			t.Run(d.name, func(t *testing.T) { readBack(t, session, d) })
		}
	})
	if session.SignIns() != 1 {
		t.Errorf("the person signed in %d times", session.SignIns())
	}
}

func readBack(t *testing.T, session *assistant.Session, d known) {
	t.Helper()
	call := func(tool string, arguments map[string]any) map[string]any {
		t.Helper()
		answer, err := session.Call(t.Context(), tool, arguments)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	entity := call("list_entities", nil)["items"].([]any)[0].(map[string]any)["id"]
	document := call("upload_document", map[string]any{"entity_id": entity, "filename": d.name, "content": base64.StdEncoding.EncodeToString(d.content)})
	extracted := call("extract_invoice", map[string]any{"document_id": document["id"]})
	read := call("get_invoice", map[string]any{"invoice_id": extracted["id"]})
	seller, _ := read["seller"].(map[string]any)
	for what, c := range map[string]struct {
		got  any
		want string
	}{
		"number": {read["invoice_number"], d.number}, "currency": {read["currency"], d.currency}, "issue date": {read["issue_date"], d.issued},
		"seller": {seller["name"], d.seller}, "total": {read["gross_total"], d.gross},
	} {
		if got, _ := c.got.(string); !same(got, c.want) {
			t.Errorf("the %s is %q, want %q", what, got, c.want)
		}
	}
	shown := call("list_invoices", map[string]any{"limit": 1, "fields": []string{"id", "invoice_number"}})["items"].([]any)[0]
	if shown := shown.(map[string]any); shown["id"] != extracted["id"] || fmt.Sprint(shown["invoice_number"]) != fmt.Sprint(read["invoice_number"]) {
		t.Errorf("the list shows %v first", shown)
	}
}

// same compares texts as people read them, and amounts as numbers.
func same(got, want string) bool {
	a, ok1 := new(big.Rat).SetString(got)
	b, ok2 := new(big.Rat).SetString(want)
	if ok1 && ok2 {
		return a.Cmp(b) == 0
	}
	return strings.EqualFold(strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(want), " "))
}
