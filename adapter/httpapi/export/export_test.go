package export_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"docledger/adapter/httpapi/export"
	"docledger/domain/document"
	"docledger/domain/fault"
	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
)

func amount(text string) *money.Decimal {
	d := money.MustParse(text)
	return &d
}

// each passes invoices one at a time.
func each(invoices ...invoice.Exported) func(func([]invoice.Exported) error) error {
	return func(visit func([]invoice.Exported) error) error {
		for _, e := range invoices {
			if err := visit([]invoice.Exported{e}); err != nil {
				return err
			}
		}
		return nil
	}
}

func written(t *testing.T, e export.Export) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := e.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// table reads CSV by the names of its columns.
func table(t *testing.T, data []byte, comma rune) []map[string]string {
	t.Helper()
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma = comma
	all, err := r.ReadAll()
	if err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	var out []map[string]string
	for _, line := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = line[i]
		}
		out = append(out, row)
	}
	return out
}

// TestFormulas verifies that no text of a document begins a formula.
func TestFormulas(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                           "",
		"Acme":                       "Acme",
		"R-2026/1":                   "R-2026/1",
		"=cmd|' /C calc'!A0":         "'=cmd|' /C calc'!A0",
		"+1":                         "'+1",
		"-5":                         "'-5",
		"@SUM(A1)":                   "'@SUM(A1)",
		"\t=1":                       "'\t'=1",
		"\r=1":                       "'\n'=1",
		"\n=1":                       "'\n'=1",
		"\tplain":                    "'\tplain",
		"  =1":                       "'  =1",
		"\u00a0=1":                   "'\u00a0=1",
		"\ufeff=1":                   "'\ufeff=1",
		"\u200b+1":                   "'\u200b+1",
		"＝1":                         "'＝1",
		"＋1":                         "'＋1",
		"－1":                         "'－1",
		"＠A":                         "'＠A",
		`=HYPERLINK("http://x","y")`: `'=HYPERLINK("http://x","y")`,
		"a,\"b\";c":                  "a,\"b\";c",
		"two\nlines":                 "two\nlines",
		"'=1":                        "'=1",
	} {
		for style, comma := range map[export.Style]rune{export.International: ',', export.European: ';'} {
			e := invoice.Exported{Summary: invoice.Summary{SellerName: text, Number: text, ExternalID: text, BuyerName: text, Currency: text}}
			rows := table(t, written(t, export.Export{Rows: invoice.ExportInvoices, Style: style, Each: each(e)}), comma)
			for _, column := range []string{"seller_name", "invoice_number", "external_id", "buyer_name", "currency"} {
				if got := rows[0][column]; got != want {
					t.Errorf("%q in %s: %q, want %q", text, column, got, want)
				}
			}
		}
	}
}

// TestFormulasOfOtherSettings verifies that a spreadsheet with the other separator finds no
// formula, and that the separator of the export needs no protection.
func TestFormulasOfOtherSettings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		style      export.Style
		comma      rune
		text, want string
	}{
		{export.International, ',', "A;=1", "A;'=1"},
		{export.International, ',', `A; "=1`, `A;' "=1`},
		{export.International, ',', "A\t+1", "A\t'+1"},
		{export.International, ',', "A\n@B", "A\n'@B"},
		{export.International, ',', "A,=1", "A,=1"},
		{export.International, ',', "A;;-1;＝2", "A;;'-1;'＝2"},
		{export.European, ';', "A,=1", "A,'=1"},
		{export.European, ';', "A;=1", "A;=1"},
	} {
		e := invoice.Exported{Summary: invoice.Summary{SellerName: test.text}}
		rows := table(t, written(t, export.Export{Rows: invoice.ExportInvoices, Style: test.style, Each: each(e)}), test.comma)
		if got := rows[0]["seller_name"]; got != test.want {
			t.Errorf("%s, %q: %q, want %q", test.style, test.text, got, test.want)
		}
	}
}

