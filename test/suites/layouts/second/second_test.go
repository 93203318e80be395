// Package second measures the second document of a supplier after the first one was
// corrected: through the API, with printed layouts.
package second

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"docledger/adapter/extract/pdftext"
	"docledger/adapter/extract/worker"
	"docledger/test/lib/harness"
	"docledger/test/suites/layouts/known"
)

var (
	dir  = flag.String("layouts", "", "folder of printed layouts with known values")
	fold = flag.Int("fold", -1, "use only the layouts of this fold")
	half = flag.String("half", "all", "all, made-on or left-out")
	only = flag.String("only", "", "regular expression on the name of the second document")
	list = flag.Bool("list", false, "list each wrong value and each reason for a review of the second documents")
)

// TestMain uses the models in the folder "models" next to the program, if there are any:
// models that did not see the layouts of the fold. The program runs the children of the
// service too.
func TestMain(m *testing.M) {
	program, err := os.Executable()
	if err == nil {
		models := filepath.Join(filepath.Dir(program), "models")
		if _, err = os.Stat(models); err == nil {
			if err := pdftext.UseModels(os.DirFS(models)); err != nil {
				panic(err)
			}
		}
	}
	worker.ServeIfChild()
	os.Exit(m.Run())
}

// pair contains two documents of one layout, language and country.
type pair struct{ first, second known.Record }

var locale = regexp.MustCompile(`-([a-z]{2}_[A-Z]{2})-\d+\.pdf$`)

func pairs(t *testing.T) []pair {
	t.Helper()
	records, err := known.Load(*dir)
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(*only)
	groups := map[string][]known.Record{}
	for _, r := range records {
		m := locale.FindStringSubmatch(r.File)
		if m == nil || r.Outcome != "extract" || *fold >= 0 && known.FoldOf(r.Category) != *fold ||
			*half == "left-out" && !known.LeftOut(r.Category) || *half == "made-on" && known.LeftOut(r.Category) {
			continue
		}
		groups[r.Category+m[1]] = append(groups[r.Category+m[1]], r)
	}
	var out []pair
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		g := groups[key]
		for i := 1; i < len(g); i++ {
			if pattern.MatchString(g[i].File) {
				out = append(out, pair{g[i-1], g[i]})
			}
		}
	}
	return out
}

// score counts the values of documents.
type score struct {
	documents, passed, exact int
	right, values            int
	stated, sureWrong        int
	reasons                  map[string]int
}

func (s *score) String() string {
	return fmt.Sprintf("documents %d, fields %d/%d = %.2f %%, exact %d, without a person %d = %.1f %%, sure and wrong %d of %d stated values",
		s.documents, s.right, s.values, 100*float64(s.right)/float64(max(s.values, 1)), s.exact, s.passed,
		100*float64(s.passed)/float64(max(s.documents, 1)), s.sureWrong, s.stated)
}

// TestSecondDocument uploads the first document of each pair, corrects its wrong values,
// and approves it. It counts the second one: the documents of the layouts have different
// suppliers, so the correction also makes the supplier and the buyer of the first document
// those of the second one, and its bank account. The place of the seller is therefore not learned.
func TestSecondDocument(t *testing.T) {
	if *dir == "" {
		fmt.Println("NOT MEASURED: no -layouts; test/score-second.sh measures them")
		return
	}
	s := harness.Start(t, harness.Options{})
	alone, after := &score{reasons: map[string]int{}}, &score{reasons: map[string]int{}}
	for i, p := range pairs(t) {
		other := s.NewOrganization(fmt.Sprintf("Alone %d", i))
		unknown := extract(t, s, other, p.second)
		add(t, alone, p.second, unknown, false)
		org := s.NewOrganization(fmt.Sprintf("Pair %d", i))
		first := extract(t, s, org, p.first)
		correct(t, s, org, first, p, account(unknown))
		add(t, after, p.second, extract(t, s, org, p.second), *list)
	}
	fmt.Printf("ALONE %s\nSECOND %s\n", alone, after)
	for _, r := range slices.Sorted(maps.Keys(after.reasons)) {
		fmt.Printf("REASON %s: %d\n", r, after.reasons[r])
	}
}

func extract(t *testing.T, s *harness.Server, org harness.Organization, r known.Record) harness.Response {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(*dir, r.File))
	if err != nil {
		t.Fatal(err)
	}
	up := s.Upload(org.Admin.Token, org.Entity, r.File, data).OK()
	return s.Extract(org.Admin.Token, up.Text("id"))
}

func value(inv harness.Response, field string) string {
	if field == "line_count" {
		return fmt.Sprint(inv.Len("lines"))
	}
	if field == "document_type" {
		return inv.Text("document_type")
	}
	return inv.Text(anys(path(field))...)
}

