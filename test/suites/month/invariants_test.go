package month

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// verify checks the invariants of the month.
func (m *month) verify() {
	invoices := m.all("/api/invoices", url.Values{})
	m.oneInvoiceOrReason(invoices)
	m.oneBillEach(invoices)
	m.sumsAgree()
	m.usageIsCount(invoices)
	m.everyChangeHasAnEvent(invoices)
	m.covers(invoices)
}

// covers: the month contains what its invariants are about.
func (m *month) covers(invoices []object) {
	seen := map[string]int{}
	for _, p := range m.papers {
		seen[p.kind]++
		seen["over "+p.channel]++
	}
	for _, inv := range invoices {
		seen[text(inv, "status")]++
	}
	for _, a := range m.done {
		seen[a.event+" by "+a.actorType]++
	}
	for _, b := range m.books {
		seen["bills of "+b.Provider] = len(b.bills())
	}
	for _, want := range []string{
		good, wrong, garbage, "over " + byUpload, "over " + byLink, "over " + byEmail, "over " + byStore, "SYNCED",
		"invoice.approved by USER", "invoice.approved by ASSISTANT", "invoice.corrected by USER", "invoice.note_added by ASSISTANT",
	} {
		if seen[want] == 0 {
			m.t.Errorf("the month has no %s", want)
		}
	}
	if len(m.papers) >= 1000 && (seen[credit] == 0 || seen[hybrid] == 0 || seen[double] == 0 || seen[again] == 0 || seen[copied] == 0) {
		m.t.Errorf("the month lacks a kind of document: %v", seen)
	}
	m.t.Logf("%d documents sent, %d invoices; %v", len(m.papers), len(invoices), seen)
}

// oneInvoiceOrReason: each document is exactly one invoice or one named reason; a split file or a
// container has parts, which are documents.
func (m *month) oneInvoiceOrReason(invoices []object) {
	of, children := map[string]int{}, map[string]int{}
	for _, inv := range invoices {
		of[text(inv, "document_id")]++
	}
	byName, containers, parts := m.documents()
	all := append(containers, parts...)
	for _, d := range byName {
		all = append(all, d)
	}
	for _, d := range all {
		children[text(d, "parent_id")]++
	}
	for _, d := range all {
		id, status := text(d, "id"), text(d, "status")
		failure, _ := d["failure"].(object)
		named := text(failure, "code") != "" && text(failure, "message") != ""
		var ok bool
		switch status {
		case "EXTRACTED":
			ok = of[id] == 1 && failure == nil && text(d, "invoice_id") != ""
		case "SPLIT":
			ok = of[id] == 0 && children[id] > 0
		case "FAILED", "NOT_AN_INVOICE":
			ok = of[id] == 0 && named
		}
		if !ok {
			m.report("the document %v has %d invoices and %d parts", d, of[id], children[id])
		}
		delete(of, id)
	}
	for id, n := range of {
		m.report("%d invoices are of no document: %s", n, id)
	}
	for name, p := range m.papers {
		d := byName[name]
		wanted := map[string]string{garbage: "FAILED", double: "SPLIT", copied: ""}
		want, special := wanted[p.kind]
		if !special {
			want = "EXTRACTED"
		}
		if got := text(d, "status"); got != want {
			m.report("%s (%s over %s) ended as %q, want %q: %v", name, p.kind, p.channel, got, want, d)
		}
	}
}

// oneBillEach: each approved invoice is one bill with its amount, and there is no other bill.
func (m *month) oneBillEach(invoices []object) {
	for _, b := range m.books {
		bills := map[string][]int{}
		for _, bill := range b.bills() {
			bills[bill.number] = append(bills[bill.number], bill.cents)
		}
		for _, inv := range invoices {
			c := m.companyOf(text(inv, "entity_id"))
			if c.book != b || text(inv, "status") == "REJECTED" {
				continue
			}
			number := text(inv, "invoice_number")
			want := m.signedCents(text(inv, "gross_total"), text(inv, "document_type") == "CREDIT_NOTE")
			if got := bills[number]; text(inv, "status") != "SYNCED" || len(got) != 1 || got[0] != want {
				m.report("%s is %v with the bills %v, want one of %d", number, inv["status"], got, want)
			}
			delete(bills, number)
		}
		for number, of := range bills {
			m.report("%s has the bills %v of %s without an approved invoice", b.Provider, of, number)
		}
	}
}

func (m *month) companyOf(id string) *company {
	m.t.Helper()
	for _, c := range m.companies {
		if c.id == id {
			return c
		}
	}
	m.t.Fatalf("an invoice of the unknown entity %s", id)
	return nil
}

func (m *month) signedCents(amount string, negative bool) int { return signedOf(m, amount, negative) }

func signedOf(m *month, amount string, negative bool) int {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(amount, "-"), ".")
	n, err := strconv.Atoi(whole + (fraction + "00")[:2])
	if err != nil {
		m.t.Fatalf("the amount %q", amount)
	}
	if negative != strings.HasPrefix(amount, "-") {
		return -n
	}
	return n
}

