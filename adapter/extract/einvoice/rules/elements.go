package rules

import (
	_ "embed"
	"strings"

	"docledger/domain/einvoice"
)

// The rules on single elements and attributes are data: id, severity, kind and
// selectors. The kinds are "none" (the scope must be empty), "most" (at most one
// element in each element of the scope) and "one" (exactly one).
//
//go:embed elements/ubl.txt
var elementsUBL string

//go:embed elements/cii.txt
var elementsCII string

// elementRules returns the rules of a data file.
func elementRules(data string, cii bool) []rule {
	var out []rule
	for line := range strings.Lines(data) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		r := rule{id: f[0], severity: einvoice.Severity(strings.ToUpper(f[1]))}
		var c *check
		switch what := readable(f[3:]); f[2] {
		case "none":
			c, r.message = forbidden(placed(f[3])), "EN 16931 does not use "+what+"."
		case "most":
			c, r.message = at(placed(f[3]), atMost(1, f[4])), "EN 16931 uses "+what+" at most once."
		case "one":
			c, r.message = at(placed(f[3]), exactly(1, f[4])), "EN 16931 needs "+what+" exactly once."
		default:
			panic("element rule " + f[0] + " is of an unknown kind")
		}
		if cii {
			r.cii = c
		} else {
			r.ubl = c
		}
		out = append(out, r)
	}
	return out
}

// placed converts the selector of a data file into a scope: "line/" means the lines
// of invoices and credit notes, and a last step "@x" means elements with the
// attribute.
func placed(s string) string {
	if head, name, ok := cutLast(s, "/@"); ok {
		if head == "/" || head == "" {
			head = "*"
		}
		s = head + "[@" + name + "]"
	}
	s = strings.TrimPrefix(s, "//")
	if rest, ok := strings.CutPrefix(s, "line/"); ok {
		return "/InvoiceLine/" + rest + " | /CreditNoteLine/" + rest
	}
	return s
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// readable returns the display name of an element or attribute: its name and that of
// its parent.
func readable(f []string) string {
	path := strings.TrimPrefix(strings.Join(f, "/"), "/")
	path = strings.TrimPrefix(path, "/")
	steps := strings.Split(path, "/")
	last := steps[len(steps)-1]
	above := ""
	if len(steps) > 1 {
		above = " in " + strings.TrimPrefix(steps[len(steps)-2], "*")
		if steps[len(steps)-2] == "line" {
			above = " in lines"
		}
	}
	if name, ok := strings.CutPrefix(last, "@"); ok {
		return "the attribute " + name + strings.Replace(above, " in ", " of ", 1)
	}
	if i := strings.IndexByte(last, ':'); i >= 0 {
		last = last[i+1:]
	}
	return "the element " + last + above
}
