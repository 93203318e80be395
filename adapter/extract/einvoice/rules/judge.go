package rules

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"docledger/adapter/extract/einvoice/xmltree"
	"docledger/domain/einvoice"
)

// ruleSet is a table of rules with its version.
type ruleSet struct {
	profile einvoice.Profile
	version string
	rules   []rule
}

// The rule sets and the versions of the official artefacts that they implement.
var (
	en16931 = ruleSet{einvoice.EN16931, "1.3.16", slices.Concat(
		enDocument, enTotals, enLines, enVAT(), enCodes, enDecimals,
		enSyntaxUBL, elementRules(elementsUBL, false), enSyntaxCII, elementRules(elementsCII, true))}
	xrechnung = ruleSet{einvoice.XRechnung, "3.0 (Schematron 2.5.0)", slices.Concat(
		xrechnungCore, xrechnungOther, xrechnungExtension, xrechnungCVD, xrechnungPeppol())}
	peppol = ruleSet{einvoice.PeppolBIS3, "3.0.19 (2025-05)", slices.Concat(
		peppolCore, peppolCodes, germanRules(), nordicRules, otherNationalRules)}
)

// Prefixes of specification identifiers (BT-24).
const (
	specEN        = "urn:cen.eu:en16931:2017"
	specPeppol    = "urn:fdc:peppol.eu:2017:poacc:billing:3"
	specXRechnung = "urn:xeinkauf.de:kosit:xrechnung_"
	specXROld     = "urn:xoev-de:kosit:standard:xrechnung_"
)

// claimed returns the rule sets that a document claims, and whether it claims an
// extension of EN 16931 with unknown rules.
func claimed(customization string) (sets []*ruleSet, extended bool) {
	c := normalize(customization)
	if !strings.HasPrefix(c, specEN) {
		return nil, false
	}
	sets = append(sets, &en16931)
	isXR := strings.Contains(c, specXRechnung) || strings.Contains(c, specXROld)
	if isXR {
		sets = append(sets, &xrechnung)
	}
	if strings.Contains(c, specPeppol) {
		sets = append(sets, &peppol)
	}
	return sets, strings.Contains(c, "#conformant#") && !isXR
}

// unknownSpecification returns the part of a specification identifier after EN 16931
// if its rules are unknown, or "".
func unknownSpecification(customization string) string {
	for part := range strings.SplitSeq(customization, "#") {
		switch {
		case strings.HasPrefix(part, specEN), strings.HasPrefix(part, specPeppol), strings.HasPrefix(part, specXRechnung),
			strings.HasPrefix(part, specXROld), strings.HasPrefix(part, "urn:xeinkauf.de:kosit:"), !strings.Contains(part, ":"):
		default:
			return part
		}
	}
	return ""
}

// Judge returns the verdict on a UBL invoice, UBL credit note or CII invoice by the
// rules of the profiles that the document claims. root is its root element. It
// returns nil for documents of other formats.
func Judge(root xmltree.Elem, elements int) *einvoice.Verdict {
	format, ok := formatOf(root)
	if !ok {
		return nil
	}
	v := &einvoice.Verdict{Outcome: einvoice.NotJudged, Format: format}
	var d *document
	if elements > MaxElements {
		v.Customization = cut(specification(root, format), maxCustomization)
	} else {
		d = load(root, elements)
		paths := &pathsUBL
		if d.cii {
			paths = &pathsCII
		}
		v.Customization = cut(paths.customization.first(d, nil).value(), maxCustomization)
	}
	sets, extended := claimed(v.Customization)
	if len(sets) == 0 {
		v.Note = "The document does not claim to follow EN 16931 (BT-24), so its rules are not evaluated."
		return v
	}
	if d == nil {
		v.Note = "The document has more than " + strconv.Itoa(MaxElements) + " elements, so its rules are not evaluated."
		for _, s := range sets {
			v.Unjudged = append(v.Unjudged, s.profile)
		}
		return v
	}
	if narrowed := unknownSpecification(v.Customization); narrowed != "" {
		v.Note = "The document also claims " + narrowed + ", which has additional rules that docledger does not evaluate."
	}
	if extended {
		v.Note = "The document claims an extension of EN 16931; the rules on single elements are not evaluated, because the extension adds elements."
	}
	v.Findings = d.findings(sets, extended)
	for _, s := range sets {
		v.RuleSets = append(v.RuleSets, einvoice.RuleSet{Profile: s.profile, Version: s.version})
	}
	v.Outcome = einvoice.Valid
	if slices.ContainsFunc(v.Findings, func(f einvoice.Finding) bool { return f.Severity == einvoice.Fatal }) {
		v.Outcome = einvoice.Invalid
	}
	return v
}

const maxCustomization = 200

// specification returns the specification identifier (BT-24) of a document that is too
// large to be loaded.
func specification(root xmltree.Elem, format string) string {
	if format == "cii" {
		return root.Path("ExchangedDocumentContext", "GuidelineSpecifiedDocumentContextParameter", "ID").Text()
	}
	return root.Child("CustomizationID").Text()
}

func formatOf(root xmltree.Elem) (string, bool) {
	switch prefixes[root.Space()] + ":" + root.Local() {
	case "ubl:Invoice", "cn:CreditNote":
		return "ubl", true
	case "rsm:CrossIndustryInvoice":
		return "cii", true
	}
	return "", false
}

// findings returns the findings of the rule sets, most severe first.
func (d *document) findings(sets []*ruleSet, extended bool) []einvoice.Finding {
	var out []einvoice.Finding
	replaced := d.replaced()
	for _, s := range sets {
		for i := range s.rules {
			r := &s.rules[i]
			if extended && isSyntaxRule(r.id) || replaced.has(r.id) {
				continue
			}
			if f, ok := d.apply(r); ok {
				f.Profile = s.profile
				out = append(out, f)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b einvoice.Finding) int { return cmp.Compare(rank(a.Severity), rank(b.Severity)) })
	return out
}

// isSyntaxRule reports whether the rule is about the use of elements and not about
// the business content.
func isSyntaxRule(id string) bool {
	return strings.HasPrefix(id, "UBL-") || strings.HasPrefix(id, "CII-")
}

func rank(s einvoice.Severity) int {
	return slices.Index([]einvoice.Severity{einvoice.Fatal, einvoice.Warning, einvoice.Information}, s)
}

// apply evaluates one rule. It reports whether the document violates it.
func (d *document) apply(r *rule) (einvoice.Finding, bool) {
	c := r.check(d.cii)
	if c == nil {
		return einvoice.Finding{}, false
	}
	f := einvoice.Finding{Rule: r.id, Severity: r.level(d.cii), Terms: r.termList(), Message: r.message}
	c.in.each(d, func(n *node) {
		if c.ok(d, n) {
			return
		}
		f.Count++
		if len(f.Elements) < einvoice.MaxElements {
			f.Elements = append(f.Elements, n.path())
		}
	})
	return f, f.Count > 0
}
