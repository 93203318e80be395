package rules

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"docledger/adapter/extract/einvoice/xmltree"
	"docledger/domain/einvoice"
)

// bases are the project's documents that violate no rule.
var bases = []string{"ubl-invoice", "ubl-credit-note", "cii"}

func base(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".xml")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func parsed(t testing.TB, doc string) *xmltree.Tree {
	t.Helper()
	tree, err := xmltree.Parse(context.Background(), []byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func judge(t testing.TB, doc string) *einvoice.Verdict {
	t.Helper()
	tree := parsed(t, doc)
	return Judge(tree.Root(), tree.Elements())
}

const peppolID = "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"

func TestClaimedProfiles(t *testing.T) {
	t.Parallel()
	for _, name := range bases {
		for claim, want := range map[string][]einvoice.Profile{
			peppolID:                  {einvoice.EN16931, einvoice.PeppolBIS3},
			xrCIUS:                    {einvoice.EN16931, einvoice.XRechnung},
			xrExtension:               {einvoice.EN16931, einvoice.XRechnung},
			"urn:cen.eu:en16931:2017": {einvoice.EN16931},
			"urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended": {einvoice.EN16931},
			"urn:factur-x.eu:1p0:minimum":                                     nil,
			"":                                                                nil,
		} {
			v := judge(t, strings.Replace(base(t, name), peppolID, claim, 1))
			var got []einvoice.Profile
			for _, s := range v.RuleSets {
				got = append(got, s.Profile)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s claims %q: judged by %v, want %v", name, claim, got, want)
			}
			wantOutcome := einvoice.Valid
			if want == nil {
				wantOutcome = einvoice.NotJudged
			}
			if v.Outcome != wantOutcome || (v.Note == "") != (want != nil && !strings.Contains(claim, "factur-x")) {
				t.Errorf("%s claims %q: %s %q %v", name, claim, v.Outcome, v.Note, v.Findings)
			}
		}
	}
}

func TestFindingsListViolatingElements(t *testing.T) {
	t.Parallel()
	doc := base(t, "ubl-invoice")
	doc = strings.Replace(doc, "<cbc:Name>Lamp</cbc:Name>", "<cbc:Name> </cbc:Name>", 1)
	doc = strings.Replace(doc, "<cbc:ID>F-2026-0815</cbc:ID>", "", 1)
	v := judge(t, doc)
	if v.Outcome != einvoice.Invalid || !slices.Equal(v.Violated(einvoice.EN16931), []string{"BR-02", "BR-25"}) {
		t.Fatalf("%s: %v", v.Outcome, v.Violated(einvoice.Profiles()...))
	}
	f := v.Findings[slices.IndexFunc(v.Findings, func(f einvoice.Finding) bool { return f.Rule == "BR-25" })]
	if f.Severity != einvoice.Fatal || f.Count != 1 || !slices.Equal(f.Elements, []string{"/Invoice/InvoiceLine[2]"}) || !slices.Contains(f.Terms, "BT-153") {
		t.Errorf("%+v", f)
	}
}

func TestOtherFormatsHaveNoVerdict(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{"<Order xmlns='urn:oasis:names:specification:ubl:schema:xsd:Order-2'/>", "<Invoice/>", "<a/>"} {
		if v := judge(t, doc); v != nil {
			t.Errorf("%s: %+v", doc, v)
		}
	}
}

// TestElementsAreBounded checks that a finding lists only a few of many violating
// elements.
func TestElementsAreBounded(t *testing.T) {
	t.Parallel()
	line := "<cac:InvoiceLine><cbc:ID>9</cbc:ID></cac:InvoiceLine>"
	doc := strings.Replace(base(t, "ubl-invoice"), "</Invoice>", strings.Repeat(line, 5000)+"</Invoice>", 1)
	for _, f := range judge(t, doc).Findings {
		if len(f.Elements) > einvoice.MaxElements || f.Rule == "BR-22" && f.Count != 5000 {
			t.Errorf("%s: %d elements, count %d", f.Rule, len(f.Elements), f.Count)
		}
	}
}

// TestTooManyElements checks that a document that is too large to be judged states the
// profiles that it claims.
func TestTooManyElements(t *testing.T) {
	t.Parallel()
	for _, name := range bases {
		doc := base(t, name)
		end := strings.LastIndex(doc, "</")
		padded := doc[:end] + strings.Repeat("<x/>", MaxElements) + doc[end:]
		v := judge(t, padded)
		if v.Outcome != einvoice.NotJudged || !slices.Equal(v.Unjudged, []einvoice.Profile{einvoice.EN16931, einvoice.PeppolBIS3}) ||
			len(v.RuleSets) != 0 || v.Customization != peppolID || v.Note == "" {
			t.Errorf("%s: %+v", name, v)
		}
		parsed := einvoice.ParseByProfile(v.ByProfile())
		if len(parsed) != 2 || !parsed[0].Unjudged || !parsed[1].Unjudged || parsed[1].Profile != einvoice.PeppolBIS3 || len(parsed[1].Rules) != 0 {
			t.Errorf("%s: %q is %+v", name, v.ByProfile(), parsed)
		}
		if v := judge(t, strings.Replace(padded, peppolID, "urn:example:own", 1)); v.Outcome != einvoice.NotJudged || len(v.Unjudged) != 0 {
			t.Errorf("%s without a profile: %+v", name, v)
		}
	}
}

var (
	ruleID   = regexp.MustCompile(`^[A-Z]{2,}(-[A-Za-z0-9]+)+$`)
	termName = regexp.MustCompile(`^B[TG]-\d+$`)
)

func TestRuleTable(t *testing.T) {
	t.Parallel()
	for _, s := range []*ruleSet{&en16931, &xrechnung, &peppol} {
		seen := map[string]bool{}
		for i := range s.rules {
			r := &s.rules[i]
			if !ruleID.MatchString(r.id) || seen[r.id] {
				t.Errorf("%s: malformed or duplicate", r.id)
			}
			seen[r.id] = true
			if r.ubl == nil && r.cii == nil || rank(r.severity) < 0 || !strings.HasSuffix(r.message, ".") || strings.Contains(r.message, "%!") {
				t.Errorf("%s: incomplete: %q", r.id, r.message)
			}
			for _, term := range r.termList() {
				if !termName.MatchString(term) {
					t.Errorf("%s: term %s", r.id, term)
				}
			}
		}
		t.Logf("%s %s: %d rules", s.profile, s.version, len(s.rules))
	}
}

func TestCodeListsHaveVersions(t *testing.T) {
	t.Parallel()
	if len(CodeLists()) < 25 {
		t.Errorf("%d code lists", len(CodeLists()))
	}
	for _, l := range CodeLists() {
		if l.Title == "" || l.Version == "" {
			t.Errorf("%+v", l)
		}
	}
}

// large returns the invoice with many lines.
func large(t testing.TB, lines int) string {
	doc := base(t, "ubl-invoice")
	from := strings.LastIndex(doc, "  <cac:InvoiceLine>")
	line := strings.TrimSuffix(doc[from:], "</Invoice>\n")
	var b strings.Builder
	for i := range lines {
		b.WriteString(strings.Replace(line, "<cbc:ID>2</cbc:ID>", "<cbc:ID>"+strconv.Itoa(i+3)+"</cbc:ID>", 1))
	}
	return doc[:from] + line + b.String() + "</Invoice>"
}

// BenchmarkJudge measures the additional time of the verdict: at most 3 ms.
func BenchmarkJudge(b *testing.B) {
	docs := map[string]string{"ubl with 100 lines": large(b, 100)}
	for _, name := range bases {
		docs[name] = base(b, name)
	}
	for name, doc := range docs {
		tree := parsed(b, doc)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if v := Judge(tree.Root(), tree.Elements()); v.Outcome == einvoice.NotJudged {
					b.Fatal(v.Note)
				}
			}
		})
	}
}

// TestLinesOfAnotherTaxScheme checks that a line of category S under a tax scheme other
// than VAT violates BR-S-02, as in the official artefact.
func TestLinesOfAnotherTaxScheme(t *testing.T) {
	t.Parallel()
	e := elements(t, base(t, "ubl-invoice"))
	e.change(t, "set InvoiceLine/Item/ClassifiedTaxCategory/ID S ; set InvoiceLine[2]/Item/ClassifiedTaxCategory/ID S ; "+
		"set InvoiceLine/Item/ClassifiedTaxCategory/TaxScheme/ID GST ; set InvoiceLine[2]/Item/ClassifiedTaxCategory/TaxScheme/ID GST")
	if !violated(t, e.String())["BR-S-02"] {
		t.Error("lines without VAT do not violate BR-S-02")
	}
	e.change(t, "set InvoiceLine/Item/ClassifiedTaxCategory/TaxScheme/ID VAT")
	if violated(t, e.String())["BR-S-02"] {
		t.Error("a line with VAT and an identified seller violates BR-S-02")
	}
}
