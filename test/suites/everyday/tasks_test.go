package everyday

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
)

// task is what a user asks an assistant for.
type task struct {
	group    string
	sentence string
	do       func(c *client) string // returns the answer
	want     string
	// after returns the state that the task must leave; nil for a question.
	after func(w *world) string
}

// The groups of tasks.
const (
	finding    = "finding"
	review     = "review"
	correction = "correction"
	bulk       = "bulk"
	sums       = "sums"
	ledger     = "ledger"
	intake     = "intake"
	connection = "connection"
)

func grossOf(found []bill) string {
	sum := 0
	for _, b := range found {
		sum += b.gross()
	}
	return money(sum)
}

// address is an address of the web application in a refusal.
var address = regexp.MustCompile(`https?://[^\s"]+[^\s".]`)

func findingTasks() []task {
	return []task{
		{finding, "What is the total of Nordwind's invoice NW-103, and is it approved?", func(c *client) string {
			inv := c.find("NW-103", "status", "gross_total")
			return text(inv, "gross_total") + " " + text(inv, "status")
		}, "156.00 EXTRACTED", nil},
		{finding, "Which invoices of Lakeside Rent are due in March?", func(c *client) string {
			return values(c.call("list_invoices", object{
				"q": "Lakeside", "due_date_from": "2026-03-01", "due_date_to": "2026-03-31", "fields": []string{"invoice_number"},
			}), "invoice_number")
		}, "LR-303", nil},
		{finding, "Which supplier billed us 49.20?", func(c *client) string {
			return text(c.find("49.20", "seller.name"), "seller.name")
		}, fmt.Sprint(where(func(b bill) bool { return b.gross() == 4_920 })[0].supplier), nil},
		{finding, "Show me the credit notes of this year.", func(c *client) string {
			return values(c.call("list_invoices", object{
				"document_type": []string{"CREDIT_NOTE"}, "issue_date_from": "2026-01-01", "fields": []string{"invoice_number"},
			}), "invoice_number")
		}, "RG-601", nil},
		{finding, "Which invoice belongs to our purchase order PO-9042?", func(c *client) string {
			return text(c.find("PO-9042", "invoice_number"), "invoice_number")
		}, "CO-207", nil},
	}
}

func reviewTasks() []task {
	return []task{
		{review, "Whose invoices of Northern Foods cannot be approved yet?", func(c *client) string {
			entity := c.entity(foods)
			return suppliers(c.call("list_invoices", object{
				"entity_id": entity, "status": []string{"NEEDS_REVIEW"}, "fields": []string{"invoice_number", "seller.name", "checks_failed.blocking"},
			}))
		}, "Contoso Office, Twin Supply", nil},
		{review, "Why does CO-203 need a review?", func(c *client) string {
			inv := c.find("CO-203", "id")
			read := c.call("get_invoice", object{"invoice_id": inv["id"], "fields": []string{"failed_checks"}})
			var rules []string
			checks, _ := read["failed_checks"].([]any)
			for _, check := range checks {
				if o, ok := check.(object); ok && o["severity"] == "BLOCKING" {
					rules = append(rules, text(o, "rule"))
				}
			}
			return joined(rules)
		}, "gross_sum", nil},
		{review, "Approve CO-201 from Contoso.", func(c *client) string {
			inv := c.find("CO-201", "id", "version")
			return text(c.call("approve_invoice", object{"invoice_id": inv["id"], "version": inv["version"]}), "status")
		}, "APPROVED", func(w *world) string { return w.invoice("CO-201", "status") }},
		{review, "I compared CO-203 with the paper. The total is as printed; approve it anyway.", func(c *client) string {
			inv := c.find("CO-203", "id", "version")
			return text(c.call("approve_invoice", object{
				"invoice_id": inv["id"], "version": inv["version"], "acknowledge_checks": []string{"gross_sum"},
			}), "status")
		}, "APPROVED", func(w *world) string { return w.invoice("CO-203", "status") }},
		{review, "Did anybody send us an invoice twice?", func(c *client) string {
			return suppliers(c.call("find_duplicates", object{"fields": []string{"invoice_number", "seller.name"}}))
		}, "Twin Supply", nil},
	}
}

