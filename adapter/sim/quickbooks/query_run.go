package quickbooks

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// sort is the way in which values of a property are compared.
type sort int

const (
	text sort = iota
	truth
	digits // an id or an amount
	moment
	enum // one of AccountTypes
)

// schemas are the kinds of records that can be queried, with the properties that a condition or
// an order may use.
var schemas = map[string]map[string]sort{
	"Account": {
		"Id": digits, "Name": text, "FullyQualifiedName": text, "Active": truth, "AccountType": enum, "AccountSubType": text,
		"Classification": text, "AcctNum": text, "SubAccount": truth, "CurrentBalance": digits, "CurrencyRef": text,
	},
	"Vendor": {
		"Id": digits, "DisplayName": text, "CompanyName": text, "GivenName": text, "FamilyName": text, "PrintOnCheckName": text,
		"Active": truth, "Balance": digits,
	},
	"TaxCode":         {"Id": digits, "Name": text, "Description": text, "Active": truth, "Taxable": truth},
	"TaxRate":         {"Id": digits, "Name": text, "Active": truth, "RateValue": digits},
	"CompanyCurrency": {"Id": digits, "Code": text, "Name": text, "Active": truth},
	"CompanyInfo":     {"Id": digits, "CompanyName": text},
	"Preferences":     {"Id": digits},
	"Bill": {
		"Id": digits, "DocNumber": text, "TxnDate": moment, "DueDate": moment, "VendorRef": text, "APAccountRef": text, "SalesTermRef": text,
		"TotalAmt": digits, "Balance": digits,
	},
	"VendorCredit": {"Id": digits, "DocNumber": text, "TxnDate": moment, "VendorRef": text, "TotalAmt": digits},
	"Attachable":   {"Id": digits, "FileName": text, "AttachableRef.EntityRef.Type": text, "AttachableRef.EntityRef.value": text},
}

// times are properties of every kind.
var times = map[string]sort{"MetaData.CreateTime": moment, "MetaData.LastUpdatedTime": moment}

// kindNamed finds the kind with a name, ignoring case.
func kindNamed(name string) string {
	for kind := range schemas {
		if strings.EqualFold(kind, name) {
			return kind
		}
	}
	return ""
}

// property finds a property of a kind, ignoring case.
func property(kind, path string) (string, sort, bool) {
	for _, all := range []map[string]sort{schemas[kind], times} {
		for name, s := range all {
			if strings.EqualFold(name, path) {
				return name, s, true
			}
		}
	}
	return "", 0, false
}

// runQuery serves GET and POST query.
func (s *Server) runQuery(c *call) answer {
	statement := c.URL.Query().Get("query")
	if c.Method == http.MethodPost {
		statement = string(c.body)
	}
	q, f := parseQuery(statement)
	if f == nil {
		f = s.check(c.book, q)
	}
	if f != nil {
		return s.refused(f)
	}
	kind := kindNamed(q.entity)
	rows := c.book.sought(kind, q)
	if q.count {
		return s.found(object{"QueryResponse": object{"totalCount": len(rows)}})
	}
	from := min(q.start-1, len(rows))
	most := cmp.Or(q.most, s.limits.DefaultRows)
	rows = rows[from:min(from+most, len(rows))]
	if len(rows) == 0 {
		return s.found(object{"QueryResponse": object{}})
	}
	list := make([]any, len(rows))
	for i, r := range rows {
		list[i] = r
	}
	return s.found(object{"QueryResponse": object{kind: list, "startPosition": q.start, "maxResults": len(rows)}})
}

// check refuses unknown names and invalid values and numbers.
func (s *Server) check(b *book, q *query) *fault {
	kind := kindNamed(q.entity)
	switch {
	case kind == "":
		return &fault{code: "4001", message: "Invalid query", detail: "QueryValidationError: Invalid context declaration " + q.entity}
	case kind == "CompanyCurrency" && !b.company.MultiCurrency:
		return business("Multicurrency is not enabled for this company")
	case q.most > s.limits.MaxRows:
		return &fault{code: "4001", message: "Invalid query", detail: fmt.Sprintf("QueryValidationError: value %d for MAXRESULTS is larger than %d", q.most, s.limits.MaxRows)}
	}
	for i, c := range q.conditions {
		name, how, ok := property(kind, c.path)
		if !ok {
			return &fault{code: "4001", message: "Invalid query", detail: fmt.Sprintf("QueryValidationError: Property %s not found for Entity %s", c.path, kind)}
		}
		q.conditions[i].path = name
		for _, v := range c.values {
			if f := checkValue(name, how, c.operator, v); f != nil {
				return f
			}
		}
	}
	for i, o := range q.order {
		name, _, ok := property(kind, o.path)
		if !ok {
			return &fault{code: "4001", message: "Invalid query", detail: fmt.Sprintf("QueryValidationError: Property %s not found for Entity %s", o.path, kind)}
		}
		q.order[i].path = name
	}
	return nil
}