// TestAmounts verifies that credit notes are negative, that numbers are not changed by the
// protection from formulas, and the separators of both styles.
func TestAmounts(t *testing.T) {
	t.Parallel()
	e := invoice.Exported{
		Summary: invoice.Summary{Type: invoice.TypeCreditNote, NetTotal: amount("1234.50"), GrossTotal: amount("-3")},
		Lines:   []invoice.Line{{Position: 1, Description: "=1", NetAmount: amount("7.5"), Quantity: amount("2")}},
		Taxes:   []invoice.Tax{{Category: "S", Rate: amount("19"), Base: amount("100.00"), Amount: amount("19.00")}},
	}
	for _, test := range []struct {
		rows  invoice.ExportRows
		style export.Style
		want  map[string]string
	}{
		{invoice.ExportInvoices, export.International, map[string]string{"net_total": "-1234.50", "gross_total": "3", "tax_total": ""}},
		{invoice.ExportInvoices, export.European, map[string]string{"net_total": "-1234,50"}},
		{invoice.ExportLines, export.European, map[string]string{"net_amount": "-7,5", "quantity": "2", "description": "'=1", "position": "1"}},
		{invoice.ExportTaxes, export.International, map[string]string{"base": "-100.00", "amount": "-19.00", "tax_rate": "19", "tax_category": "S"}},
	} {
		comma := ','
		if test.style == export.European {
			comma = ';'
		}
		data := written(t, export.Export{Rows: test.rows, Style: test.style, Each: each(e)})
		if !bytes.HasSuffix(data, []byte("\r\n")) {
			t.Errorf("lines do not end as RFC 4180 says: %q", data)
		}
		rows := table(t, data, comma)
		if len(rows) != 1 {
			t.Fatalf("%s: %d rows", test.rows, len(rows))
		}
		for column, want := range test.want {
			if got := rows[0][column]; got != want {
				t.Errorf("%s %s: %s is %q, want %q", test.rows, test.style, column, got, want)
			}
		}
	}
}

func TestJSONLines(t *testing.T) {
	t.Parallel()
	e := invoice.Exported{Summary: invoice.Summary{SellerName: "=a <b>\n\"c\"", NetTotal: amount("1.50"), Version: 3}}
	data := written(t, export.Export{Format: export.JSONL, Rows: invoice.ExportInvoices, Each: each(e, e)})
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	if len(lines) != 2 {
		t.Fatalf("%d lines: %s", len(lines), data)
	}
	var row map[string]any
	if err := json.Unmarshal(lines[1], &row); err != nil {
		t.Fatal(err)
	}
	if row["seller_name"] != e.SellerName || row["net_total"] != "1.50" || row["version"] != 3.0 || row["gross_total"] != nil || row["external_id"] != nil {
		t.Errorf("the row is %s", lines[1])
	}
}

type content struct{ *strings.Reader }

func (content) Close() error { return nil }

