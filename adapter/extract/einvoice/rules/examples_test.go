package rules

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var updateExamples = flag.Bool("update-examples", false, "search changes for rules without one and rewrite the table of examples")

const examplesTable = "testdata/examples.tsv"

// unbreakable are the rules that no document can violate, because their condition
// cannot be evaluated or the official artefact never evaluates it.
var unbreakable = codes("BR-CO-05 BR-CO-06 BR-CO-07 BR-CO-08 CII-DT-010 CII-DT-011 CII-DT-012")

// example is a rule with two documents: the first change of a base document results
// in a document that passes the rule, and both changes result in one that violates
// it.
type example struct{ rule, base, accepted, violated string }

func examples(t testing.TB) (out []example) {
	t.Helper()
	data, err := os.ReadFile(examplesTable)
	if err != nil && !*updateExamples {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 4 {
			t.Fatalf("%s: malformed line %q", examplesTable, line)
		}
		out = append(out, example{f[0], f[1], f[2], f[3]})
	}
	return out
}

var everySet = []*ruleSet{&en16931, &xrechnung, &peppol}

// violated evaluates every rule of every set, regardless of the document's profile.
func violated(t testing.TB, doc string) map[string]bool {
	t.Helper()
	tree := parsed(t, doc)
	d := load(tree.Root(), tree.Elements())
	out := map[string]bool{}
	for _, s := range everySet {
		for i := range s.rules {
			if _, ok := d.apply(&s.rules[i]); ok {
				out[s.rules[i].id] = true
			}
		}
	}
	return out
}

// TestEveryRuleHasExamples evaluates each rule on a document that passes and on one
// that violates it.
func TestEveryRuleHasExamples(t *testing.T) {
	if *updateExamples {
		searchExamples(t)
	}
	table := examples(t)
	have := map[string]bool{}
	verdicts := map[string]map[string]bool{}
	judged := func(base, change string) map[string]bool {
		key := base + "\t" + change
		if verdicts[key] == nil {
			e := elements(t, baseDocument(t, base))
			e.change(t, change)
			verdicts[key] = violated(t, e.String())
		}
		return verdicts[key]
	}
	for _, x := range table {
		have[x.rule] = true
		if judged(x.base, x.accepted)[x.rule] {
			t.Errorf("%s violates %s after %q", x.base, x.rule, x.accepted)
		}
		both := strings.TrimPrefix(x.accepted+" ; "+x.violated, " ; ")
		if !judged(x.base, both)[x.rule] {
			t.Errorf("%s does not violate %s after %q", x.base, x.rule, both)
		}
	}
	for _, s := range everySet {
		for i := range s.rules {
			if id := s.rules[i].id; !have[id] && !unbreakable.has(id) {
				t.Errorf("%s has no example", id)
			}
		}
	}
	t.Logf("%d examples", len(table))
}

var baseCache = map[string]string{}

func baseDocument(t testing.TB, name string) string {
	if baseCache[name] == "" {
		baseCache[name] = base(t, name)
	}
	return baseCache[name]
}