func correctionTasks() []task {
	update := func(c *client, number string, change object) object {
		change["invoice_id"] = c.find(number, "id")["id"]
		return c.call("update_invoice", change)
	}
	return []task{
		{correction, "The number of CO-204 is really CO-2040.", func(c *client) string {
			return text(update(c, "CO-204", object{"invoice_number": "CO-2040"}), "invoice_number")
		}, "CO-2040", func(w *world) string { return w.invoice("CO-204", "invoice_number") }},
		{correction, "CO-205 is due on 15 September.", func(c *client) string {
			update(c, "CO-205", object{"due_date": "2026-09-15"})
			return "2026-09-15"
		}, "2026-09-15", func(w *world) string { return w.invoice("CO-205", "due_date") }},
		{correction, "Book the second line of CO-206 to Office Expenses.", func(c *client) string {
			inv := c.find("CO-206", "id")
			read := c.call("get_invoice", object{"invoice_id": inv["id"], "fields": []string{"lines.id", "lines.description"}})
			lines, _ := read["lines"].([]any)
			if len(lines) != 3 {
				panic(failure{"the lines are missing"})
			}
			integration := c.ledger(foods)
			account := c.only(c.call("list_accounting", object{"integrationId": integration, "kind": "accounts", "q": "Office Expenses", "fields": []string{"id", "name"}}))
			c.call("update_invoice", object{"invoice_id": inv["id"], "lines": []object{{"id": lines[1].(object)["id"], "account_id": account["id"]}}})
			return text(account, "name")
		}, "Office Expenses", nil},
		{correction, "Tell my colleagues on CO-208 that the goods arrived.", func(c *client) string {
			return text(c.call("add_invoice_note", object{"invoice_id": c.find("CO-208", "id")["id"], "text": "The goods arrived."}), "type")
		}, "invoice.note_added", nil},
		{correction, "CO-207 was ordered by phone; it has no purchase order.", func(c *client) string {
			update(c, "CO-207", object{"clear": []string{"purchase_order"}})
			return "cleared"
		}, "cleared", func(w *world) string {
			if got := w.invoice("CO-207", "purchase_order"); got != "<nil>" {
				return got
			}
			return "cleared"
		}},
	}
}

func bulkTasks() []task {
	found := func(c *client, filter object) []object {
		filter["fields"] = []string{"id", "version"}
		return versions(c.call("list_invoices", filter))
	}
	statuses := func(w *world, all ...string) string {
		var out []string
		for _, number := range all {
			out = append(out, w.invoice(number, "status"))
		}
		return joined(out)
	}
	return []task{
		{bulk, "Approve Lakeside's rent for May and June.", func(c *client) string {
			items := found(c, object{"q": "Lakeside", "issue_date_from": "2026-05-01", "issue_date_to": "2026-06-30"})
			return values(c.call("approve_invoices", object{"items": items}), "status")
		}, "APPROVED, APPROVED", func(w *world) string { return statuses(w, "LR-305", "LR-306") }},
		{bulk, "Reject everything from Spamco Ads. We ordered nothing there.", func(c *client) string {
			items := found(c, object{"q": "Spamco"})
			return values(c.call("reject_invoices", object{"items": items, "reason": "Not ordered"}), "status")
		}, "REJECTED, REJECTED, REJECTED", func(w *world) string { return statuses(w, "SP-401", "SP-402", "SP-403") }},
		{bulk, "Book all approved Muster invoices.", func(c *client) string {
			items := found(c, object{"q": "Muster", "status": []string{"APPROVED"}})
			return values(c.call("sync_invoices", object{"items": items}), "invoice_number")
		}, "MU-502, MU-503", nil},
		{bulk, "Approve all invoices of Dockside Cranes.", func(c *client) string { // the setting of Harbour Works refuses it
			items := found(c, object{"q": "Dockside"})
			answer, err := c.try("approve_invoices", object{"items": items})
			said := fmt.Sprint(answer, err)
			pages := address.FindAllString(said, -1)
			if len(pages) != 1 {
				panic(failure{fmt.Sprintf("%d addresses: %s", len(pages), said)})
			}
			return c.confirmed(pages[0])
		}, "4 confirmed", func(w *world) string { return statuses(w, "DC-801", "DC-802", "DC-803", "DC-804") }},
		{bulk, "Give the two Twin Supply invoices to Bob.", func(c *client) string {
			items := found(c, object{"q": "Twin Supply"})
			var bob any
			for _, m := range itemsOf(c.call("list_members", nil)) {
				if strings.Contains(fmt.Sprint(m), "bob@example.com") {
					bob = m["user_id"]
				}
			}
			for _, i := range items {
				c.call("assign_invoice", object{"invoice_id": i["id"], "user_id": bob})
			}
			return fmt.Sprint(len(items), " ", bob != nil)
		}, "2 true", nil},
	}
}