func checkValue(name string, how sort, operator string, v value) *fault {
	if _, known := AccountTypes()[v.text]; how == enum && operator != "LIKE" && !known {
		return &fault{code: "10000", message: "An application error has occurred while processing your request",
			detail: fmt.Sprintf("System Failure Error: %s is not a valid enumeration value for %s", v.text, name)}
	}
	bad := false
	switch how {
	case truth:
		bad = !strings.EqualFold(v.text, "true") && !strings.EqualFold(v.text, "false")
	case digits:
		_, ok := plainNumber(v.text)
		bad = name != "Id" && (!ok || operator == "LIKE")
	case moment:
		_, bad = day(v.text)
		bad = !bad
	}
	if bad {
		return &fault{code: "4001", message: "Invalid query", detail: fmt.Sprintf("QueryValidationError: value %s is not valid for %s", v.text, name)}
	}
	return nil
}

// plainNumber parses a number of a size that is cheap to process.
func plainNumber(s string) (decimal.Decimal, bool) {
	const longest = 40
	if len(s) > longest || strings.ContainsAny(s, "eE") {
		return decimal.Zero, false
	}
	d, err := decimal.NewFromString(s)
	return d, err == nil
}

// day parses a date or a time.
func day(s string) (time.Time, bool) {
	for _, layout := range []string{"2006-01-02", timeLayout, time.RFC3339, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// sought returns the records that a query selects, as in a response. It omits inactive records
// unless the query has a condition on Active.
func (b *book) sought(kind string, q *query) (out []object) {
	all := !slices.ContainsFunc(q.conditions, func(c condition) bool { return c.path == "Active" })
	for _, r := range b.rowsOf(kind) {
		shown := r.shown()
		if active, has := shown["Active"]; all && has && active == false {
			continue
		}
		if !slices.ContainsFunc(q.conditions, func(c condition) bool { return !c.holds(kind, shown) }) {
			out = append(out, shown)
		}
	}
	slices.SortStableFunc(out, func(x, y object) int {
		for _, o := range q.order {
			_, how, _ := property(kind, o.path)
			n := compare(how, first(x, o.path), first(y, o.path))
			if o.descending {
				n = -n
			}
			if n != 0 {
				return n
			}
		}
		return 0
	})
	return out
}

func (c *condition) holds(kind string, of object) bool {
	_, how, _ := property(kind, c.path)
	for _, have := range values(of, strings.Split(c.path, ".")) {
		if slices.ContainsFunc(c.values, func(v value) bool { return c.fits(how, have, v.text) }) {
			return true
		}
	}
	return false
}

func (c *condition) fits(how sort, have, want string) bool {
	if c.operator == "LIKE" {
		return like(strings.ToLower(have), strings.ToLower(want))
	}
	n := compare(how, have, want)
	switch c.operator {
	case "<":
		return n < 0
	case ">":
		return n > 0
	case "<=":
		return n <= 0
	case ">=":
		return n >= 0
	}
	return n == 0
}

// like matches a pattern in which % matches any text.
func like(s, pattern string) bool {
	parts := strings.Split(pattern, "%")
	if len(parts) == 1 {
		return s == pattern
	}
	last := len(parts) - 1
	s, ok := strings.CutPrefix(s, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1:last] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return strings.HasSuffix(s, parts[last])
}

func compare(how sort, x, y string) int {
	switch how {
	case digits:
		a, okA := plainNumber(x)
		b, okB := plainNumber(y)
		if okA && okB {
			return a.Cmp(b)
		}
	case moment:
		a, okA := day(x)
		b, okB := day(y)
		if okA && okB {
			return a.Compare(b)
		}
	case text, truth, enum:
		return cmp.Compare(strings.ToLower(x), strings.ToLower(y))
	}
	return cmp.Compare(x, y)
}

// values returns the values at a path, through lists. A reference yields its value.
func values(v any, path []string) (out []string) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			out = append(out, values(one, path)...)
		}
		return out
	case object:
		if len(path) == 0 {
			return values(v["value"], nil)
		}
		for name, inner := range v {
			if strings.EqualFold(name, path[0]) {
				return values(inner, path[1:])
			}
		}
		return nil
	case nil:
		return nil
	case json.Number:
		return []string{v.String()}
	default:
		return []string{fmt.Sprint(v)}
	}
}

func first(of object, path string) string {
	if all := values(of, strings.Split(path, ".")); len(all) > 0 {
		return all[0]
	}
	return ""
}
