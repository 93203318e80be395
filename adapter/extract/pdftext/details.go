package pdftext

import (
	"strings"

	"docledger/domain/extraction/textrules"
	"docledger/domain/invoice"
)

var (
	town    = textrules.MustPattern(`^(?:[A-Z]{1,2}[- ])?(\d{4} ?[A-Z]{2}|\d{2}-\d{3}|\d{5}-\d{3}|\d{4}-\d{3}|\d{3} \d{2}|\d{4,6}) +(\p{Lu}[^,\d]+)$`)
	townUS  = textrules.MustPattern(`^(\p{Lu}[\p{L} .'-]+),? +([A-Z]{2})\.?,? +(\d{5}(?:-\d{4})?)$`)
	townUK  = textrules.MustPattern(`^(\p{Lu}[\p{L} .'-]+?),? +([A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})$`)
	bicForm = textrules.MustPattern(`\b[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?\b`)
)

// address reads the lines from a party's name to its town.
func (p *parties) address(name, other *segment, to *invoice.Address) (town *segment) {
	if parts := separators.Split(name.text); len(parts) > 2 {
		// The sender's line above the window of an envelope.
		for _, part := range parts[2:] {
			if splitTown(strings.TrimSpace(part), to) {
				to.Line1 = strings.TrimSpace(parts[1])
				return name
			}
		}
		return nil
	}
	for _, b := range p.blocks {
		for i, seg := range b.segments {
			if seg != name {
				continue
			}
			const most = 4
			rest := b.segments[i+1 : min(i+1+most, len(b.segments))]
			for k, line := range rest {
				if line == other {
					return nil
				}
				if len(line.labels) > 0 || len(line.dates) > 0 || !splitTown(line.text, to) {
					continue
				}
				for n, at := range []*string{&to.Line1, &to.Line2, &to.Line3} {
					if n < k {
						*at = rest[n].text
					}
				}
				return line
			}
			return nil
		}
	}
	return nil
}

// opposite returns the name of the block next to the seller's block. Of two adjacent
// addresses without labels, the left one is usually the seller's and the right one
// the buyer's.
func (p *parties) opposite(seller *segment) (naming, float64) {
	for _, b := range p.blocks {
		first := b.segments[0]
		if first.line != seller.line || first.x0 <= seller.x1 || len(b.segments) < 2 || len(first.labels) > 0 || len(first.dates) > 0 {
			continue
		}
		if name := trimName(first.text); isName(name) {
			return naming{name: name, seg: first}, doubtful
		}
	}
	return naming{}, 0
}

// splitTown splits a line such as "70565 Stuttgart" or "Portland, OR 97201".
func splitTown(text string, to *invoice.Address) bool {
	if m := town.FindStringSubmatch(text); m != nil {
		to.PostalCode, to.City = m[1], strings.TrimSpace(m[2])
		return true
	}
	if m := townUS.FindStringSubmatch(text); m != nil {
		to.City, to.Region, to.PostalCode = m[1], m[2], m[3]
		return true
	}
	if m := townUK.FindStringSubmatch(text); m != nil {
		to.City, to.PostalCode = m[1], m[2]
		return true
	}
	return false
}

// readAddresses reads the addresses of the parties from the blocks that start with
// their names.
func (s *parsedDocument) readAddresses(d *draft, p *parties, seller, buyer party) {
	for _, party := range []struct {
		path        string
		name, other party
		to          *invoice.Address
	}{{"seller", seller, buyer, &d.content.Seller.Address}, {"buyer", buyer, seller, &d.content.Buyer.Address}} {
		if party.name.seg == nil {
			continue
		}
		at := p.address(party.name.seg, party.other.seg, party.to)
		for _, again := range party.name.again {
			if at == nil {
				at = p.address(again, party.other.seg, party.to)
			}
		}
		if at == nil {
			continue
		}
		for field, value := range map[string]string{
			"line1": party.to.Line1, "line2": party.to.Line2, "line3": party.to.Line3, "city": party.to.City,
			"postal_code": party.to.PostalCode, "region": party.to.Region,
		} {
			if value != "" {
				d.recordEvidence(party.path+".address."+field, probable, at, 0, 0)
			}
		}
	}
}

// readPayment reads the payment instructions.
func (s *parsedDocument) readPayment(d *draft) {
	c := &d.content
	if all := s.ibans(); len(all) > 0 {
		confidence := doubtful
		if all[0].valid && len(all) == 1 {
			confidence = sure
		}
		c.Payment.IBAN = all[0].text
		d.recordEvidence("payment.iban", confidence, all[0].seg, 0, 0)
	}
	for _, l := range s.lines {
		for k, seg := range l.segments {
			for m, label := range seg.labels {
				switch label.Role {
				case textrules.RoleBIC:
					s.readBIC(d, seg.line, k, m)
				case textrules.RoleTerms:
					s.readTerms(d, seg.line, k, m)
				}
			}
		}
	}
}

func (s *parsedDocument) readBIC(d *draft, at, k, m int) {
	if d.content.Payment.BIC != "" {
		return
	}
	for _, p := range s.places(at, k, m) {
		if code := bicForm.FindString(p.seg.text[p.from:]); code != "" {
			d.content.Payment.BIC = code
			d.recordEvidence("payment.bic", likely, p.seg, 0, 0)
			return
		}
	}
}

// readTerms reads the text after or next to the label of the payment terms.
func (s *parsedDocument) readTerms(d *draft, at, k, m int) {
	if d.content.Payment.Terms != "" {
		return
	}
	for _, p := range s.places(at, k, m) {
		if text := strings.Trim(p.seg.text[p.from:], " :"); text != "" && (p.from > 0 || !p.seg.startsWithLabel()) {
			d.content.Payment.Terms = text
			d.recordEvidence("payment.terms", probable, p.seg, 0, 0)
			return
		}
	}
}
