package pdftext_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"docledger/adapter/extract/pdftext"
	"docledger/domain/invoice"
	"docledger/test/lib/generator"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden is the content of a document's golden file: the stated values and their
// confidence.
type golden struct {
	Layout string            `json:"layout"`
	Values map[string]string `json:"values"`
	Lines  []string          `json:"lines"`
	Checks []string          `json:"checks,omitempty"`
}

// TestGolden detects changes of the output. A changed value changes a golden file and
// requires an increase of extract.EngineVersion.
func TestGolden(t *testing.T) {
	t.Parallel()
	const documents = 60
	all := map[string]golden{}
	for seed := range documents {
		d := generator.New(uint64(seed), generator.None)
		draft, err := pdftext.Read(d.Words(), pdftext.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		g := golden{Layout: d.Locale.Name + " " + d.Layout, Values: map[string]string{}, Lines: []string{}}
		inv := &invoice.Invoice{Content: draft.Content}
		for path, f := range invoice.Fields {
			if v := f.Get(inv); v != "" {
				g.Values[path] = v + " @" + strconv.FormatFloat(draft.Fields[path].Confidence, 'f', 2, 64)
			}
		}
		for _, l := range draft.Content.Lines {
			g.Lines = append(g.Lines, fmt.Sprintf("%s; %s × %s, %s %% = %s",
				l.Description, invoice.Show(l.Quantity), invoice.Show(l.UnitPrice), invoice.Show(l.TaxRate), invoice.Show(l.NetAmount)))
		}
		for _, c := range draft.Checks {
			g.Checks = append(g.Checks, c.Rule+" "+c.Found)
		}
		all[fmt.Sprintf("%03d", seed)] = g
	}
	got, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "golden.json")
	if *update {
		if err := os.WriteFile(path, append(got, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wanted, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	compareGolden(t, wanted, all)
}

func compareGolden(t *testing.T, wanted []byte, got map[string]golden) {
	t.Helper()
	var want map[string]golden
	if err := json.Unmarshal(wanted, &want); err != nil {
		t.Fatal(err)
	}
	for name, w := range want {
		if a, b := fmt.Sprint(w), fmt.Sprint(got[name]); a != b {
			t.Errorf("document %s differs (go test -run Golden ./adapter/extract/pdftext -update, and raise extract.EngineVersion):\nwant %s\ngot  %s", name, a, b)
		}
	}
	if len(want) != len(got) {
		t.Errorf("%d documents, want %d", len(got), len(want))
	}
}
