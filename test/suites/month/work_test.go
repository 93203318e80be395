package month

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"
)

type object = map[string]any

// action is something that somebody did. The log of events must have it.
type action struct{ event, subject, actorType, actor string }

func (m *month) did(event, subject, actorType, actor string) {
	m.done = append(m.done, action{event, subject, actorType, actor})
}

// all reads a list to its end.
func (m *month) all(path string, query url.Values) (items []object) {
	m.t.Helper()
	query.Set("limit", "200")
	for {
		page := m.s.Do(http.MethodGet, path+"?"+query.Encode(), m.org.Admin.Token, nil).OK()
		list, _ := page.At("items").([]any)
		for _, item := range list {
			items = append(items, item.(object))
		}
		next := page.Text("next_cursor")
		if next == "" {
			return items
		}
		query.Set("cursor", next)
	}
}

// await waits until done returns "", which otherwise describes what is missing.
func (m *month) await(what string, done func() string) {
	m.t.Helper()
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); ; <-tick.C {
		missing := done()
		if missing == "" {
			return
		}
		if time.Since(began) > settleTimeout {
			m.t.Fatalf("%s: not within %s: %s", what, settleTimeout, missing)
		}
	}
}

// documents returns the documents by the name of their file, without the parts of split files.
func (m *month) documents() (byName map[string]object, containers, parts []object) {
	byName = map[string]object{}
	for _, d := range m.all("/api/documents", url.Values{}) {
		name := text(d, "filename")
		p := m.papers[name]
		switch {
		case p == nil:
			containers = append(containers, d)
		case p.kind == double && d["parent_id"] != nil && text(d, "status") != "SPLIT":
			parts = append(parts, d)
		case byName[name] != nil:
			m.t.Fatalf("two documents of the file %s: %v, %v", name, byName[name], d)
		default:
			byName[name] = d
		}
	}
	return byName, containers, parts
}

func text(o object, key string) string {
	s, _ := o[key].(string)
	return s
}

// settle waits until every document that was sent has arrived and has ended.
func (m *month) settle() {
	m.t.Helper()
	m.await("documents", func() string {
		running := m.s.Do(http.MethodGet, "/api/documents?status=UPLOADED&status=PROCESSING&limit=1", m.org.Admin.Token, nil).OK()
		if running.Len("items") > 0 {
			return string(running.Raw)
		}
		byName, _, _ := m.documents()
		for name, p := range m.papers {
			d := byName[name]
			if p.kind == copied {
				if d != nil {
					m.t.Fatalf("%s has the bytes of %s and is another document: %v", name, p.first.name, d)
				}
				continue
			}
			if d == nil || text(d, "status") == "UPLOADED" || text(d, "status") == "PROCESSING" {
				return fmt.Sprintf("%s (%s, %s): %v", name, p.kind, p.channel, d)
			}
		}
		return ""
	})
}

// review lets people and the assistant end the review of every open invoice.
func (m *month) review() {
	m.t.Helper()
	byName, _, parts := m.documents()
	of := map[string]*paper{}
	for name, d := range byName {
		of[text(d, "id")] = m.papers[name]
	}
	for _, d := range parts {
		of[text(d, "id")] = m.papers[text(d, "filename")]
	}
	for _, c := range m.companies {
		var approve, reject []object
		open := m.all("/api/invoices", url.Values{"entity_id": {c.id}, "status": {"EXTRACTED", "NEEDS_REVIEW"}})
		for _, inv := range open {
			id, p := text(inv, "id"), of[text(inv, "document_id")]
			if p == nil {
				m.t.Fatalf("the invoice %v has no known document", inv)
			}
			switch p.kind {
			case double, again:
				reject = append(reject, object{"id": id, "version": inv["version"]})
			default:
				if item := m.ready(c, p, id); item != nil {
					approve = append(approve, item)
				}
			}
		}
		m.decide("reject", m.approver.Token, "USER", m.approver.ID.String(), reject, object{"reason": "not ours, or sent twice"})
		if c.assisted {
			m.decide("approve", m.robot(), "ASSISTANT", m.assistant, approve, nil)
		} else {
			if len(approve) > 0 {
				m.refuse(text(approve[0], "id"), approve[0]["version"])
			}
			m.decide("approve", m.approver.Token, "USER", m.approver.ID.String(), approve, nil)
		}
	}
}

