package einvoice_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"docledger/adapter/extract/einvoice"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// now is a date shortly after the dates of the samples.
var now = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// TestSamples parses every sample and compares the result with its golden file:
// values, evidence, checks and attachments.
func TestSamples(t *testing.T) {
	t.Parallel()
	samples, err := filepath.Glob("testdata/*.xml")
	if err != nil || len(samples) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, path := range samples {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			found, err := einvoice.Parse(t.Context(), data)
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.MarshalIndent(view(found), "", " ")
			if err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(path, ".xml") + ".golden.json"
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(bytes.TrimSpace(want), got) {
				t.Errorf("%s differs from the result; run with -update and inspect the difference:\n%s", golden, got)
			}
		})
	}
}

// view returns the result as plain maps without empty values.
func view(found *einvoice.Found) map[string]any {
	out := map[string]any{"format": found.Format, "profile": found.Profile}
	if len(found.Attachments) > 0 {
		out["attachments"] = plain(reflect.ValueOf(found.Attachments))
	}
	var drafts []any
	for _, d := range found.Drafts {
		checks := checked(d)
		failed := []string{}
		for _, c := range checks {
			if !c.Passed {
				failed = append(failed, fmt.Sprintf("%s %s %s: %s, not %s", c.Severity, c.Rule, c.Path, c.Expected, c.Found))
			}
		}
		evidence := map[string]string{}
		for path, e := range d.Fields {
			evidence[path] = fmt.Sprintf("%s %g %s", e.Source, e.Confidence, e.SourceText)
		}
		drafts = append(drafts, map[string]any{
			"content": plain(reflect.ValueOf(d.Content)), "evidence": evidence, "failed": failed,
			"status": invoice.StatusAfter(checks), "reading": plain(reflect.ValueOf(d.Checks)),
		})
	}
	out["drafts"] = drafts
	return out
}

// checked returns all checks of a draft for an entity that is not its buyer.
func checked(d extraction.Draft) []invoice.Check {
	return append(invoice.RunChecks(d.Content, d.Fields, invoice.CheckContext{Now: now}), d.Checks...)
}

func plain(v reflect.Value) any {
	if s, ok := v.Interface().(fmt.Stringer); ok {
		return s.String()
	}
	switch v.Kind() {
	case reflect.Pointer:
		return plain(v.Elem())
	case reflect.Slice:
		list := []any{}
		for i := range v.Len() {
			list = append(list, plain(v.Index(i)))
		}
		return list
	case reflect.Struct:
		fields := map[string]any{}
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				fields[v.Type().Field(i).Name] = plain(f)
			}
		}
		return fields
	}
	return v.Interface()
}
