// Package einvoice holds what the official rules for electronic invoices say
// of a document: EN 16931 and the specifications that narrow it.
package einvoice

import (
	"slices"
	"strings"
)

// Profile is a set of official rules.
type Profile string

// The profiles whose rules are evaluated.
const (
	EN16931    Profile = "EN16931"
	XRechnung  Profile = "XRECHNUNG"
	PeppolBIS3 Profile = "PEPPOL_BIS_3"
)

// Profiles returns every profile.
func Profiles() []Profile { return []Profile{EN16931, XRechnung, PeppolBIS3} }

// Severity is how much a violated rule matters by the official artefacts.
type Severity string

// Severities of rules. Only a fatal one makes a document invalid.
const (
	Fatal       Severity = "FATAL"
	Warning     Severity = "WARNING"
	Information Severity = "INFORMATION"
)

// Outcome is the result of a validation.
type Outcome string

// Outcomes of validations.
const (
	Valid     Outcome = "VALID"      // no fatal rule is violated
	Invalid   Outcome = "INVALID"    // at least one fatal rule is violated
	NotJudged Outcome = "NOT_JUDGED" // the document claims no profile with rules, or is too large
)

// MaxElements is how many elements a Finding lists.
const MaxElements = 10

// Finding is a violated rule.
type Finding struct {
	Rule     string // official id
	Profile  Profile
	Severity Severity
	Terms    []string // business terms and groups of EN 16931 (BT-1, BG-25), where the rule names some
	Message  string   // docledger's own words
	Elements []string // paths of the elements that violate the rule, the first MaxElements of them
	Count    int      // number of all such elements
}

// RuleSet names the version of a profile's rules and code lists.
type RuleSet struct {
	Profile Profile
	Version string
}

// Verdict is what the rules of the profiles that a document claims say of it.
type Verdict struct {
	Outcome       Outcome
	Format        string    // ubl, cii, …
	Customization string    // the specification that the document names (BT-24), as stated
	RuleSets      []RuleSet // the evaluated ones
	Unjudged      []Profile // profiles that the document claims and whose rules were not evaluated
	Findings      []Finding // fatal ones first, then in the order of the rule sets
	Note          string    // why the document is not judged, or what limits the verdict
}

// Violated returns the ids of the fatal rules that the document violates among
// those of the profiles.
func (v *Verdict) Violated(profiles ...Profile) []string {
	var out []string
	for _, f := range v.Findings {
		if f.Severity == Fatal && slices.Contains(profiles, f.Profile) && !slices.Contains(out, f.Rule) {
			out = append(out, f.Rule)
		}
	}
	return out
}

// notJudged is in the place of the violated rules of a profile in the text of ByProfile.
const notJudged = "?"

// ByProfile returns the violated fatal rules of each claimed profile as text that
// ParseByProfile reads: "EN16931=BR-02,BR-03;XRECHNUNG=". "EN16931=?" means that the
// rules were not evaluated.
func (v *Verdict) ByProfile() string {
	var parts []string
	for _, s := range v.RuleSets {
		parts = append(parts, string(s.Profile)+"="+strings.Join(v.Violated(s.Profile), ","))
	}
	for _, p := range v.Unjudged {
		parts = append(parts, string(p)+"="+notJudged)
	}
	return strings.Join(parts, ";")
}

// Violations are the violated fatal rules of one profile.
type Violations struct {
	Profile  Profile
	Rules    []string
	Unjudged bool // the rules were not evaluated
}

// ParseByProfile reads the text of ByProfile; text of another form has no profile.
func ParseByProfile(text string) (out []Violations) {
	for part := range strings.SplitSeq(text, ";") {
		profile, rules, ok := strings.Cut(part, "=")
		if !ok {
			continue
		}
		v := Violations{Profile: Profile(profile)}
		switch rules {
		case "":
		case notJudged:
			v.Unjudged = true
		default:
			v.Rules = strings.Split(rules, ",")
		}
		out = append(out, v)
	}
	return out
}

// Unjudged returns the verdict on a document that no rules apply to.
func Unjudged(note string) *Verdict { return &Verdict{Outcome: NotJudged, Note: note} }
