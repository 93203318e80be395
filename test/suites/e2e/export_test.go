package e2e

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"docledger/test/lib/harness"
)

// TestExport exports invoices in every format, within the rights of the caller.
func TestExport(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		s := harness.Start(t, o)
		org := s.NewOrganization("Export")
		token := org.Admin.Token
		for _, number := range []string{"E-1", "E-2", "=1+1"} {
			s.Extract(token, s.Upload(token, org.Entity, number+".xml", harness.UBL(number)).OK().Text("id")).OK()
		}
		get := func(query string) harness.Response {
			return s.Do(http.MethodGet, "/api/invoices/export"+query, token, nil)
		}
		csvOf := func(data []byte, comma rune) [][]string {
			r := csv.NewReader(bytes.NewReader(data))
			r.Comma = comma
			rows, err := r.ReadAll()
			if err != nil {
				t.Fatalf("%v in %s", err, data)
			}
			return rows
		}
		all := get("").OK()
		if got := all.Header.Get("Content-Disposition"); !strings.Contains(got, ".csv") || !strings.HasPrefix(got, "attachment") {
			t.Errorf("the file name is %q", got)
		}
		if rows := csvOf(all.Raw, ','); len(rows) != 4 || rows[1][6] != "E-1" || rows[3][6] != "'=1+1" || rows[1][17] != "119.00" {
			t.Errorf("exported %v", rows)
		}
		if rows := csvOf(get("?q=E-2&style=european").OK().Raw, ';'); len(rows) != 2 || rows[1][17] != "119,00" {
			t.Errorf("filtered %v", rows)
		}
		if rows := csvOf(get("?rows=lines").OK().Raw, ','); len(rows) != 4 || rows[0][0] != "invoice_id" {
			t.Errorf("lines %v", rows)
		}
		if rows := csvOf(get("?rows=taxes&q=E-1").OK().Raw, ','); len(rows) != 2 || rows[1][len(rows[1])-1] != "19.00" {
			t.Errorf("taxes %v", rows)
		}
		lines := strings.Split(strings.TrimSpace(string(get("?format=jsonl").OK().Raw)), "\n")
		var last map[string]any
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || len(lines) != 3 || last["invoice_number"] != "=1+1" {
			t.Errorf("%v in %v", err, lines)
		}
		archive := get("?format=zip").OK().Raw
		files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]bool{}
		for _, f := range files.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(f.Name, "/E-1.xml") && !bytes.Equal(content, harness.UBL("E-1")) {
				t.Errorf("the original differs: %s", content)
			}
			names[f.Name] = true
		}
		if len(names) != 5 || !names["manifest.json"] || !names["invoices.csv"] {
			t.Errorf("the files are %v", names)
		}
		for _, bad := range []string{"?format=xls", "?rows=all", "?style=german", "?status=NONE", "?q=x"} {
			get(bad).Want(400, "invalid_request")
		}
		other := s.NewOrganization("Other")
		if rows := csvOf(s.Do(http.MethodGet, "/api/invoices/export", other.Admin.Token, nil).OK().Raw, ','); len(rows) != 1 {
			t.Errorf("another organization exports %v", rows)
		}
		s.Do(http.MethodGet, "/api/invoices/export?entity_id="+org.Entity.String(), other.Admin.Token, nil).Want(404, "not_found")
	})
}
