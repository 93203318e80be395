package duplicate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
)

func record(number, date, gross string) Record {
	day, err := calendar.Parse(date)
	if err != nil {
		panic(err)
	}
	total := money.MustParse(gross)
	return Record{
		InvoiceID: uuid.New(), Type: invoice.TypeInvoice, Number: number, IssueDate: day, Gross: &total, Currency: "EUR",
		TaxID: "DE136695976", IBAN: "DE89370400440532013000", Name: "Nordwind Handel GmbH", Structured: true,
	}
}

func with(r Record, change func(*Record)) Record {
	change(&r)
	return r
}

func TestFoldNumber(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"RE-2026/0042", "re 2026-42", "RE.2026.042", "RE2026 42"}, {"000", "0", "00"}, {"0042", "42"}, {"A0", "a-0", "A00"},
	} {
		for _, n := range same[1:] {
			if FoldNumber(n) != FoldNumber(same[0]) {
				t.Errorf("%q is %q, %q is %q", n, FoldNumber(n), same[0], FoldNumber(same[0]))
			}
		}
	}
	for _, n := range []string{"100", "10", "1"} {
		if FoldNumber(n) != n {
			t.Errorf("%q is %q", n, FoldNumber(n))
		}
	}
}

func TestNumbersOfASeries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		near bool
	}{
		{"1001/2026", "1002/2026", false}, {"RE-1", "RE-10", false}, {"RE-7A", "RE-7B", false}, {"RE-99", "RE-100", false},
		{"RE-7A", "RF-7A", true}, {"RE-2025-7", "RE-2026-7", true}, {"RE-1001", "RE-1001-1", true}, {"RE-0O42", "RE-0042", true},
		{"RE-1001", "RE-2002", false},
	} {
		a, b := record(c.a, "2026-03-10", "119.00"), record(c.b, "2026-03-10", "119.00")
		if got := Compare(a, b) == invoice.NearNumber; got != c.near {
			t.Errorf("%s and %s: near is %t", c.a, c.b, got)
		}
	}
	first, last := record("RE-1001", "2026-03-10", "119.00"), record("RE-1199", "2026-03-10", "119.00")
	if between := record("RE-1100", "2026-03-10", "119.00"); linked(first, last, nil) || !linked(first, last, []Record{last, between, first}) {
		t.Error("the records between two records do not decide about their series")
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	a := record("RE-1001", "2026-03-10", "119.00")
	for name, c := range map[string]struct {
		b    Record
		want invoice.DuplicateRule
	}{
		"same number":               {record("re 1001", "2026-03-10", "119.00"), invoice.SameNumber},
		"other date and total":      {record("RE-1001", "2026-11-10", "120.00"), invoice.SameNumber},
		"within 90 days":            {record("RE-1001", "2025-12-20", "119.00"), invoice.SameNumber},
		"yearly restart":            {record("RE-1001", "2025-03-10", "119.00"), ""},
		"recurring":                 {record("RE-1002", "2026-04-10", "119.00"), ""},
		"consecutive":               {record("RE-1002", "2026-03-10", "119.00"), ""},
		"consecutive, scanned":      {with(record("RE-1002", "2026-03-10", "119.00"), func(r *Record) { r.Inexact = true }), invoice.NearNumber},
		"one other character":       {record("RF-1001", "2026-03-10", "119.00"), invoice.NearNumber},
		"one digit far away":        {record("RE-1901", "2026-03-10", "119.00"), invoice.NearNumber},
		"a digit is missing":        {record("RE-101", "2026-03-10", "119.00"), invoice.NearNumber},
		"no separators":             {record("RE1001", "2026-03-10", "119.00"), invoice.SameNumber},
		"contained":                 {record("1001", "2026-03-10", "119.00"), invoice.NearNumber},
		"missing number":            {record("", "2026-03-10", "119.00"), invoice.NearNumber},
		"other form":                {with(record("RE-1001", "2026-03-10", "119.00"), func(r *Record) { r.Structured = false }), invoice.SameInvoiceOtherForm},
		"credit note":               {with(record("RE-1001", "2026-03-10", "119.00"), func(r *Record) { r.Type = invoice.TypeCreditNote }), ""},
		"other supplier":            {with(record("RE-1001", "2026-03-10", "119.00"), func(r *Record) { r.TaxID = "DE129273398" }), ""},
		"misread tax identifier":    {with(record("RE-1001", "2026-03-10", "119.00"), func(r *Record) { r.TaxID = "DE136695970" }), invoice.SameNumber},
		"only the name, misread":    {with(record("RE-1001", "2026-03-10", "119.00"), func(r *Record) { r.TaxID, r.IBAN, r.Name = "", "", "Nordwlnd Handel GmbH" }), invoice.SameNumber},
		"same bytes":                {with(record("X", "2020-03-10", "1.00"), func(r *Record) { r.Bytes = "abc" }), invoice.SameBytes},
		"tax identifier, no prefix": {with(record("RE-1001", "2026-05-10", "1.00"), func(r *Record) { r.TaxID, r.IBAN, r.Name = "136695976", "", "" }), invoice.SameNumber},
	} {
		if c.b.Bytes != "" {
			x := a
			x.Bytes = c.b.Bytes
			if got := Compare(x, c.b); got != c.want {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
			continue
		}
		if got, back := Compare(a, c.b), Compare(c.b, a); got != c.want || back != c.want {
			t.Errorf("%s: %q and %q, want %q", name, got, back, c.want)
		}
	}
}

// TestGeneratedPairs holds the rules to D7's figures: of 1,000 pairs 99 % are found, of 1,000 decoys
// 1 % are flagged.
func TestGeneratedPairs(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 7))
	const n = 1000
	found, flagged := 0, 0
	for i := range n {
		a, b := pair(rng, i)
		if Compare(a, b) != "" {
			found++
		} else {
			t.Logf("missed: %+v and %+v", a, b)
		}
		a, b = decoy(rng, i)
		if rule := Compare(a, b); rule != "" {
			flagged++
			t.Logf("flagged by %s: %+v and %+v", rule, a, b)
		}
	}
	t.Logf("found %d of %d pairs, flagged %d of %d decoys", found, n, flagged, n)
	if found < n*99/100 || flagged > n/100 {
		t.Errorf("found %d of %d pairs, flagged %d of %d decoys (seed %d)", found, n, flagged, n, seed)
	}
}