// TestZIP verifies that every file is in the manifest with its checksum, and that hostile names
// leave the folder of the archive nowhere.
func TestZIP(t *testing.T) {
	t.Parallel()
	good, hostile, missing, damaged := uuid.New(), uuid.New(), uuid.New(), uuid.New()
	sum := func(s string) string { h := sha256.Sum256([]byte(s)); return hex.EncodeToString(h[:]) }
	files := map[uuid.UUID]*document.Document{
		good:    {ID: good, Filename: "a.pdf", SHA256: sum("bytes of a")},
		hostile: {ID: hostile, Filename: `..\..\..\etc/../../` + "p\x00asswd:<?", SHA256: sum("bytes of h")},
		missing: {ID: missing, Filename: "gone.pdf", SHA256: sum("gone"), SizeBytes: 4},
		damaged: {ID: damaged, Filename: strings.Repeat("ü", 200) + ".pdf", SHA256: sum("other")},
	}
	bytesOf := map[uuid.UUID]string{good: "bytes of a", hostile: "bytes of h", damaged: "changed"}
	var invoices []invoice.Exported
	for _, id := range []uuid.UUID{good, hostile, missing, damaged} {
		invoices = append(invoices, invoice.Exported{Summary: invoice.Summary{ID: uuid.New(), DocumentID: id, SellerName: "=x"}})
	}
	data := written(t, export.Export{
		Format: export.ZIP, Rows: invoice.ExportInvoices, TempDir: t.TempDir(), Each: each(invoices...),
		Original: func(id uuid.UUID) (*document.Document, io.ReadSeekCloser, error) {
			text, there := bytesOf[id]
			if !there {
				return files[id], nil, fault.Missing("blob")
			}
			return files[id], content{strings.NewReader(text)}, nil
		},
	})
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	read := map[string][]byte{}
	for _, f := range archive.File {
		if strings.Contains(f.Name, "..") || strings.ContainsAny(f.Name, "\\\x00:<?") || strings.HasPrefix(f.Name, "/") || len(f.Name) > 250 {
			t.Errorf("the name %q is not safe", f.Name)
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if read[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	if rows := table(t, read["invoices.csv"], ','); len(rows) != 4 || rows[0]["seller_name"] != "'=x" {
		t.Errorf("the rows are %v", rows)
	}
	var manifest struct {
		Files []struct {
			Path, SHA256, Problem string
			DocumentID            uuid.UUID `json:"document_id"`
		}
	}
	if err := json.Unmarshal(read["manifest.json"], &manifest); err != nil {
		t.Fatalf("%v in %s", err, read["manifest.json"])
	}
	problems := map[uuid.UUID]string{}
	for _, f := range manifest.Files {
		problems[f.DocumentID] = f.Problem
		if f.Problem == "missing" {
			continue
		}
		if got, there := read[f.Path]; !there || sum(string(got)) != f.SHA256 {
			t.Errorf("%s: %q has not the checksum of the manifest", f.Path, got)
		}
		delete(read, f.Path)
	}
	if len(read) != 1 || problems[good] != "" || problems[hostile] != "" || problems[missing] != "missing" || problems[damaged] != "damaged" {
		t.Errorf("left %d files, problems %v", len(read), problems)
	}
}

// TestSplitFileHasOneOriginal verifies that the parts of a split file name the same copy of it.
func TestSplitFileHasOneOriginal(t *testing.T) {
	t.Parallel()
	const file = "three invoices"
	sum := sha256.Sum256([]byte(file))
	var invoices []invoice.Exported
	for range 3 {
		invoices = append(invoices, invoice.Exported{Summary: invoice.Summary{ID: uuid.New(), DocumentID: uuid.New()}})
	}
	data := written(t, export.Export{
		Format: export.ZIP, Rows: invoice.ExportInvoices, TempDir: t.TempDir(), Each: each(invoices...),
		Original: func(id uuid.UUID) (*document.Document, io.ReadSeekCloser, error) {
			return &document.Document{ID: id, Filename: "a.pdf", SHA256: hex.EncodeToString(sum[:])}, content{strings.NewReader(file)}, nil
		},
	})
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	originals := 0
	var manifest struct {
		Files []struct {
			Path      string
			InvoiceID uuid.UUID `json:"invoice_id"`
		}
	}
	for _, f := range archive.File {
		if strings.HasPrefix(f.Name, "originals/") {
			originals++
		}
		if f.Name != "manifest.json" {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if err := json.NewDecoder(r).Decode(&manifest); err != nil {
			t.Fatal(err)
		}
	}
	paths, of := map[string]bool{}, map[uuid.UUID]bool{}
	for _, f := range manifest.Files {
		if f.InvoiceID != uuid.Nil {
			paths[f.Path], of[f.InvoiceID] = true, true
		}
	}
	if originals != 1 || len(paths) != 1 || len(of) != len(invoices) {
		t.Errorf("%d originals, %d paths of %d invoices", originals, len(paths), len(of))
	}
}

// TestFirstError verifies that nothing is written before the first invoices were read.
func TestFirstError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, format := range []export.Format{export.CSV, export.JSONL, export.ZIP} {
		var out bytes.Buffer
		e := export.Export{
			Format: format, Rows: invoice.ExportInvoices, TempDir: t.TempDir(),
			Each: func(func([]invoice.Exported) error) error { return broken },
		}
		if err := e.Write(&out); !errors.Is(err, broken) || out.Len() > 0 {
			t.Errorf("%s: %v after %d bytes", format, err, out.Len())
		}
		if e.MediaType() == "" || !strings.HasSuffix(e.Filename(time.Now()), "."+string(format)) {
			t.Errorf("%s: %s %s", format, e.MediaType(), e.Filename(time.Now()))
		}
	}
}