func path(field string) string {
	if p := known.Paths[field]; p != "" {
		return p
	}
	return field
}

// account returns the bank account to pay to; "" if there is none.
func account(inv harness.Response) string {
	for _, of := range []string{"payment", "seller"} {
		if values, ok := inv.At(of).(map[string]any); ok {
			if iban, ok := values["iban"].(string); ok {
				return iban
			}
		}
	}
	return ""
}

func anys(path string) []any {
	var out []any
	for p := range strings.SplitSeq(path, ".") {
		out = append(out, p)
	}
	return out
}

// correct gives the first document its known values, and the parties of the second one, and
// approves it.
func correct(t *testing.T, s *harness.Server, org harness.Organization, inv harness.Response, p pair, iban string) {
	t.Helper()
	changes := map[string]any{}
	if iban != "" {
		changes["payment"] = map[string]any{"iban": iban}
	}
	set := func(field string, v any) {
		head, rest, nested := strings.Cut(path(field), ".")
		if !nested {
			changes[head] = v
			return
		}
		if changes[head] == nil {
			changes[head] = map[string]any{}
		}
		changes[head].(map[string]any)[rest] = v
	}
	free, _ := p.first.Expected["amount_sign_free"].(bool)
	for _, field := range known.FieldNames {
		v, stated := p.first.Expected[field]
		if !stated || field == "line_count" {
			continue
		}
		switch field {
		case "seller_name", "buyer_name", "seller_tax_id":
			v = p.second.Expected[field]
			if got := value(inv, field); known.Judge(field, known.Wanted(p.second, field), got, free) == "right" {
				continue
			}
		default:
			if got := known.Judge(field, known.Wanted(p.first, field), value(inv, field), free); got == "right" || got == "empty" {
				continue
			}
		}
		if field == "document_type" && v != nil {
			v = strings.ToUpper(fmt.Sprint(v))
		}
		set(field, v)
	}
	at := "/api/invoices/" + inv.Text("id")
	s.Do(http.MethodPatch, at, org.Admin.Token, changes).OK()
	inv = s.Do(http.MethodGet, at, org.Admin.Token, nil).OK()
	failed := []string{}
	for _, c := range inv.At("checks").([]any) {
		c := c.(map[string]any)
		if c["passed"] == false && c["severity"] == "BLOCKING" && !slices.Contains(failed, c["rule"].(string)) {
			failed = append(failed, c["rule"].(string))
		}
	}
	s.Do(http.MethodPost, at+"/approve", org.Admin.Token, map[string]any{"version": inv.At("version"), "acknowledge_checks": failed}).OK()
}

// threshold is the confidence that a value needs without a review.
const threshold = 0.8

func add(t *testing.T, s *score, r known.Record, inv harness.Response, list bool) {
	t.Helper()
	s.documents++
	passes := inv.Text("status") == "EXTRACTED"
	exact := true
	free, _ := r.Expected["amount_sign_free"].(bool)
	for _, field := range known.FieldNames {
		if _, stated := r.Expected[field]; !stated {
			continue
		}
		got := value(inv, field)
		verdict := known.Judge(field, known.Wanted(r, field), got, free)
		s.values++
		good := verdict == "right" || verdict == "empty"
		if good {
			s.right++
		} else {
			exact = false
		}
		confidence, source := -1.0, ""
		if ev, ok := inv.At("fields").(map[string]any)[path(field)].(map[string]any); ok {
			confidence, source = ev["confidence"].(float64), ev["source"].(string)
		}
		if list && !good {
			fmt.Printf("WRONG %s %s %s want %v got %q %.2f %s\n", r.File, field, verdict, r.Expected[field], got, confidence, source)
		}
		if list && good && confidence >= 0 && confidence < threshold && field != "seller_tax_id" && field != "document_type" {
			fmt.Printf("DOUBT %s %s %q %.2f %s\n", r.File, field, got, confidence, source)
		}
		if passes && got != "" {
			s.stated++
			if verdict == "wrong" && confidence >= threshold {
				s.sureWrong++
			}
		}
	}
	if passes {
		s.passed++
	}
	if exact {
		s.exact++
	}
	for _, c := range inv.At("checks").([]any) {
		c := c.(map[string]any)
		if c["passed"] == false && c["severity"] == "BLOCKING" {
			s.reasons[fmt.Sprint(c["rule"])]++
			if list {
				fmt.Printf("FAILED %s %v %v expected %v found %v\n", r.File, c["rule"], c["field"], c["expected"], c["found"])
			}
		}
	}
}