func sumTasks() []task {
	inMonths := func(from, to string) func(bill) bool {
		return func(b bill) bool {
			return b.supplier == "Nordwind Energie" && b.issued >= from && b.issued <= to
		}
	}
	sum := func(c *client, arguments object) []object { return itemsOf(c.call("sum_invoices", arguments)) }
	return []task{
		{sums, "How much did Nordwind bill us this year?", func(c *client) string {
			return text(c.only(c.call("sum_invoices", object{"q": "Nordwind", "issue_date_from": "2026-01-01", "group_by": []string{"supplier"}})), "gross_total")
		}, grossOf(where(of("Nordwind Energie"))), nil},
		{sums, "What was Nordwind per month in the second quarter?", func(c *client) string {
			var out []string
			for _, s := range sum(c, object{
				"q": "Nordwind", "issue_date_from": "2026-04-01", "issue_date_to": "2026-06-30", "group_by": []string{"month"}, "fields": []string{"month", "gross_total"},
			}) {
				out = append(out, text(s, "month")+" "+text(s, "gross_total"))
			}
			return joined(out)
		}, joined([]string{
			"2026-04 " + grossOf(where(inMonths("2026-04-01", "2026-04-30"))), "2026-05 " + grossOf(where(inMonths("2026-05-01", "2026-05-31"))),
			"2026-06 " + grossOf(where(inMonths("2026-06-01", "2026-06-30"))),
		}), nil},
		{sums, "How much VAT is in Lakeside's invoices of the first quarter, by rate?", func(c *client) string {
			s := c.only(c.call("sum_invoices", object{"q": "Lakeside", "issue_date_to": "2026-03-31", "group_by": []string{"tax"}}))
			return text(s, "tax_rate") + "% " + text(s, "tax_total")
		}, "20% 1200.00", nil},
		{sums, "Which of the Traders was most expensive in total?", func(c *client) string {
			most, name := -1.0, ""
			for _, s := range sum(c, object{"q": "Trader", "group_by": []string{"supplier"}, "fields": []string{"supplier_name", "gross_total"}}) {
				var amount float64
				if _, err := fmt.Sscan(text(s, "gross_total"), &amount); err == nil && amount > most {
					most, name = amount, text(s, "supplier_name")
				}
			}
			return name
		}, "Trader 09", nil},
		{sums, "How much does Harbour Works have to pay to Dockside Cranes by 2 November?", func(c *client) string {
			return text(c.only(c.call("sum_invoices", object{"q": "Dockside", "due_date_to": "2026-11-02", "group_by": []string{"supplier"}})), "amount_due")
		}, grossOf(where(func(b bill) bool { return b.supplier == "Dockside Cranes" && b.due <= "2026-11-02" })), nil},
	}
}

