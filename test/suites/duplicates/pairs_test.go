// Package duplicates measures the search for duplicates with generated files and records.
package duplicates

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"docledger/adapter/extract"
	"docledger/adapter/extract/worker"
	"docledger/adapter/store"
	"docledger/domain/calendar"
	"docledger/domain/document"
	"docledger/domain/duplicate"
	"docledger/domain/entity"
	"docledger/domain/extraction"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/money"
	"docledger/domain/organization"
	"docledger/infrastructure/database"
	"docledger/test/lib/generator"
	"docledger/test/lib/sqlite"

	"github.com/google/uuid"
)

func TestMain(m *testing.M) {
	worker.ServeIfChild()
	os.Exit(m.Run())
}

// bench is a store with one organization of two entities, and the pipeline that reads files.
type bench struct {
	t        *testing.T
	store    *store.Store
	pipeline *extract.Pipeline
	scope    identity.Scope
	entities []uuid.UUID
	draw     *rand.Rand
	now      time.Time
}

func newBench(t *testing.T, seed uint64) *bench {
	t.Helper()
	db, err := database.Open(t.Context(), database.Config{URL: sqlite.New(t)})
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	st, err := store.New(t.Context(), db.Gorm, store.Options{})
	must(t, err)
	b := &bench{
		t: t, store: st, pipeline: extract.New(extract.Options{}), draw: rand.New(rand.NewPCG(seed, 1)), now: generator.Now,
	}
	t.Cleanup(func() { must(t, b.pipeline.Close()) })
	o := &organization.Organization{ID: newID(), Name: "Duplicates", CreatedAt: b.now, UpdatedAt: b.now}
	must(t, st.Organizations().Add(t.Context(), o))
	b.scope = identity.Scope{OrganizationID: o.ID}
	for range 2 {
		e := &entity.Entity{
			ID: newID(), OrganizationID: o.ID, Name: "Entity", Access: entity.AccessOrganization, DefaultRole: identity.Approver,
			Version: 1, CreatedAt: b.now, UpdatedAt: b.now,
		}
		must(t, st.Entities().Add(t.Context(), e))
		b.entities = append(b.entities, e.ID)
	}
	return b
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// read extracts a file as an upload would.
func (b *bench) read(name string, data []byte) (*invoice.Invoice, error) {
	path := filepath.Join(b.t.TempDir(), "blob")
	must(b.t, os.WriteFile(path, data, 0o600))
	result, err := b.pipeline.Read(b.t.Context(), extraction.Source{Name: name, Path: path, Size: int64(len(data))})
	if err != nil {
		return nil, err
	}
	d := result.Drafts[0]
	return &invoice.Invoice{Status: invoice.Extracted, Content: d.Content, Fields: d.Fields, Extraction: invoice.Extraction{Method: result.Method}}, nil
}

// keep stores an invoice with its document in an entity.
func (b *bench) keep(inv *invoice.Invoice, entity uuid.UUID, data []byte) {
	d := &document.Document{
		ID: newID(), EntityID: entity, OrganizationID: b.scope.OrganizationID, Filename: "invoice", MediaType: "application/pdf",
		SizeBytes: int64(len(data)) + 1, SHA256: hash(data), Origin: document.FromUpload, Status: document.Extracted, Version: 1,
		CreatedAt: b.now, UpdatedAt: b.now,
	}
	existing, err := b.store.Documents().Add(b.t.Context(), d)
	must(b.t, err)
	if existing != nil {
		b.t.Fatal("two documents have the same bytes")
	}
	inv.ID, inv.DocumentID, inv.EntityID, inv.OrganizationID = newID(), d.ID, entity, d.OrganizationID
	inv.Version, inv.CreatedAt, inv.UpdatedAt = 1, b.now, b.now
	must(b.t, b.store.Invoices().Add(b.t.Context(), inv))
}

func hash(data []byte) string {
	if data == nil {
		data = []byte(uuid.NewString())
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// found reports by which rule the store finds the first invoice for the second one, or "".
func (b *bench) found(first, second *invoice.Invoice, data []byte) (rule invoice.DuplicateRule) {
	second.ID, second.EntityID, second.OrganizationID = newID(), b.entities[b.draw.IntN(2)], b.scope.OrganizationID
	must(b.t, b.store.InTx(b.t.Context(), func(ctx context.Context) error {
		found, err := duplicate.Find(ctx, b.store.Duplicates(), second, hash(data))
		for _, m := range found.Open {
			if m.InvoiceID == first.ID {
				rule = m.Rule
			}
		}
		return err
	}))
	return rule
}

// base returns a printed document that the generator made, with a tax total.
func (b *bench) base() (*generator.Document, []byte) {
	for {
		d := generator.New(b.draw.Uint64(), generator.None)
		if d.Truth.Twists.Gross || d.Truth.Twists.NoTax || d.Truth.Twists.Many {
			continue
		}
		d.Truth.Gross = d.Truth.Gross.Abs()
		if data, ok := d.PDF(); ok {
			return d, data
		}
	}
}

// TestGeneratedPairsAndDecoys: of 1,000 pairs 99 % are found, and of 1,000 decoys 1 % are flagged. The
// files of the pairs are extracted as uploads are.
func TestGeneratedPairsAndDecoys(t *testing.T) {
	t.Parallel()
	n, seed := 1000, rand.Uint64()
	if text := os.Getenv("DOCLEDGER_DUPLICATES"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		must(t, err)
	}
	if text := os.Getenv("DOCLEDGER_DUPLICATES_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		must(t, err)
	}
	t.Logf("seed %d (DOCLEDGER_DUPLICATES_SEED repeats it)", seed)
	b := newBench(t, seed)
	hits, rules := 0, map[string]int{}
	for i := range n {
		kind, rule := b.pair(i)
		rules[fmt.Sprintf("pair %s: %s", kind, rule)]++
		if rule != "" {
			hits++
		}
	}
	flagged := 0
	for i := range n {
		kind, rule := b.decoy(i)
		rules[fmt.Sprintf("decoy %s: %s", kind, rule)]++
		if rule != "" {
			flagged++
		}
	}
	for _, key := range slices.Sorted(maps.Keys(rules)) {
		t.Logf("%s %d", key, rules[key])
	}
	t.Logf("found %d of %d pairs, flagged %d of %d decoys", hits, n, flagged, n)
	if hits*100 < n*99 || flagged*100 > n {
		t.Errorf("found %d of %d pairs, flagged %d of %d decoys (seed %d)", hits, n, flagged, n, seed)
	}
}

func (b *bench) pair(i int) (kind string, rule invoice.DuplicateRule) {
	d, pdf := b.base()
	xml := ublOf(&d.Truth)
	here, there := b.entities[0], b.entities[b.draw.IntN(2)]
	first, err := b.read("a.xml", xml)
	must(b.t, err)
	switch i % 6 {
	case 0:
		b.keep(first, here, xml)
		second, err := b.read("a.pdf", pdf)
		if err != nil {
			return "XML and print", ""
		}
		return "XML and print", b.found(first, second, pdf)
	case 1:
		printed, err := b.read("a.pdf", pdf)
		if err != nil {
			return "print and rescan", ""
		}
		b.keep(printed, here, pdf)
		return "print and rescan", b.found(printed, b.rescan(printed), nil)
	case 2:
		b.keep(first, here, xml)
		return "XML and rescan", b.found(first, b.rescan(first), nil)
	case 3:
		b.keep(first, here, xml)
		second := *first
		second.Number = b.variant(first.Number)
		return "variant of the number", b.found(first, &second, nil)
	case 4: // the same file in another entity; a changed date keeps the other rules out
		b.keep(first, here, xml)
		second := *first
		second.IssueDate = calendar.Date{}
		second.Number = ""
		return "other entity", b.found(first, &second, xml)
	}
	b.keep(first, there, xml)
	again := append(bytes.ReplaceAll(xml, []byte("\n"), []byte("\r\n")), '\n') // as a mail program stores it
	second, err := b.read("b.xml", again)
	must(b.t, err)
	return "other channel", b.found(first, second, again)
}

// variant writes a number as another program or person would.
func (b *bench) variant(number string) string {
	switch b.draw.IntN(4) {
	case 0:
		return strings.ToLower(number)
	case 1:
		return strings.NewReplacer("-", " ", "/", ".", " ", "").Replace(number)
	case 2:
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune("-/. ", r) {
				return -1
			}
			return r
		}, number)
	}
	return "  " + strings.Join(strings.Fields(number), "  ") + " "
}

// confusions are characters that character recognition takes for others.
var confusions = map[rune]rune{
	'0': 'O', '1': 'l', '5': 'S', '8': 'B', '2': 'Z', 'O': '0', 'l': '1', 'I': '1', 'i': 'l', 'e': 'c', '6': '8', '3': '8', '9': '4', '7': '1',
	'S': '5', 'B': '8', 'a': 'o', 'n': 'r', 'r': 'n', 'E': 'F', 'R': 'P',
}

// misread replaces one character as character recognition would.
func (b *bench) misread(s string) string {
	runes := []rune(s)
	at := b.draw.IntN(max(len(runes), 1))
	for k := range runes {
		if c, ok := confusions[runes[(at+k)%len(runes)]]; ok {
			runes[(at+k)%len(runes)] = c
			break
		}
	}
	return string(runes)
}

// rescan returns the record of a second scan. Each value is misread in a part of the scans.
func (b *bench) rescan(first *invoice.Invoice) *invoice.Invoice {
	second := *first
	second.Extraction.Method = invoice.Text
	second.Fields = maps.Clone(first.Fields)
	if second.Fields == nil {
		second.Fields = map[string]invoice.Evidence{}
	}
	second.Fields["invoice_number"] = invoice.Evidence{Source: invoice.FromOCR, Confidence: 0.9}
	chance := func(n int) bool { return b.draw.IntN(n) == 0 }
	if chance(2) {
		second.Number = b.misread(first.Number)
	}
	if chance(4) {
		second.Seller.Name = b.misread(first.Seller.Name)
	}
	if chance(4) {
		second.Seller.TaxID = b.misread(first.Seller.TaxID)
	}
	if chance(4) {
		second.Payment.IBAN = b.misread(first.Payment.IBAN)
	}
	if chance(20) {
		second.Payment.IBAN = ""
	}
	return &second
}

func (b *bench) decoy(i int) (kind string, rule invoice.DuplicateRule) {
	d, _ := b.base()
	first, err := b.read("a.xml", ublOf(&d.Truth))
	must(b.t, err)
	first.Number = fmt.Sprintf("%s%05d", []string{"RE-", "2026/", "R"}[b.draw.IntN(3)], 100+b.draw.IntN(80000))
	second := *first
	next := func(by int) string {
		cut := len(first.Number) - 5
		n, err := strconv.Atoi(first.Number[cut:])
		must(b.t, err)
		return fmt.Sprintf("%s%05d", first.Number[:cut], n+by)
	}
	switch i % 5 {
	case 0:
		kind = "yearly restart"
		second.IssueDate = calendar.Of(first.IssueDate.Time().AddDate(-1, 0, 0))
		if b.draw.IntN(2) == 0 {
			total := first.GrossTotal.Add(money.FromInt(7))
			second.GrossTotal = &total
		}
	case 1:
		kind = "rent"
		second.Number, second.IssueDate = next(1+b.draw.IntN(40)), calendar.Of(first.IssueDate.Time().AddDate(0, 1, 0))
	case 2:
		kind = "instalments"
		second.IssueDate = first.IssueDate.AddDays(14 + b.draw.IntN(60))
		first.Number, second.Number = first.Number+"-1", first.Number+"-2"
	case 3:
		kind = "consecutive equal invoices"
		second.Number = next(1 + b.draw.IntN(9))
	case 4:
		kind = "series of equal invoices"
		b.keep(first, b.entities[0], nil)
		for k := 1; k < 30; k++ {
			between := *first
			between.Number = next(k)
			b.keep(&between, b.entities[0], nil)
		}
		second.Number = next(30)
		return kind, b.found(first, &second, nil)
	}
	b.keep(first, b.entities[0], nil)
	return kind, b.found(first, &second, nil)
}

// ublOf writes the electronic form of a printed document.
func ublOf(t *generator.Truth) []byte {
	code, root := "380", "Invoice"
	if t.Twists.Credit {
		code, root = "381", "CreditNote"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>
<%[1]s xmlns="urn:oasis:names:specification:ubl:schema:xsd:%[1]s-2"
 xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
 xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
 <cbc:ID>%[2]s</cbc:ID><cbc:IssueDate>%[3]s</cbc:IssueDate><cbc:%[1]sTypeCode>%[4]s</cbc:%[1]sTypeCode>
 <cbc:DocumentCurrencyCode>%[5]s</cbc:DocumentCurrencyCode>
`, root, escaped(t.Number), t.IssueDate, code, t.Currency)
	fmt.Fprintf(&b, ` <cac:AccountingSupplierParty><cac:Party>
  <cac:PartyTaxScheme><cbc:CompanyID>%s</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>
  <cac:PartyLegalEntity><cbc:RegistrationName>%s</cbc:RegistrationName></cac:PartyLegalEntity></cac:Party></cac:AccountingSupplierParty>
 <cac:AccountingCustomerParty><cac:Party><cac:PartyLegalEntity><cbc:RegistrationName>%s</cbc:RegistrationName></cac:PartyLegalEntity></cac:Party></cac:AccountingCustomerParty>
 <cac:PaymentMeans><cbc:PaymentMeansCode>58</cbc:PaymentMeansCode><cac:PayeeFinancialAccount><cbc:ID>%s</cbc:ID></cac:PayeeFinancialAccount></cac:PaymentMeans>
`, escaped(t.Seller.TaxID), escaped(t.Seller.Name), escaped(t.Buyer.Name), t.IBAN)
	fmt.Fprintf(&b, ` <cac:TaxTotal><cbc:TaxAmount currencyID="%[1]s">%[2]s</cbc:TaxAmount></cac:TaxTotal>
 <cac:LegalMonetaryTotal><cbc:TaxExclusiveAmount currencyID="%[1]s">%[3]s</cbc:TaxExclusiveAmount>
  <cbc:TaxInclusiveAmount currencyID="%[1]s">%[4]s</cbc:TaxInclusiveAmount><cbc:PayableAmount currencyID="%[1]s">%[4]s</cbc:PayableAmount></cac:LegalMonetaryTotal>
</%[5]s>`, t.Currency, t.Tax.Abs(), t.Net.Abs(), t.Gross.Abs(), root)
	return b.Bytes()
}

func escaped(s string) string { return strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(s) }
