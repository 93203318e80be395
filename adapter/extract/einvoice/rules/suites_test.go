package rules

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"docledger/adapter/extract/einvoice/xmltree"
	"docledger/domain/einvoice"
)

var updateSuites = flag.Bool("update-suites", false, "rewrite the table of official cases")

const suitesTable = "testdata/suites.tsv"

// officialSuite is a public repository of unit files. The folder EINVOICE_SUITES
// contains a clone of each one in a folder of its name, at the given commit.
type officialSuite struct {
	name, repository, commit string
	least                    float64 // required share of matching cases
	cases                    func(dir string) ([]officialCase, error)
}

var officialSuites = []officialSuite{
	{"en16931", "ConnectingEurope/eInvoicing-EN16931", "b6c9e06a59812fb1a83585da40923b3678a649ad", 0.99, vefaCases("test", "en16931")},
	{"peppol", "OpenPEPPOL/peppol-bis-invoice-3", "78d7f7dfa223f39f8ebd8d35c127f2690e646322", 0.97, vefaCases("rules", "peppol")},
	{"xrechnung", "itplr-kosit/xrechnung-testsuite", "5528afafa9968eb67840da3ced0caf15f8d90a7a", 0.97, validCases},
	{"xrechnung-schematron", "itplr-kosit/xrechnung-schematron", "3098f3da447b9c435c969158a576573bca09afbe", 0.97, mutatedCases},
}

// officialCase is one expected verdict of an official unit file.
type officialCase struct {
	id, rule string
	expected string // ok, violated, or violated=N if the file states the number
	set      *ruleSet
	data     []byte
}

// TestOfficialSuites compares the verdicts with those of the official unit
// files and with the committed table of them.
func TestOfficialSuites(t *testing.T) {
	root := os.Getenv("EINVOICE_SUITES")
	if root == "" {
		fmt.Println("THE OFFICIAL SUITES ARE ABSENT: no official case was evaluated. Set EINVOICE_SUITES to a folder with clones of",
			"eInvoicing-EN16931, peppol-bis-invoice-3, xrechnung-testsuite and xrechnung-schematron.")
		t.Skip("EINVOICE_SUITES is not set")
	}
	var rows []string
	for _, s := range officialSuites {
		dir := suiteFolder(t, root, s.repository)
		cases, err := s.cases(dir)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, "# "+s.name+"\t"+s.repository+"\t"+s.commit)
		for _, c := range cases {
			rows = append(rows, strings.Join([]string{s.name, c.id, c.rule, c.expected, c.verdict()}, "\t"))
		}
	}
	if *updateSuites {
		if err := os.WriteFile(suitesTable, []byte(strings.Join(rows, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile(suitesTable)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(committed)), "\n")
	for _, row := range rows {
		if !slices.Contains(want, row) {
			t.Errorf("not in the committed table: %s", row)
		}
	}
	if len(rows) != len(want) {
		t.Errorf("%d rows, the committed table has %d", len(rows), len(want))
	}
}

// TestOfficialVerdicts compares the committed table with the required shares of
// matching cases. It needs no suite.
func TestOfficialVerdicts(t *testing.T) {
	data, err := os.ReadFile(suitesTable)
	if err != nil {
		t.Fatal(err)
	}
	agree, all := map[string]int{}, map[string]int{}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		all[f[0]]++
		if agrees(f[3], f[4]) {
			agree[f[0]]++
		} else {
			t.Logf("differs: %s", strings.TrimSpace(line))
		}
	}
	for _, s := range officialSuites {
		if all[s.name] == 0 {
			t.Errorf("%s: no case", s.name)
			continue
		}
		share := float64(agree[s.name]) / float64(all[s.name])
		t.Logf("%s: %d of %d cases agree (%.2f %%)", s.name, agree[s.name], all[s.name], 100*share)
		if share < s.least {
			t.Errorf("%s: %.2f %% agree, at least %.0f %% must", s.name, 100*share, 100*s.least)
		}
	}
}

// agrees reports whether docledger's verdict is the expected one. It compares the
// number of violations only if the case states it.
func agrees(expected, ours string) bool {
	if expected == "violated" {
		return strings.HasPrefix(ours, "violated")
	}
	return expected == ours
}