// searchExamples tries changes of the base documents until each rule has an example
// in each syntax, and writes the table.
func searchExamples(t *testing.T) {
	t.Helper()
	found := map[string]example{}
	for _, x := range examples(t) {
		found[x.rule+"\t"+syntaxOf(x.base)] = x
	}
	for _, base := range bases {
		for _, accepted := range preparations(base) {
			e := elements(t, baseDocument(t, base))
			e.change(t, accepted)
			prepared := e.String()
			before := violated(t, prepared)
			try := func(change string) {
				m := elements(t, prepared)
				m.change(t, change)
				for id := range violated(t, m.String()) {
					key := id + "\t" + syntaxOf(base)
					if _, ok := found[key]; !ok && !before[id] {
						found[key] = example{id, base, accepted, change}
					}
				}
			}
			for _, change := range singleChanges(e) {
				try(change)
			}
			if accepted == "" {
				for _, change := range ruleChanges(base, e) {
					try(change)
				}
			}
		}
	}
	var rows []string
	for _, x := range found {
		rows = append(rows, strings.Join([]string{x.rule, x.base, x.accepted, x.violated}, "\t"))
	}
	slices.Sort(rows)
	if err := os.WriteFile(examplesTable, []byte(strings.Join(rows, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func syntaxOf(base string) string { return base[:3] }

// singleChanges returns simple changes at every element.
func singleChanges(root *element) (out []string) {
	counts := map[*element]map[string]int{}
	var walk func(e *element, path string)
	walk = func(e *element, path string) {
		counts[e] = map[string]int{}
		for _, k := range e.kids {
			counts[e][k.local()]++
			p := strings.TrimPrefix(fmt.Sprintf("%s/%s[%d]", path, k.local(), counts[e][k.local()]), "/")
			p = strings.ReplaceAll(p, "[1]", "")
			out = append(out, "del "+p, "dup "+p, "set "+p+` ""`)
			for _, a := range k.attrs {
				out = append(out, "noattr "+p+" "+a.Name.Local, "attr "+p+" "+a.Name.Local+"=NONE", "attr "+p+" "+a.Name.Local+"=")
			}
			if len(k.kids) == 0 {
				for _, v := range []string{"XX", "-1", "0", "1.234", "999999", "false", "2020-01-01", "20200101", "B", "S", "E", "O", "Z", "59", "48", "30", "01#"} {
					out = append(out, "set "+p+" "+v)
				}
			}
			walk(k, path+fmt.Sprintf("/%s[%d]", k.local(), counts[e][k.local()]))
		}
	}
	walk(root, "")
	return out
}

// ruleChanges adds the elements and attributes that the element rules forbid.
func ruleChanges(base string, root *element) (out []string) {
	data := elementsUBL
	if base == "cii" {
		data = elementsCII
	}
	for line := range strings.Lines(data) {
		f := strings.Fields(line)
		if len(f) < 4 || f[0] == "#" {
			continue
		}
		path := strings.Join(f[3:], "/")
		path = strings.NewReplacer("line/", lineOf(base)+"/", "//", "", "*ReferencedDocument", settlementPath("InvoiceReferencedDocument"),
			"*TradeTax", settlementPath("ApplicableTradeTax"), "*Quantity", ciiLines+"/SpecifiedLineTradeDelivery/BilledQuantity",
			"*DocumentContextParameter", "ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter").Replace(path)
		path = strings.Trim(path, "/")
		attr := ""
		if i := strings.LastIndexByte(path, '@'); i >= 0 {
			path, attr = strings.TrimSuffix(path[:i], "/"), path[i+1:]
		}
		if path == "" {
			path = "ID"
		}
		if deep := root.find("//" + strings.Split(path, "/")[0]); len(deep) > 0 && len(root.find(strings.Split(path, "/")[0])) == 0 {
			path = pathOf(root, deep[0].element) + strings.TrimPrefix(path, strings.Split(path, "/")[0])
		}
		existing, missing := split(root, path)
		change := ""
		if missing != "" || attr == "" {
			if missing == "" {
				existing, missing, _ = cutLast(existing, "/")
			}
			change = "add " + orRoot(existing) + " " + missing + "=1"
		}
		if attr != "" {
			if change != "" {
				change += " ; "
			}
			change += "attr " + path + " " + attr + "=1"
		}
		out = append(out, change, change+" ; "+strings.TrimSuffix(change, "=1")+"=2")
	}
	return out
}

func lineOf(base string) string {
	if base == "ubl-credit-note" {
		return "CreditNoteLine"
	}
	return "InvoiceLine"
}

func settlementPath(name string) string { return settlement + "/" + name }

func orRoot(path string) string {
	if path == "" {
		return "."
	}
	return path
}

// split divides a path into the existing and the missing part.
func split(root *element, path string) (existing, missing string) {
	steps := strings.Split(path, "/")
	for n := len(steps); n > 0; n-- {
		if p := strings.Join(steps[:n], "/"); len(root.find(p)) > 0 {
			return p, strings.Join(steps[n:], "/")
		}
	}
	return "", path
}

// pathOf returns the path of the first element with the same ancestors' names.
func pathOf(root, target *element) string {
	var walk func(e *element, path string) string
	walk = func(e *element, path string) string {
		for _, k := range e.kids {
			p := strings.TrimPrefix(path+"/"+k.local(), "/")
			if k == target {
				return p
			}
			if below := walk(k, p); below != "" {
				return below
			}
		}
		return ""
	}
	return walk(root, "")
}
