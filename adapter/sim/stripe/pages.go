package stripe

import (
	"bytes"
	"html/template"
	"net/http"
	"strings"
)

var pageTemplate = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{{.Title}} (simulated)</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem}
button,select{font:inherit;padding:.4rem .8rem}td{padding:.2rem 1rem .2rem 0}.bad{color:#b00020}small{color:#666}</style>
<h1>{{.Title}}</h1>
{{with .Problem}}<p class="bad" role="alert">{{.}}</p>{{end}}
<table>{{range .Rows}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>{{end}}</table>
{{range .Forms}}<form method="post"><input type="hidden" name="do" value="{{.Do}}"><input type="hidden" name="id" value="{{.ID}}">
{{if .Card}}<label>Card <select name="card">{{range $.Cards}}<option value="{{.Number}}">{{.Label}}</option>{{end}}</select></label>{{end}}
<button>{{.Label}}</button></form>{{end}}
{{with .Back}}<p><a href="{{.}}">Back</a></p>{{end}}
<p><small>This payment processor is a simulation. No money moves; the cards are test cards.</small></p>
</html>
`))

// view is the data of a page.
type view struct {
	Title   string
	Problem string
	Rows    [][]string
	Forms   []form
	Cards   []choice
	Back    text
}

type form struct {
	Do, ID, Label string
	Card          bool
}

type choice struct{ Number, Label string }

// pages serves the pages for people.
func (s *Server) pages(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if err := r.ParseForm(); err != nil { // before the lock, because a browser may be slow
		http.Error(w, "The form could not be read.", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
	path := r.URL.Path
	if id, ok := strings.CutPrefix(path, "/c/pay/"); ok {
		if cs, found := find[*checkoutSession](s, id); found {
			s.checkoutPage(w, r, cs)
			return
		}
	}
	if id, ok := strings.CutPrefix(path, "/p/session/"); ok {
		if b, found := find[*portalSession](s, id); found {
			s.portalPage(w, r, b)
			return
		}
	}
	if id, ok := strings.CutPrefix(path, "/i/"); ok {
		if inv, found := find[*invoice](s, strings.TrimSuffix(id, "/pdf")); found {
			s.invoicePage(w, r, inv)
			return
		}
	}
	http.NotFound(w, r)
}

func present(w http.ResponseWriter, v view) {
	for _, k := range cards {
		label := k.number + " (good)"
		if k.charged.code != "" {
			label = k.number + " (" + k.charged.code + ")"
		}
		v.Cards = append(v.Cards, choice{k.number, label})
	}
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(out.Bytes()) // a browser that disconnected needs no page
}

func (s *Server) checkoutPage(w http.ResponseWriter, r *http.Request, cs *checkoutSession) {
	v := view{Title: "Subscribe", Back: cs.CancelURL, Forms: []form{{Do: "pay", Label: "Subscribe", Card: true}}}
	for _, item := range cs.items {
		v.Rows = append(v.Rows, []string{string(item.Description), money(item.Amount, item.Currency) + " due today"})
	}
	if cs.order.anchor > s.now {
		v.Rows = append(v.Rows, []string{"First full period", moment(cs.order.anchor).Format("2 January 2006")})
	}
	card := r.PostFormValue("card")
	if s.options.AutoApprove && r.Method == http.MethodGet {
		card = cards[0].number
	}
	if cs.Status == "open" && card != "" {
		e := s.complete(cs, card)
		if e == nil {
			http.Redirect(w, r, strings.ReplaceAll(string(cs.SuccessURL), "{CHECKOUT_SESSION_ID}", cs.ID), http.StatusSeeOther)
			return
		}
		v.Problem = e.message
	}
	if cs.Status != "open" {
		v.Forms, v.Problem = nil, "This page is no longer open: the session is "+cs.Status+"."
	}
	present(w, v)
}

func (s *Server) portalPage(w http.ResponseWriter, r *http.Request, b *portalSession) {
	v := view{Title: "Your subscriptions", Back: b.ReturnURL}
	if r.Method == http.MethodPost {
		v.Problem = s.portalAction(b, r.PostFormValue("do"), r.PostFormValue("id"), r.PostFormValue("card"))
	}
	for _, sub := range all[*subscription](s, "subscription") {
		if sub.Customer != b.Customer {
			continue
		}
		until := "until " + moment(sub.CurrentPeriodEnd).Format("2 January 2006")
		v.Rows = append(v.Rows, []string{sub.ID, sub.Status, until})
		if sub.EndedAt == 0 {
			v.Forms = append(v.Forms, form{Do: "cancel", ID: sub.ID, Label: "Cancel " + sub.ID + " at the end of its period"})
		}
	}
	v.Forms = append(v.Forms, form{Do: "card", Label: "Pay with this card from now on", Card: true})
	for _, inv := range all[*invoice](s, "invoice") {
		if inv.Customer == b.Customer && inv.Status != "draft" {
			v.Rows = append(v.Rows, []string{string(inv.Number), inv.Status, money(inv.AmountDue, inv.Currency)})
		}
	}
	present(w, v)
}

// portalAction performs the action of a portal button and returns its error.
func (s *Server) portalAction(b *portalSession, do, id, cardName string) string {
	switch do {
	case "cancel":
		sub, ok := find[*subscription](s, id)
		if !ok || sub.Customer != b.Customer || sub.EndedAt != 0 {
			return "The subscription does not exist."
		}
		before := raw(sub)
		sub.CancelAtPeriodEnd = true
		s.endMarks(sub)
		s.changed(nil, subscriptionEvent+"updated", sub, before)
	case "card":
		x, ok := find[*customer](s, b.Customer)
		k, known := cardNamed(cardName)
		if !ok || !known {
			return "Your card number is incorrect."
		}
		if e := k.attach.refusal(); e != nil {
			return e.message
		}
		m := s.methodOf("payment_method", k)
		m.Customer = text(x.ID)
		s.add(m)
		s.changed(nil, "payment_method.attached", m, nil)
		before := raw(x)
		x.InvoiceSettings.DefaultPaymentMethod = text(m.ID)
		s.changed(nil, "customer.updated", x, before)
		for _, sub := range all[*subscription](s, "subscription") {
			if sub.Customer == x.ID && sub.EndedAt == 0 {
				old := raw(sub)
				sub.DefaultPaymentMethod = text(m.ID)
				s.changed(nil, subscriptionEvent+"updated", sub, old)
			}
		}
	}
	return ""
}

func (s *Server) invoicePage(w http.ResponseWriter, r *http.Request, inv *invoice) {
	v := view{Title: "Invoice " + string(inv.Number)}
	if card := r.PostFormValue("card"); inv.Status == "open" && card != "" {
		m, e := s.newCard("payment_method", card)
		if e == nil {
			m.Customer = text(inv.Customer)
			s.add(m)
			e = s.collect(nil, inv, text(m.ID))
		}
		if e != nil {
			v.Problem = e.message
		}
	}
	for _, l := range inv.Lines.Data {
		v.Rows = append(v.Rows, []string{string(l.Description), money(l.Amount, l.Currency)})
	}
	v.Rows = append(v.Rows, []string{"Total", money(inv.Total, inv.Currency)}, []string{"Status", inv.Status})
	if inv.Status == "open" {
		v.Forms = []form{{Do: "pay", Label: "Pay", Card: true}}
	}
	present(w, v)
}
