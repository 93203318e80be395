package rules

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// severitiesTable has the official severity of each rule: profile, syntax, id and
// flag of the assertion.
var severitiesTable = filepath.Join("testdata", "severities.tsv")

// schematrons are the official files with the assertions of each profile.
var schematrons = []struct {
	set        *ruleSet
	syntax     string
	repository string
	path       string
}{
	{&en16931, "UBL", "ConnectingEurope/eInvoicing-EN16931", "ubl/schematron/preprocessed/EN16931-UBL-validation-preprocessed.sch"},
	{&en16931, "CII", "ConnectingEurope/eInvoicing-EN16931", "cii/schematron/preprocessed/EN16931-CII-validation-preprocessed.sch"},
	{&xrechnung, "UBL", "itplr-kosit/xrechnung-schematron", "src/validation/schematron/ubl/XRechnung-UBL-validation.sch"},
	{&xrechnung, "CII", "itplr-kosit/xrechnung-schematron", "src/validation/schematron/cii/XRechnung-CII-validation.sch"},
	{&peppol, "UBL", "OpenPEPPOL/peppol-bis-invoice-3", "rules/sch/PEPPOL-EN16931-UBL.sch"},
	{&peppol, "CII", "OpenPEPPOL/peppol-bis-invoice-3", "rules/sch/PEPPOL-EN16931-CII.sch"},
}

// flags returns the flag of each assertion of an official file. An id with two
// flags has both, separated by a space.
func flags(path string) (map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	found := map[string]string{}
	for d := xml.NewDecoder(f); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		element, ok := token.(xml.StartElement)
		if !ok || element.Name.Local != "assert" && element.Name.Local != "report" {
			continue
		}
		var id, flag string
		for _, a := range element.Attr {
			switch a.Name.Local {
			case "id":
				id = a.Value
			case "flag":
				flag = a.Value
			}
		}
		if before := found[id]; before != "" && !strings.Contains(before, flag) {
			flag = before + " " + flag
		}
		found[id] = flag
	}
}

// TestOfficialSeverityTable compares the committed table with the official files.
func TestOfficialSeverityTable(t *testing.T) {
	root := os.Getenv("EINVOICE_SUITES")
	if root == "" {
		fmt.Println("THE OFFICIAL SUITES ARE ABSENT: the committed severities were not compared with them. Set EINVOICE_SUITES.")
		t.Skip("EINVOICE_SUITES is not set")
	}
	var rows []string
	for _, s := range schematrons {
		official, err := flags(filepath.Join(suiteFolder(t, root, s.repository), s.path))
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range slices.Sorted(maps.Keys(official)) {
			rows = append(rows, strings.Join([]string{string(s.set.profile), s.syntax, id, official[id]}, "\t"))
		}
	}
	table := strings.Join(rows, "\n") + "\n"
	if *updateSuites {
		if err := os.WriteFile(severitiesTable, []byte(table), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile(severitiesTable)
	if err != nil {
		t.Fatal(err)
	}
	if string(committed) != table {
		t.Error("the committed severities differ from the official ones; run with -update-suites and look at the difference")
	}
}

// TestWithdrawnRules checks that no official file of the profile that withdrew a rule
// asserts it, and that no rule set contains it.
func TestWithdrawnRules(t *testing.T) {
	t.Parallel()
	committed, err := os.ReadFile(severitiesTable)
	if err != nil {
		t.Fatal(err)
	}
	for id := range withdrawn {
		if strings.Contains(string(committed), "\t"+id+"\t") {
			t.Errorf("an official file asserts %s", id)
		}
		for _, s := range everySet {
			if slices.ContainsFunc(s.rules, func(r rule) bool { return r.id == id }) {
				t.Errorf("%s contains %s", s.profile, id)
			}
		}
	}
}

// adopted returns the flag of a rule of Peppol that XRechnung includes. XRechnung
// adds some of them to CII and divides R043 there. Its build changes the flag of
// R120 (src/xsl/peppol-into-xr.xsl).
func adopted(official map[string]string, id string) (flag string, known bool) {
	if id == "PEPPOL-EN16931-R120" {
		return "warning", true
	}
	id = strings.TrimSuffix(strings.TrimSuffix(id, "-1"), "-2")
	flag, known = official[string(peppol.profile)+" UBL "+id]
	return flag, known
}

// TestSeveritiesAreOfficial compares the severity of every rule in each syntax
// with the committed official one. A wrong severity turns a valid document into
// an invalid one.
func TestSeveritiesAreOfficial(t *testing.T) {
	data, err := os.ReadFile(severitiesTable)
	if err != nil {
		t.Fatal(err)
	}
	official := map[string]string{}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		official[strings.Join(f[:3], " ")] = f[3]
	}
	compared := 0
	for _, s := range schematrons {
		for i := range s.set.rules {
			r := &s.set.rules[i]
			cii := s.syntax == "CII"
			if r.check(cii) == nil {
				continue
			}
			flag, known := official[string(s.set.profile)+" "+s.syntax+" "+r.id]
			if s.set == &xrechnung && strings.HasPrefix(r.id, "PEPPOL-") {
				flag, known = adopted(official, r.id)
			}
			ours := strings.ToLower(string(r.level(cii)))
			switch {
			case !known:
				t.Errorf("%s is no official rule of %s in %s", r.id, s.set.profile, s.syntax)
			case !slices.Contains(strings.Fields(flag), ours):
				t.Errorf("%s in %s is %s, officially %s", r.id, s.syntax, ours, flag)
			default:
				compared++
			}
		}
	}
	t.Logf("%d severities are the official ones", compared)
}
