package quickbooks

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// FuzzParseQuery checks that the parser fails only with a fault, and that a value that was
// escaped and quoted is parsed unchanged.
func FuzzParseQuery(f *testing.F) {
	for _, s := range []string{
		"select * from Vendor", "SELECT COUNT(*) FROM Account WHERE Active IN (true,false) AND Name LIKE '%x%' ORDERBY Name DESC STARTPOSITION 1 MAXRESULTS 10",
		`O'Neill \ "x"`, "' OR '1' = '1", "\\", "日本語", "a\x00b", "1e999999999",
	} {
		f.Add(s)
	}
	limits := DefaultLimits()
	b := newBook(DefaultCompanies()[0], time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC))
	s := &Server{limits: limits}
	f.Fuzz(func(t *testing.T, text string) {
		if q, refused := parseQuery(text); refused == nil {
			if q.start < 1 || q.most < 0 || q.entity == "" {
				t.Errorf("%q: %+v", text, q)
			}
			for _, c := range q.conditions {
				if !slices.Contains(operators, c.operator) || len(c.values) == 0 {
					t.Errorf("%q: condition %+v", text, c)
				}
			}
			if s.check(b, q) == nil {
				b.sought(kindNamed(q.entity), q)
			}
		}
		quoted := "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
		q, refused := parseQuery("select * from Vendor where DisplayName = " + quoted + " maxresults 5")
		if refused != nil {
			if len(quoted) < longestQuery/2 {
				t.Errorf("%q: %s", quoted, refused.detail)
			}
			return
		}
		if len(q.conditions) != 1 || q.conditions[0].values[0].text != text || q.most != 5 {
			t.Errorf("%q came back as %+v", text, q)
		}
		if refused := s.check(b, q); refused != nil {
			t.Errorf("%q: %s", text, refused.detail)
		}
		b.sought("Vendor", q)
	})
}
