package transfer_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"docledger/adapter/store/transfer"
)

// Values that databases, drivers or JSON may change.
var (
	texts = []string{"", " ", "it's \"quoted\" \\ and <b>&amp;", "Ä\u0301\u2028😀\n\t\x01\x7f", "null", "1.50", "2026-01-01 00:00:00", "true", "\ufeff"}
	jsons = []string{
		"null", "{}", "[]", `""`, "0", "-1.50", "0.0015", "100", "12345678901234567890.123456789", "true", `"\u0001é😀<&>"`,
		`{"":null,"a":[1,{"b":"c"}],"aa":2,"b":[],"é":{}}`,
	}
	moments = []time.Time{
		time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 29, 1, 59, 59, 999_999_000, time.UTC),
		time.Date(2026, 12, 31, 23, 0, 0, 1000, time.UTC), {}, time.Date(9999, 12, 31, 23, 59, 59, 100_000_000, time.UTC),
	}
	numbers = []int64{0, 1, 1 << 53, 1<<53 + 1, 1<<63 - 1}
	reals   = []float64{0, 0.1, 1e-07, 1e21, 123456.789}
	blobs   = []string{"", "\x00", "\xff\xfe'\"", strings.Repeat("sealed", 100)}
)

// hostileRows are n rows of every table, in order. The n-th rows of all tables have the same id,
// so that each refers to the n-th row of the other tables.
func hostileRows(rows int) map[string][]string {
	out := map[string][]string{}
	for _, table := range transfer.Tables() {
		columns := transfer.Columns(table)
		for n := range rows {
			var fields []string
			for i, c := range columns {
				fields = append(fields, hostile(table, c[0], c[1], n, n+i))
			}
			out[table] = append(out[table], "["+strings.Join(fields, ",")+"]")
		}
	}
	out["documents"] = partsLast(out["documents"])
	return out
}

// optional lists columns that may be null; every third row has null there.
var optional = map[string]bool{
	"organizations.trial_expiry_date": true, "organizations.payment_customer_id": true, "users.password_changed_at": true,
	"users.identity_id": true, "documents.failure": true, "documents.pages": true, "invoices.issue_date": true, "invoices.net_fixed": true,
	"invoices.net_total": true, "invoice_lines.evidence": true, "events.changes": true, "idempotency_keys.body": true,
	"integrations.grant_id": true, "watch_nodes.modified_at": true,
}

// hostile is the value of a column in the n-th row.
func hostile(table, column, kind string, n, at int) string {
	if name := table + "." + column; optional[name] && n%3 == 2 || name == "documents.parent_id" && n%2 == 0 {
		return "null"
	}
	switch kind {
	case "uuid":
		if table == "documents" && column == "parent_id" {
			n-- // the preceding row
		}
		return fmt.Sprintf(`"00000000-0000-4000-8000-%012x"`, n)
	case "text":
		return hostileText(column, n, at)
	case "int":
		if column == "seq" {
			return strconv.Itoa(n + 1)
		}
		if column == "part" || column == "ordinal" || column == "interruptions" { // small numbers
			return strconv.Itoa(n % 2)
		}
		return fmt.Sprint(numbers[at%len(numbers)])
	case "real":
		return strconv.FormatFloat(reals[at%len(reals)], 'g', -1, 64)
	case "bool":
		return strconv.FormatBool(at%2 == 0)
	case "time":
		return moments[at%len(moments)].Format(`"2006-01-02T15:04:05.000000Z"`)
	case "date":
		return moments[at%len(moments)].Format(`"2006-01-02"`)
	case "json":
		return "[" + jsons[at%len(jsons)] + "]"
	case "bytes":
		return `"` + base64.StdEncoding.EncodeToString([]byte(blobs[at%len(blobs)])) + `"`
	}
	panic(kind)
}

// hostileText begins with the number of its row, so that keys differ and are ordered, upper case
// before lower.
func hostileText(column string, n, at int) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	text := fmt.Sprintf("%06d%s%s", n, []string{"B", "a"}[n%2], texts[at%len(texts)])
	if column == "sha256" {
		text = fmt.Sprintf("%064x", n)
	}
	if err := enc.Encode(text); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

// partsLast puts documents that refer to others after them.
func partsLast(rows []string) []string {
	var whole, parts []string
	for n, row := range rows {
		if n%2 == 0 {
			whole = append(whole, row)
		} else {
			parts = append(parts, row)
		}
	}
	return append(whole, parts...)
}