func generated(rng *rand.Rand) Record {
	formats := []string{"RE-%d-%05d", "INV/%d/%04d", "%d%06d", "F %d-%d", "%d.%05d"}
	day := calendar.Of(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).AddDays(rng.IntN(300))
	total := money.MustParse(fmt.Sprintf("%d.%02d", 10+rng.IntN(9000), rng.IntN(100)))
	r := Record{
		InvoiceID: uuid.New(), EntityID: uuid.New(), Type: invoice.TypeInvoice, IssueDate: day, Gross: &total, Currency: "EUR",
		Number:     fmt.Sprintf(formats[rng.IntN(len(formats))], 2026, 1+rng.IntN(9999)),
		Name:       fmt.Sprintf("%s %s GmbH", []string{"Nordwind", "Kaufhaus", "Telemax", "Papier"}[rng.IntN(4)], []string{"Handel", "Logistik", "Service"}[rng.IntN(3)]),
		IBAN:       fmt.Sprintf("DE%020d", rng.Int64N(1e18)),
		Structured: rng.IntN(2) == 0,
	}
	if rng.IntN(3) > 0 {
		r.TaxID = fmt.Sprintf("DE%09d", rng.IntN(1e9))
	}
	return r
}

// misreadOne replaces one character by one that character recognition confuses with it.
func misreadOne(rng *rand.Rand, s string) string {
	confused := map[byte]byte{'0': 'O', '1': 'l', '5': 'S', '8': 'B', '2': 'Z', 'O': '0', 'l': 'I', 'i': 'l', 'e': 'c', '6': '8', '3': '8', '9': '4'}
	at := rng.IntN(max(len(s), 1))
	for k := range len(s) {
		i := (at + k) % len(s)
		if c, ok := confused[s[i]]; ok {
			return s[:i] + string(c) + s[i+1:]
		}
	}
	return s
}

func pair(rng *rand.Rand, i int) (Record, Record) {
	a := generated(rng)
	b := a
	b.InvoiceID, b.EntityID = uuid.New(), []uuid.UUID{a.EntityID, uuid.New()}[rng.IntN(2)]
	switch i % 6 {
	case 0: // the electronic and the printed form
		b.Structured = !a.Structured
	case 1: // a variant of the number
		b.Number = strings.NewReplacer("-", " ", "/", "-", ".", "/").Replace(strings.ToLower(a.Number))
	case 2, 3: // a second scan with one or two misread values
		b.Structured, b.Inexact = false, true
		b.Number = misreadOne(rng, a.Number)
		if rng.IntN(2) == 0 {
			b.Name = misreadOne(rng, a.Name)
		} else {
			b.IBAN = misreadOne(rng, a.IBAN)
		}
	case 4: // another date or total
		total := a.Gross.Add(money.MustParse("1.00"))
		b.Gross, b.IssueDate = &total, a.IssueDate.AddDays(rng.IntN(20))
	case 5: // the same bytes by another channel
		a.Bytes = "bytes"
		b.Bytes = a.Bytes
	}
	return a, b
}

func decoy(rng *rand.Rand, i int) (Record, Record) {
	a := generated(rng)
	a.Number = fmt.Sprintf("RE-%05d", 100+rng.IntN(90000))
	a.Structured = true
	b := a
	b.InvoiceID = uuid.New()
	switch i % 4 {
	case 0: // the numbers restart each year
		b.IssueDate = calendar.Of(a.IssueDate.Time().AddDate(-1, 0, 0))
	case 1: // rent, month by month
		b.Number, b.IssueDate = fmt.Sprintf("RE-%05d", 100+rng.IntN(90000)), a.IssueDate.AddDays(30)
	case 2: // instalments
		b.Number, b.IssueDate = a.Number+"-2", a.IssueDate.AddDays(14)
	case 3: // consecutive equal invoices of one day
		var n int
		if _, err := fmt.Sscanf(a.Number, "RE-%d", &n); err != nil {
			panic(err)
		}
		b.Number = fmt.Sprintf("RE-%05d", n+1+rng.IntN(3))
	}
	return a, b
}
