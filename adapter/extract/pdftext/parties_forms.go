package pdftext

import (
	"strings"

	"docledger/domain/extraction/textrules"
)

// nameRow reads the value of a label for names, such as "Name:" or "Company name",
// in the rows of a small table below a label of a party: after the label, next to it,
// or below it.
func (p *parties) nameRow(seg *segment) (naming, bool) {
	for _, l := range p.s.lines[seg.line:min(seg.line+4, len(p.s.lines))] {
		for k, c := range l.segments {
			if abs(c.x0-seg.x0) > p.s.height || l.page != seg.page {
				continue
			}
			if n, ok := p.nameOfRow(l, k); ok {
				return n, true
			}
		}
	}
	return naming{}, false
}

// nameOfRow reads the value of a label for names.
func (p *parties) nameOfRow(l *line, k int) (naming, bool) {
	c := l.segments[k]
	end := 0
	switch {
	case textrules.Fold(strings.Trim(c.text, " :")) == "name":
		end = len(c.text)
	case len(c.labels) > 0 && c.labels[0].From == 0 && c.labels[0].Role == textrules.RoleName:
		end = c.tokens[c.labels[0].To-1].End
	default:
		return naming{}, false
	}
	if rest := strings.TrimSpace(c.text[end:]); strings.HasPrefix(rest, ":") && strings.Trim(rest, " :.") != "" {
		name := trimName(rest)
		return naming{name: name, seg: c}, isName(name)
	} else if strings.Trim(rest, " :.") != "" {
		return naming{}, false
	}
	if k+1 < len(l.segments) && !l.segments[k+1].startsWithLabel() {
		if name := trimName(l.segments[k+1].text); isName(name) {
			return naming{name: name, seg: l.segments[k+1]}, true
		}
	}
	if below := p.s.under(c.line, c); len(below) > 0 {
		seg := below[0].seg
		if name := trimName(seg.text); isName(name) && !seg.startsWithLabel() {
			return naming{name: name, seg: seg}, true
		}
	}
	return naming{}, false
}

// byForms reads names in the sections of forms: a label for names below a heading of
// a party that is the only text of its line.
func (p *parties) byForms() {
	const most = 8 // lines of a section above its name
	s := p.s
	for i, l := range s.lines {
		if len(l.segments) != 1 || len(l.segments[0].labels) == 0 {
			continue
		}
		head := l.segments[0]
		role := head.labels[0].Role
		if head.used || role != textrules.RoleSeller && role != textrules.RoleBuyer || head.labels[0].From > 2 || hasDigit(head.text) {
			continue
		}
	section:
		for _, row := range s.lines[i+1 : min(i+1+most, len(s.lines))] {
			if row.page != l.page {
				break
			}
			for k, c := range row.segments {
				if len(row.segments) == 1 && len(c.labels) > 0 && c.labels[0].From <= 2 && pureLabel(c) && (c.labels[0].Role == textrules.RoleSeller || c.labels[0].Role == textrules.RoleBuyer) {
					break section
				}
				n, ok := p.nameOfRow(row, k)
				if !ok {
					continue
				}
				n.weight, n.labelled = 1, true
				if role == textrules.RoleSeller {
					p.seller = append(p.seller, n)
				} else {
					p.buyer = append(p.buyer, n)
				}
				break section
			}
		}
	}
}
