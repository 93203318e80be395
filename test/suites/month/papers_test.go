package month

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"docledger/adapter/extract/pdf/pdftest"
	"docledger/test/lib/harness"
)

// The channels of documents.
const (
	byUpload = "upload"
	byLink   = "link"
	byEmail  = "e-mail"
	byStore  = "store"
)

// The kinds of documents.
const (
	good    = "good"
	credit  = "credit note"
	hybrid  = "hybrid"
	wrong   = "wrong total" // a person corrects it
	double  = "two invoices"
	garbage = "garbage"
	again   = "number of an earlier invoice" // with other bytes
	copied  = "bytes of an earlier document"
)

// paper is a document that somebody sends.
type paper struct {
	company       *company
	name          string // of the file; unique
	number        string
	supplier      string
	net           int // cents, a multiple of 100
	kind, channel string
	content       []byte
	first         *paper // the earlier one of a copied or repeated paper
}

func (p *paper) gross() int { return p.net + p.net*p.company.book.rate/100 }

func cents(n int) string { return fmt.Sprintf("%d.%02d", n/100, n%100) }

// signed returns an amount of a ledger in cents.
func signed(t *testing.T, amount string, negative bool) int {
	t.Helper()
	value, err := strconv.ParseFloat(amount, 64)
	if err != nil {
		t.Fatalf("the ledger has the amount %q", amount)
	}
	n := int(value*100 + 0.5)
	if negative {
		return -n
	}
	return n
}

// plan draws the documents of each week.
func (m *month) plan(total int) [weeks][]*paper {
	// The plan needs names and rates of the companies only, which do not exist before the first week.
	var out [weeks][]*paper
	var earlier []*paper
	for n := range total {
		week := n * weeks / total
		if n > 0 && week != (n-1)*weeks/total {
			earlier = nil
			for _, papers := range out[:week] {
				for _, p := range papers {
					if p.kind == good {
						earlier = append(earlier, p)
					}
				}
			}
		}
		out[week] = append(out[week], m.paper(n, earlier))
	}
	return out
}

func (m *month) paper(n int, earlier []*paper) *paper {
	c := n % companies
	p := &paper{
		company: &company{n: c, book: m.books[c*len(m.books)/companies]},
		number:  fmt.Sprintf("C%02d-%05d", c, n), supplier: fmt.Sprintf("Supplier %02d", m.draw.IntN(30)), net: 100 * (100 + m.draw.IntN(200_000)),
	}
	p.kind, p.channel = kindOf(m.draw.IntN(100)), channelOf(m.draw.IntN(100))
	var same []*paper
	for _, e := range earlier {
		if e.company.n == c {
			same = append(same, e)
		}
	}
	pick := m.draw.IntN(1_000_000)
	if p.kind == again || p.kind == copied {
		if len(same) == 0 {
			p.kind = good
		} else {
			p.first = same[pick%len(same)]
			p.number, p.supplier, p.net = p.first.number, p.first.supplier, p.first.net
		}
	}
	p.name = fmt.Sprintf("%05d.xml", n)
	return p
}

func kindOf(n int) string {
	switch {
	case n < 74:
		return good
	case n < 78:
		return credit
	case n < 82:
		return hybrid
	case n < 87:
		return wrong
	case n < 90:
		return double
	case n < 94:
		return garbage
	case n < 97:
		return again
	}
	return copied
}

// channelOf draws a channel. Companies without a document store upload instead.
func channelOf(n int) string {
	switch {
	case n < 35:
		return byUpload
	case n < 50:
		return byLink
	case n < 65:
		return byEmail
	}
	return byStore
}

// fill renders the document for the company that exists now.
func (p *paper) fill() {
	switch p.kind {
	case garbage:
		p.content = fmt.Appendf(nil, "no document at all: %s", p.name)
	case double:
		p.content = harness.TwoInvoices(p.number)
	case hybrid:
		p.content, p.name = pdftest.Hybrid("", []string{"factur-x.xml"}, p.ubl()), strings.TrimSuffix(p.name, "xml")+"pdf"
	case again:
		p.content = append(p.ubl(), "\n<!-- sent again -->\n"...)
	case copied:
		p.content = p.first.content
	default:
		p.content = p.ubl()
	}
}