func ledgerTasks() []task {
	lookup := func(kind, q, field string) func(c *client) string {
		return func(c *client) string {
			return text(c.only(c.call("list_accounting", object{"integrationId": c.ledger(foods), "kind": kind, "q": q, "fields": []string{"id", field}})), field)
		}
	}
	return []task{
		{ledger, "Which account number has Office Equipment?", lookup("accounts", "office equipment", "code"), "710", nil},
		{ledger, "Is there a tax rate for 23% VAT?", lookup("tax_rates", "23%", "name"), "23% (VAT on Expenses)", nil},
		{ledger, "Is Paper & Pens a contact in our books?", lookup("contacts", "paper", "name"), "Paper & Pens Ltd", nil},
		{ledger, "Is MU-501 in the books?", func(c *client) string {
			inv := c.find("MU-501", "id", "status")
			return text(inv, "status")
		}, "SYNCED", nil},
		{ledger, "Why was TP-551 not booked?", func(c *client) string {
			inv := c.find("TP-551", "id")
			read := c.call("get_invoice", object{"invoice_id": inv["id"], "fields": []string{"status", "sync.state", "sync.error"}})
			return fmt.Sprint(text(read, "status"), " ", text(read, "sync.error.message") != "")
		}, "SYNC_FAILED true", nil},
	}
}

func intakeTasks() []task {
	added := bill{foods, "Muster GmbH", "MU-599", "2026-09-30", "2026-10-30", []int{12_300}, 20, "", "", false, 0}
	return []task{
		{intake, "Add this invoice to Northern Foods.", func(c *client) string {
			document := c.call("upload_document", object{
				"entity_id": c.entity(foods), "filename": added.file(), "content": base64.StdEncoding.EncodeToString(added.ubl()),
			})
			return text(c.call("extract_invoice", object{"document_id": document["id"]}), "invoice_number")
		}, "MU-599", nil},
		{intake, "Did the file lr-304.xml arrive?", func(c *client) string {
			return text(c.only(c.call("list_documents", object{"q": "lr-304.xml", "fields": []string{"filename", "status"}})), "status")
		}, "EXTRACTED", nil},
		{intake, "Which files could not be read, and why?", func(c *client) string {
			d := c.only(c.call("list_documents", object{"status": []string{"FAILED"}, "fields": []string{"filename", "failure"}}))
			return fmt.Sprint(text(d, "filename"), " ", text(d, "failure.message") != "")
		}, "broken.pdf true", nil},
		{intake, "Read the file of T03-1 again.", func(c *client) string {
			inv := c.find("T03-1", "document_id")
			return text(c.call("extract_invoice", object{"document_id": inv["document_id"], "force": true}), "invoice_number")
		}, "T03-1", nil},
		{intake, "I have a large scan on my desk. Where do I drop it?", func(c *client) string {
			return strings.TrimPrefix(text(c.call("where_to", object{"action": "upload_documents"}), "url"), c.URL)
		}, "/documents", nil},
	}
}

func connectionTasks() []task {
	page := func(action string) func(c *client) string {
		return func(c *client) string {
			return strings.TrimPrefix(text(c.call("where_to", object{"action": action}), "url"), c.URL)
		}
	}
	return []task{
		{connection, "Who am I here, and what may I do?", func(c *client) string {
			me := c.call("get_me", object{"fields": []string{"user.email", "organization.name", "organization.role"}})
			return text(me, "user.email") + " " + text(me, "organization.name") + " " + text(me, "organization.role")
		}, "ada@example.com Acme admin", nil},
		{connection, "Is Northern Foods connected to its books?", func(c *client) string {
			entity := c.entity(foods)
			for _, p := range itemsOf(c.call("list_integrations", object{"entity_id": entity, "fields": []string{"provider", "integrations.status"}})) {
				if connected, ok := p["integrations"].([]any); ok && len(connected) == 1 {
					return text(p, "provider") + " " + text(connected[0].(object), "status")
				}
			}
			return ""
		}, "ACCOUNTING_A ACTIVE", nil},
		{connection, "Connect our document store.", page("connect_integration"), "/integrations", nil},
		{connection, "Add a new colleague.", page("manage_members"), "/members", nil},
		{connection, "What may you do for Harbour Works?", func(c *client) string {
			return text(c.call("get_settings", object{"entity_id": c.entity(harbour), "fields": []string{"assistant_actions"}}), "assistant_actions")
		}, "PREPARE", nil},
	}
}
