package pdftext

import (
	"strings"

	"docledger/domain/extraction/textrules"
)

// The statements about a company near its name.
const (
	statesTax = 1 << iota
	statesAccount
	statesContact
	statesTown
)

// imprint is what the document states about a company outside its letterhead: the lines
// at its end with an address and a tax identifier, an account or a contact. Where a logo is
// an image, only they name the seller.
type imprint struct {
	states []int  // of each line
	text   string // folded and without spaces; "" if there is no imprint
	below  []bool // the lines below the lines of the invoice, or at the end of a page
}

// reachOfImprint is the number of lines above and below a name that belong to it.
const reachOfImprint = 3

// readImprint finds the statements of the lines, and the imprint. folded are the texts of the
// segments, folded and without spaces.
func (s *parsedDocument) readImprint(folded []string) imprint {
	out := imprint{states: make([]int, len(s.lines)), below: make([]bool, len(s.lines))}
	last := 0
	for i, l := range s.lines {
		for _, seg := range l.segments {
			if seg.used {
				last = i
				continue
			}
			out.states[i] |= statements(seg)
		}
	}
	within := make([]bool, len(s.lines))
	for i, l := range s.lines {
		out.below[i] = i > last || l.y0 >= 0.85*s.sizes[l.page][1]
		if out.below[i] {
			around := s.statedAround(out.states, i)
			within[i] = around&statesTown != 0 && around&(statesTax|statesAccount|statesContact) != 0
		}
	}
	var text strings.Builder
	const long = 20_000
	for k, seg := range s.segments {
		if within[seg.line] && text.Len() <= long {
			text.WriteString(folded[k])
			text.WriteByte('\n')
		}
	}
	out.text = text.String()
	return out
}

// statements returns what a segment states.
func statements(seg *segment) int {
	out := 0
	for _, m := range seg.labels {
		switch m.Role {
		case textrules.RoleTaxID, textrules.RoleRegistration, textrules.RoleNationalTaxID:
			out |= statesTax
		case textrules.RoleIBAN, textrules.RoleBIC:
			out |= statesAccount
		case textrules.RoleContact:
			out |= statesContact
		}
	}
	if out == 0 && strings.ContainsAny(seg.text, "@") {
		out |= statesContact
	}
	if out&statesAccount == 0 && len(seg.dates) == 0 && seg.hasPostcode() {
		out |= statesTown
	}
	return out
}

// statedAround returns what the lines around a line state.
func (s *parsedDocument) statedAround(states []int, at int) int {
	out := 0
	for i := max(at-reachOfImprint, 0); i <= at+reachOfImprint && i < len(states); i++ {
		if l := s.lines[i]; l.page == s.lines[at].page && abs(l.y0-s.lines[at].y0) < 2*reachOfImprint*s.height {
			out |= states[i]
		}
	}
	return out
}