// verdict evaluates the case: ok, violated=N, or the reason why it cannot be
// evaluated.
func (c *officialCase) verdict() string {
	tree, err := xmltree.Parse(context.Background(), c.data)
	if err != nil {
		return "unread"
	}
	if c.rule == "-" {
		v := Judge(tree.Root(), tree.Elements())
		if v == nil || v.Outcome == einvoice.NotJudged {
			return "not judged"
		}
		if n := len(v.Violated(einvoice.Profiles()...)); n > 0 {
			return "violated=" + strconv.Itoa(n)
		}
		return "ok"
	}
	d := load(tree.Root(), tree.Elements())
	known := false
	for i := range c.set.rules {
		if r := &c.set.rules[i]; r.id == c.rule {
			known = known || r.check(d.cii) != nil
			if f, violated := d.apply(r); violated {
				return "violated=" + strconv.Itoa(f.Count)
			}
		}
	}
	if !known && !withdrawn.has(c.rule) {
		return "unknown rule"
	}
	return "ok"
}

// withdrawn are the rules that the official artefacts have withdrawn and still have unit
// files for. No document violates them. TestWithdrawnRules compares them with the
// official assertions.
var withdrawn = codes("BR-CO-25")

// files calls yield with the XML files in the folder, with names relative to base.
func files(base, dir string, yield func(name string, data []byte) error) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasPrefix(strings.ToLower(filepath.Ext(path)), ".xm") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(base, path)
		if err != nil {
			return err
		}
		return yield(filepath.ToSlash(name), data)
	})
}

// validCases are documents without fatal violations.
func validCases(dir string) (out []officialCase, err error) {
	err = files(dir, filepath.Join(dir, "src", "test"), func(name string, data []byte) error {
		out = append(out, officialCase{id: name, rule: "-", expected: "ok", data: data})
		return nil
	})
	return out, err
}

// vefaCases are the test sets of EN 16931 and Peppol: documents with the ids of
// passed or violated rules.
func vefaCases(folder, set string) func(dir string) ([]officialCase, error) {
	rules := map[string]*ruleSet{"en16931": &en16931, "peppol": &peppol}[set]
	return func(dir string) (out []officialCase, err error) {
		err = files(dir, filepath.Join(dir, folder), func(name string, data []byte) error {
			cases, err := testSet(name, data)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			for i := range cases {
				cases[i].set = rules
			}
			out = append(out, cases...)
			return nil
		})
		return out, err
	}
}

const vefa = "http://difi.no/xsd/vefa/validator/1.0"

// testSet reads the cases of one file. A file that is not a test set has none.
func testSet(name string, data []byte) ([]officialCase, error) {
	dec := xml.NewDecoder(bytes.NewReader(data))
	var out, pending []officialCase
	depth, test := 0, 0
	for {
		before := dec.InputOffset()
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		start, ok := tok.(xml.StartElement)
		if !ok {
			if _, end := tok.(xml.EndElement); end {
				depth--
			}
			continue
		}
		depth++
		switch {
		case depth == 1 && start.Name != (xml.Name{Space: vefa, Local: "testSet"}):
			return nil, nil
		case start.Name.Space == vefa && start.Name.Local == "test":
			test++
			pending = nil
		case start.Name.Space == vefa && test > 0 && depth == 4:
			if c, ok, err := expectation(dec, start, fmt.Sprintf("%s#%d", name, test)); err != nil {
				return nil, err
			} else if ok {
				pending = append(pending, c)
			}
			depth--
		case start.Name.Space != vefa && depth == 3:
			if err := dec.Skip(); err != nil {
				return nil, err
			}
			depth--
			doc := data[before:dec.InputOffset()]
			for _, c := range pending {
				c.data = doc
				out = append(out, c)
			}
		}
	}
}

// expectation reads one child of a test's assert.
func expectation(dec *xml.Decoder, start xml.StartElement, id string) (officialCase, bool, error) {
	var text string
	if err := dec.DecodeElement(&text, &start); err != nil {
		return officialCase{}, false, err
	}
	c := officialCase{id: id, rule: strings.TrimSpace(text)}
	switch start.Name.Local {
	case "success":
		c.expected = "ok"
	case "error", "warning":
		c.expected = "violated"
		for _, a := range start.Attr {
			if a.Name.Local == "number" {
				c.expected = "violated=" + a.Value
			}
		}
	default:
		return c, false, nil
	}
	return c, true, nil
}