// sumsAgree: the export, the sums of the API and the ledgers agree for each ledger.
func (m *month) sumsAgree() {
	exported := m.s.Do(http.MethodGet, "/api/invoices/export?status=SYNCED", m.org.Admin.Token, nil).OK()
	rows, err := csv.NewReader(bytes.NewReader(exported.Raw)).ReadAll()
	if err != nil || len(rows) == 0 {
		m.t.Fatalf("the export: %v", err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	byExport, bySum := map[*book]int{}, map[*book]int{}
	for _, row := range rows[1:] {
		b := m.companyOf(row[column["entity_id"]]).book
		if row[column["currency"]] != b.currency {
			m.report("an invoice in %s in the ledger of %s", row[column["currency"]], b.currency)
		}
		byExport[b] += signedOf(m, row[column["gross_total"]], false)
	}
	sums := m.s.Do(http.MethodGet, "/api/invoices/summary?group_by=entity&status=SYNCED", m.org.Admin.Token, nil).OK()
	for i := range sums.Len("items") {
		bySum[m.companyOf(sums.Text("items", i, "entity_id")).book] += signedOf(m, sums.Text("items", i, "gross_total"), false)
	}
	for _, b := range m.books {
		total := 0
		for _, bill := range b.bills() {
			total += bill.cents
		}
		if total == 0 || byExport[b] != total || bySum[b] != total {
			m.report("%s has %d cents, the export %d, the sums %d", b.Provider, total, byExport[b], bySum[b])
		}
	}
}

// usageIsCount: the usage equals the number of invoices, also by entity.
func (m *month) usageIsCount(invoices []object) {
	want, got := map[string]int{}, map[string]int{}
	for _, inv := range invoices {
		want[text(inv, "entity_id")]++
	}
	// The counter is read before the month of the clock, so that it cannot be that of a later month.
	counter := m.s.Do(http.MethodGet, "/api/billing", m.org.Admin.Token, nil).OK().Number("usage", "invoices_this_month")
	months := []string{m.began.UTC().Format("2006-01")}
	if now := time.Now().UTC().Format("2006-01"); now != months[0] {
		months = append(months, now)
	}
	total := 0
	for _, of := range months {
		usage := m.s.Do(http.MethodGet, "/api/billing/usage?month="+of, m.org.Admin.Token, nil).OK()
		for i := range usage.Len("items") {
			got[usage.Text("items", i, "entity_id")] += usage.Number("items", i, "invoices")
		}
		total += usage.Number("total")
	}
	if total != len(invoices) {
		m.report("the usage is %d, with %d invoices", total, len(invoices))
	}
	// The counter that the limit is compared with is another than the usage by entity.
	if len(months) == 1 && counter != len(invoices) {
		m.report("the counter is %d, with %d invoices", counter, len(invoices))
	}
	for id, n := range want {
		if got[id] != n {
			m.report("the usage of %s is %d, with %d invoices", m.companyOf(id).name, got[id], n)
		}
	}
}

// everyChangeHasAnEvent: the log has each action with its actor, every version of every invoice, and
// the decision about every invoice.
func (m *month) everyChangeHasAnEvent(invoices []object) {
	actors, types, versions := map[action]bool{}, map[string]map[string]object{}, map[string]map[int]bool{}
	cursor := ""
	for {
		page := m.s.Do(http.MethodGet, "/api/events?limit=200"+cursor, m.org.Admin.Token, nil).OK()
		list, _ := page.At("items").([]any)
		for _, item := range list {
			e := item.(object)
			subject, actor := e["subject"].(object), e["actor"].(object)
			id, kind := text(subject, "id"), text(e, "type")
			if text(actor, "type") == "" || (text(actor, "type") == "SYSTEM") != (text(actor, "id") == "") {
				m.report("the event %v has no actor", e)
			}
			actors[action{kind, id, text(actor, "type"), text(actor, "id")}] = true
			if types[id] == nil {
				types[id], versions[id] = map[string]object{}, map[int]bool{}
			}
			types[id][kind] = e
			if v, ok := subject["version"].(float64); ok {
				versions[id][int(v)] = true
			}
		}
		next := page.Text("next_cursor")
		if len(list) < 200 || next == "" {
			break
		}
		cursor = "&after=" + url.QueryEscape(next)
	}
	for _, a := range m.done {
		if !actors[a] {
			m.report("no event of %+v", a)
		}
	}
	for _, inv := range invoices {
		id := text(inv, "id")
		need := map[string]string{"SYNCED": "invoice.synced", "REJECTED": "invoice.rejected"}[text(inv, "status")]
		for _, kind := range []string{need, "invoice.approved"} {
			if types[id][kind] == nil && (kind == need || text(inv, "status") == "SYNCED") {
				m.report("the invoice %v has no event %s", inv, kind)
			}
		}
		version, _ := inv["version"].(float64)
		var missing []string
		for v := 1; v <= int(version); v++ {
			if !versions[id][v] {
				missing = append(missing, fmt.Sprint(v))
			}
		}
		if len(missing) > 0 {
			m.report("the invoice %s (%s) has no event of its versions %v", text(inv, "invoice_number"), id, missing)
		}
	}
}
