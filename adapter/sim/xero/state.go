package xero

// Document is a stored bill or credit note, for tests.
type Document struct {
	ID          string         `json:"id"`
	Type        string         `json:"type"` // ACCPAY or ACCPAYCREDIT
	Number      string         `json:"number"`
	ContactID   string         `json:"contact_id"`
	ContactName string         `json:"contact_name"`
	Date        string         `json:"date"`
	DueDate     string         `json:"due_date,omitempty"`
	Currency    string         `json:"currency"`
	Status      string         `json:"status"`
	Amounts     string         `json:"line_amount_types"`
	Net         string         `json:"net"` // two decimal places, like all amounts
	Tax         string         `json:"tax"`
	Total       string         `json:"total"`
	Settled     string         `json:"settled"` // of a bill by credit notes, of a credit note by bills
	Link        string         `json:"link,omitempty"`
	Lines       []DocumentLine `json:"lines"`
	Attachments []Attachment   `json:"attachments"`
}

// DocumentLine is one line of it.
type DocumentLine struct {
	Description string `json:"description"`
	Quantity    string `json:"quantity"`
	UnitAmount  string `json:"unit_amount"`
	AccountCode string `json:"account_code,omitempty"`
	AccountID   string `json:"account_id,omitempty"`
	TaxType     string `json:"tax_type"`
	Tax         string `json:"tax"`
	Amount      string `json:"amount"`
}

// Attachment is a file of it.
type Attachment struct {
	Name   string `json:"name"`
	Media  string `json:"media_type"`
	Size   int    `json:"size"`
	SHA256 string `json:"sha256"`
}

// Documents returns the bills and credit notes of an organization in the order of their creation,
// including deleted and voided ones.
func (s *Server) Documents(organization string) []Document {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bookOf(organization)
	if err != nil {
		return nil
	}
	return b.report()
}

func (b *book) report() []Document {
	out := []Document{}
	for _, d := range b.documents {
		one := Document{
			ID: d.id, Type: d.kind.document, Number: d.number, ContactID: d.contact.ID, ContactName: d.contact.Name,
			Date: d.date.Format("2006-01-02"), Currency: d.currency, Status: d.status, Amounts: d.amounts,
			Net: d.net.StringFixed(2), Tax: d.tax.StringFixed(2), Total: d.total.StringFixed(2), Settled: d.settled.StringFixed(2), Link: d.link,
			Lines: []DocumentLine{}, Attachments: []Attachment{},
		}
		if !d.due.IsZero() {
			one.DueDate = d.due.Format("2006-01-02")
		}
		for _, l := range d.lines {
			shown := DocumentLine{
				Description: l.description, Quantity: l.quantity.String(), UnitAmount: l.unit.String(), TaxType: l.taxType,
				Tax: l.tax.StringFixed(2), Amount: l.amount.StringFixed(2),
			}
			if l.account != nil {
				shown.AccountCode, shown.AccountID = l.account.Code, l.account.ID
			}
			one.Lines = append(one.Lines, shown)
		}
		for _, a := range d.attachments {
			one.Attachments = append(one.Attachments, Attachment{a.name, a.media, a.size, a.sum})
		}
		out = append(out, one)
	}
	return out
}

// state is the response of GET /_sim/state. It contains no password, secret or token.
func (s *Server) state() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	organizations, connections, clients := []any{}, []any{}, []any{}
	for _, id := range s.order {
		b := s.books[id]
		organizations = append(organizations, map[string]any{
			"id": id, "name": b.organization.Name, "pays_tax": b.organization.PaysTax, "base_currency": b.organization.BaseCurrency,
			"accounts": len(b.accounts), "contacts": len(b.contacts), "documents": b.report(),
		})
	}
	for _, c := range s.identity.connections {
		connections = append(connections, map[string]any{"client_id": c.client, "user_id": c.user, "organization_id": c.tenant})
	}
	for _, c := range s.identity.clients {
		clients = append(clients, map[string]any{"client_id": c.ID, "name": c.Name, "redirect_uris": c.RedirectURIs})
	}
	return map[string]any{
		"now": s.Kit.Clock.Now(), "settings": s.settings, "organizations": organizations, "connections": connections, "clients": clients,
	}
}