// ready corrects what is wrong with an invoice and returns its item of an approval in bulk; nil if the
// system approved it after the correction.
func (m *month) ready(c *company, p *paper, id string) object {
	m.t.Helper()
	path := "/api/invoices/" + id
	inv := m.s.Do(http.MethodGet, path, m.approver.Token, nil).OK()
	if p.kind == wrong && inv.Text("gross_total") != cents(p.gross()) {
		inv = m.s.Do(http.MethodPatch, path, m.editor.Token, object{"gross_total": cents(p.gross()), "amount_due": cents(p.gross())}).OK()
		m.did("invoice.corrected", id, "USER", m.editor.ID.String())
		if status := inv.Text("status"); status == "APPROVED" {
			if !c.auto {
				m.t.Errorf("%s was approved by a correction: %s", p.name, inv.Raw)
			}
			return nil
		}
	}
	if m.draw.IntN(5) == 0 {
		m.s.Do(http.MethodPost, path+"/notes", m.robot(), object{"text": "Compared with the order."}).OK()
		m.did("invoice.note_added", id, "ASSISTANT", m.assistant)
	}
	inv = m.s.Do(http.MethodGet, path, m.approver.Token, nil).OK()
	item := object{"id": id, "version": inv.Number("version")}
	var failed []string
	for i := range inv.Len("checks") {
		if inv.At("checks", i, "passed") == false && inv.Text("checks", i, "severity") == "BLOCKING" {
			failed = append(failed, inv.Text("checks", i, "rule"))
		}
	}
	if len(failed) > 0 {
		slices.Sort(failed)
		item["acknowledge_checks"] = slices.Compact(failed)
	}
	return item
}

// refuse verifies that the assistant may not approve here.
func (m *month) refuse(id string, version any) {
	m.t.Helper()
	m.s.Do(http.MethodPost, "/api/invoices/"+id+"/approve", m.robot(), object{"version": version}).Want(http.StatusForbidden, "forbidden")
}

// decide changes invoices in bulk.
func (m *month) decide(what, token, actorType, actor string, items []object, more object) {
	m.t.Helper()
	event := map[string]string{"approve": "invoice.approved", "reject": "invoice.rejected"}[what]
	for part := range slices.Chunk(items, 200) {
		body := object{"action": what, "items": part}
		for key, value := range more {
			body[key] = value
		}
		done := m.s.Do(http.MethodPost, "/api/invoices/bulk", token, body).OK()
		for i := range done.Len("items") {
			if done.At("items", i, "ok") != true {
				m.t.Errorf("%s: %v", what, done.At("items", i))
				continue
			}
			if event != "" {
				m.did(event, done.Text("items", i, "id"), actorType, actor)
			}
		}
	}
}

// awaitSyncs waits until every approved invoice is in its ledger. A person requests again what
// failed or waits for long.
func (m *month) awaitSyncs() {
	m.t.Helper()
	asked := time.Now()
	m.await("syncs", func() string {
		waiting := m.all("/api/invoices", url.Values{"status": {"APPROVED", "SYNC_FAILED"}})
		if len(waiting) == 0 {
			return ""
		}
		if time.Since(asked) > 4*time.Second {
			asked = time.Now()
			var items []object
			for _, inv := range waiting[:min(200, len(waiting))] {
				items = append(items, object{"id": inv["id"], "version": inv["version"]})
			}
			m.s.Do(http.MethodPost, "/api/invoices/bulk", m.approver.Token, object{"action": "sync", "items": items}).OK()
		}
		one := m.s.Do(http.MethodGet, "/api/invoices/"+text(waiting[0], "id"), m.org.Admin.Token, nil).OK()
		return fmt.Sprintf("%d invoices, one is %s with %v", len(waiting), one.Text("status"), one.At("sync"))
	})
}