var (
	instruction = regexp.MustCompile(`(?s)<\?xmute(.*?)\?>`)
	pair        = regexp.MustCompile(`([\w-]+)="([^"]*)"`)
)

// mutatedCases are the instances of XRechnung. Processing instructions define the
// change of the next element and the rules that then pass or fail.
func mutatedCases(dir string) (out []officialCase, err error) {
	err = files(dir, filepath.Join(dir, "test", "instances"), func(name string, data []byte) error {
		for i, m := range instruction.FindAllSubmatchIndex(data, -1) {
			attrs := map[string]string{}
			for _, p := range pair.FindAllStringSubmatch(string(data[m[2]:m[3]]), -1) {
				attrs[p[1]] = p[2]
			}
			docs, err := mutate(data, m[1], attrs)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			for j, doc := range docs {
				for key, expected := range map[string]string{"schematron-valid": "ok", "schematron-invalid": "violated"} {
					for _, rule := range strings.FieldsFunc(attrs[key], func(r rune) bool { return r == ' ' || r == ',' }) {
						_, rule, _ := strings.Cut(rule, ":")
						out = append(out, officialCase{fmt.Sprintf("%s#%d.%d", name, i+1, j+1), rule, expected, &xrechnung, doc})
					}
				}
			}
		}
		return nil
	})
	slices.SortStableFunc(out, func(a, b officialCase) int { return strings.Compare(a.id+a.rule, b.id+b.rule) })
	return out, err
}

// mutate returns the changed documents: the element after the offset is removed,
// emptied, or set to other values.
func mutate(data []byte, offset int, attrs map[string]string) ([][]byte, error) {
	from, inner, innerEnd, to, err := elementAfter(data, offset)
	if err != nil {
		return nil, err
	}
	replaced := func(a, b int, text string) []byte {
		return slices.Concat(data[:a], []byte(text), data[b:])
	}
	switch attrs["mutator"] {
	case "identity":
		return [][]byte{data}, nil
	case "remove":
		return [][]byte{replaced(from, to, "")}, nil
	case "empty":
		if attrs["attribute"] != "" {
			return valued(data, from, inner, attrs["attribute"], "")
		}
		return [][]byte{replaced(inner, innerEnd, "")}, nil
	case "whitespace":
		return [][]byte{replaced(inner, innerEnd, "  "+string(data[inner:innerEnd])+" \t\n")}, nil
	case "code":
		var out [][]byte
		for _, v := range strings.FieldsFunc(attrs["values"], func(r rune) bool { return r == ',' }) {
			if attrs["separator"] == "" {
				v = strings.TrimSpace(v)
			}
			if attrs["attribute"] == "" {
				out = append(out, replaced(inner, innerEnd, v))
				continue
			}
			docs, err := valued(data, from, inner, attrs["attribute"], v)
			if err != nil {
				return nil, err
			}
			out = append(out, docs...)
		}
		return out, nil
	}
	return nil, errors.New("unknown mutator " + attrs["mutator"])
}

// valued returns the document with another attribute value in the tag between the
// offsets.
func valued(data []byte, from, to int, name, value string) ([][]byte, error) {
	tag := regexp.MustCompile(name + `="[^"]*"`).FindIndex(data[from:to])
	if tag == nil {
		return nil, errors.New("the element does not have the attribute " + name)
	}
	return [][]byte{slices.Concat(data[:from+tag[0]], []byte(name+`="`+value+`"`), data[from+tag[1]:])}, nil
}

// elementAfter returns the offsets of the next element: its start, the start and end
// of its content, and its end.
func elementAfter(data []byte, offset int) (from, inner, innerEnd, to int, err error) {
	dec := xml.NewDecoder(bytes.NewReader(data[offset:]))
	dec.Strict = false
	depth := 0
	for {
		before := int(dec.InputOffset())
		tok, err := dec.RawToken()
		if err != nil {
			return 0, 0, 0, 0, err
		}
		switch tok.(type) {
		case xml.StartElement:
			if depth++; depth == 1 {
				from, inner = offset+before, offset+int(dec.InputOffset())
			}
		case xml.EndElement:
			if depth--; depth == 0 {
				return from, inner, offset + before, offset + int(dec.InputOffset()), nil
			}
		}
	}
}
