package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docledger/adapter/extract"
)

// TestValidate prints a verdict for each file and ends with an error if one is
// invalid or unreadable.
func TestValidate(t *testing.T) {
	t.Parallel()
	valid := "../../adapter/extract/einvoice/rules/testdata/cii.xml"
	data, err := os.ReadFile(valid)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	invalid := write("invalid.xml", strings.Replace(string(data), "<ram:GrandTotalAmount>249.90", "<ram:GrandTotalAmount>249.91", 1))
	noProfile := write("plain.xml", strings.ReplaceAll(string(data), "urn:cen.eu:en16931:2017", "urn:example"))
	pipeline := extract.New(extract.Options{})
	defer pipeline.Close()
	run := func(text bool, files ...string) (string, error) {
		var out bytes.Buffer
		err := validateFiles(t.Context(), pipeline, &out, files, text)
		return out.String(), err
	}

	out, err := run(false, valid, noProfile)
	if lines := strings.Split(strings.TrimSpace(out), "\n"); err != nil || len(lines) != 2 ||
		!strings.Contains(lines[0], `"outcome":"VALID"`) || !strings.Contains(lines[1], `"outcome":"NOT_JUDGED"`) {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = run(false, invalid)
	var v validation
	if json.Unmarshal([]byte(out), &v) != nil || !errors.Is(err, errSilent) || v.Outcome != "INVALID" || len(v.Findings) == 0 || v.Findings[0].Rule != "BR-CO-15" {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err = run(true, invalid); !errors.Is(err, errSilent) || !strings.Contains(out, "BR-CO-15") {
		t.Errorf("%v\n%s", err, out)
	}
	for path, code := range map[string]string{filepath.Join(dir, "absent.xml"): "not_found", write("order.xml", "<a/>"): "other", dir: "not_found"} {
		if out, err = run(false, path); !errors.Is(err, errSilent) || !strings.Contains(out, `"code":"`+code+`"`) {
			t.Errorf("%s: %v\n%s", path, err, out)
		}
	}
}

// TestShippedExampleIsValid validates the example of the repository with the rules
// of the profiles that it claims.
func TestShippedExampleIsValid(t *testing.T) {
	t.Parallel()
	out, err := run(t, "validate", "../../examples/invoice-ubl.xml")
	if err != nil || !strings.Contains(out, `"outcome":"VALID"`) || !strings.Contains(out, "PEPPOL_BIS_3") {
		t.Errorf("%v: %s", err, out)
	}
}