// ubl renders the invoice.
func (p *paper) ubl() []byte {
	kind, stated := "380", p.gross()
	switch p.kind {
	case credit:
		kind = "381"
	case wrong:
		stated += 500
	}
	day := time.Now().UTC().AddDate(0, 0, -7)
	text := strings.NewReplacer(
		"2026-01-15", day.Format(time.DateOnly), "2026-02-14", day.AddDate(0, 0, 30).Format(time.DateOnly),
		">380<", ">"+kind+"<", ">PO-77<", ">"+p.number+"<", "Buyer Ltd", p.company.name,
		`<cbc:PriceAmount currencyID="EUR">50.00<`, `<cbc:PriceAmount currencyID="EUR">`+cents(p.net/2)+"<",
	).Replace(string(harness.UBLOf(p.number, cents(p.net), cents(p.gross()-p.net), cents(stated))))
	return []byte(strings.NewReplacer(
		`<cac:PartyTaxScheme><cbc:CompanyID>DE136695976</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>`, "",
		"Société Générique", p.supplier, `"EUR"`, `"`+p.company.book.currency+`"`, ">EUR<", ">"+p.company.book.currency+"<",
		"<cbc:Percent>19<", fmt.Sprintf("<cbc:Percent>%d<", p.company.book.rate),
	).Replace(text))
}

// send sends a document over its channel, as the person who works with it.
func (m *month) send(p *paper) {
	m.t.Helper()
	p.company = m.companies[p.company.n]
	if p.channel == byStore && p.company.store == nil || p.kind == copied && p.channel == byEmail {
		p.channel = byUpload // an e-mail with nothing new would have no document
	}
	p.fill()
	entity := harness.ID(m.t, p.company.id)
	switch p.channel {
	case byUpload:
		who := m.editor
		if m.draw.IntN(4) == 0 {
			who = m.org.Admin
		}
		up := m.s.Upload(who.Token, entity, p.name, p.content).OK()
		if (up.At("duplicate") == true) != (p.kind == copied) {
			m.t.Errorf("%s (%s): %s", p.name, p.kind, up.Raw)
		}
		if p.kind != copied {
			m.did("document.received", up.Text("id"), "USER", who.ID.String())
		}
	case byLink:
		link := m.s.Do(http.MethodPost, "/api/documents/upload-links", m.editor.Token, map[string]any{"entity_id": entity}).OK().Text("url")
		sent := m.s.Send(http.MethodPut, strings.TrimPrefix(link, m.s.URL)+"/"+p.name, "", bytes.NewReader(p.content)).OK()
		if p.kind != copied {
			m.did("document.received", sent.Text("items", 0, "document_id"), "USER", m.editor.ID.String())
		}
	case byEmail:
		m.s.Send(http.MethodPost, "/webhook/email?recipient="+p.company.address+"&sender=bounce@shop.example", "", bytes.NewReader(message(p)),
			"Content-Type", "message/rfc822", "X-Webhook-Secret", emailSecret).OK()
		if p.kind == garbage {
			p.name = "Mail " + p.name + ".eml" // a text is no document; the message is, with the reason that it contains none
		}
	case byStore:
		p.company.store.Add(p.company.folder, p.name, p.content)
	}
}

// message is an e-mail with the document.
func message(p *paper) []byte {
	var b strings.Builder
	b.WriteString("From: Shop <billing@shop.example>\r\nTo: " + p.company.address + "\r\nSubject: Mail " + p.name + "\r\nMIME-Version: 1.0\r\n" +
		"Content-Type: multipart/mixed; boundary=outer\r\n\r\n--outer\r\nContent-Type: text/plain\r\n\r\nThe invoice is attached.\r\n" +
		"--outer\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename=\"" + p.name + "\"\r\n\r\n")
	for text := base64.StdEncoding.EncodeToString(p.content); text != ""; {
		n := min(76, len(text))
		b.WriteString(text[:n] + "\r\n")
		text = text[n:]
	}
	b.WriteString("--outer--\r\n")
	return []byte(b.String())
}
