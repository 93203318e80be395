package supplier

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"docledger/domain/calendar"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// Printed contains the printed texts of documents that can be values: of the document of an
// invoice, and of the documents of approved invoices, by the id of the invoice.
type Printed struct {
	Own []extraction.Reading
	Of  map[uuid.UUID][]extraction.Reading
}

// kinds are the kinds of texts that can be the values of a path.
var kinds = map[string]extraction.ReadingKind{
	"invoice_number": extraction.NumberReading, "issue_date": extraction.DateReading, "due_date": extraction.DateReading,
	"seller.name": extraction.NameReading, "buyer.name": extraction.NameReading, "seller.tax_id": extraction.TaxIDReading,
	"net_total": extraction.AmountReading, "tax_total": extraction.AmountReading, "gross_total": extraction.AmountReading, "amount_due": extraction.AmountReading,
}

// can reports whether a text can be the value of a path. A tax id in an unknown form is read as a
// number.
func can(path string, r *extraction.Reading) bool {
	return r.Kind == kinds[path] || path == "seller.tax_id" && r.Kind == extraction.NumberReading
}

// optional are the values that an invoice can lack.
var optional = []string{"due_date", "seller.tax_id", "buyer.name", "net_total", "tax_total"}

// unsure is the confidence below which the usual review threshold stops a value.
const unsure = 0.8

// Study returns what Learn needs to find the places of values: whether the readings of the document
// of the invoice, and the approved invoices of which the documents must be read. approved are those
// of the same supplier, newest first.
func Study(inv *invoice.Invoice, approved []invoice.Invoice) (own bool, examples []invoice.Invoice) {
	now := *inv
	now.Fields = cloned(inv.Fields)
	Learn(&now, approved, Printed{})
	for _, path := range placed {
		old := newest(approved, path)
		if old == nil {
			continue
		}
		ev, known := now.Fields[path]
		before := old.Fields[path]
		if before.Source != invoice.ByHuman && before.Box == nil || keeps(&now, path, &before, &ev, known) {
			continue
		}
		own = true
		if old.Extraction.Method == invoice.Text && !slices.ContainsFunc(examples, func(o invoice.Invoice) bool { return o.ID == old.ID }) {
			examples = append(examples, *old)
		}
	}
	return own, examples
}

func cloned(fields map[string]invoice.Evidence) map[string]invoice.Evidence {
	out := make(map[string]invoice.Evidence, len(fields))
	for path, ev := range fields {
		out[path] = ev
	}
	return out
}

// newest returns the newest invoice with evidence for a path, or nil.
func newest(approved []invoice.Invoice, path string) *invoice.Invoice {
	for i := range approved {
		if _, known := approved[i].Fields[path]; known {
			return &approved[i]
		}
	}
	return nil
}

// spot is a printed text of the document of an approved invoice: the place of a value.
type spot struct {
	extraction.Reading
	// nth is the index of the confirmed one of the readings of an ambiguous text.
	nth int
	// order and peers are the position among the texts with the same label and column.
	order, peers int
	// placeOnly reports that only the position and the text are known.
	placeOnly bool
}

// learnPlaces replaces values by those that are printed where the approved invoices of the supplier
// have them. A value that a person corrected replaces the extracted one; a value that a person only
// approved replaces an uncertain one. Totals are replaced together, and only if they add up.
func learnPlaces(inv *invoice.Invoice, approved []invoice.Invoice, printed Printed) {
	if len(printed.Own) == 0 {
		return
	}
	for _, path := range placed {
		if !slices.Contains(totals, path) {
			learnPlace(inv, path, approved, printed)
		}
	}
	next := *inv
	next.Fields = cloned(inv.Fields)
	for _, path := range totals {
		learnPlace(&next, path, approved, printed)
	}
	if changed(inv, &next) && !slices.ContainsFunc(totals, func(path string) bool {
		value := invoice.Fields[path].Get(&next)
		return value != "" && contradicted(&next, path, value)
	}) {
		*inv = next
	}
}

func changed(a, b *invoice.Invoice) bool {
	return slices.ContainsFunc(totals, func(path string) bool {
		return invoice.Fields[path].Get(a) != invoice.Fields[path].Get(b) || a.Fields[path].Confidence != b.Fields[path].Confidence
	})
}

func learnPlace(inv *invoice.Invoice, path string, approved []invoice.Invoice, printed Printed) {
	old := newest(approved, path)
	ev, known := inv.Fields[path]
	if old == nil || known && (ev.Source == invoice.ByHuman || ev.Source == invoice.FromSupplier) {
		return
	}
	before := old.Fields[path]
	corrected := before.Source == invoice.ByHuman
	if keeps(inv, path, &before, &ev, known) {
		return
	}
	readings := printed.Of[old.ID]
	value := invoice.Fields[path].Get(old)
	if corrected && value == "" {
		if before.Original != nil && slices.Contains(optional, path) {
			leaveEmpty(inv, path, spotsOf(path, *before.Original, readings))
		}
		return
	}
	spots := slices.DeleteFunc(spotsOf(path, value, readings), func(s spot) bool { return claimed(old, path, &s.Reading) })
	if !corrected && before.Box != nil && len(spots) == 0 && !claimedPlace(old, path, before.Page, before.Box) {
		spots = append(spots, spot{Reading: extraction.Reading{Page: before.Page, Box: *before.Box, Text: before.SourceText}, placeOnly: true})
	}
	found, text := find(path, spots, printed.Own)
	if found == nil {
		return
	}
	next := *inv
	next.Fields = cloned(inv.Fields)
	if invoice.Fields[path].Set(&next, text) != nil || !slices.Contains(totals, path) && contradicted(&next, path, text) {
		return
	}
	if path == "buyer.name" && sameName(text, next.Seller.Name) || path == "seller.name" && sameName(text, next.Buyer.Name) {
		return
	}
	fresh := invoice.Evidence{
		Source: invoice.FromSupplier, Confidence: confirmedPlace, Page: found.Page, Box: &found.Box, SourceText: found.Text,
	}
	if was := invoice.Fields[path].Get(inv); was != "" && !sameValue(path, was, text) {
		fresh.Alternatives = []string{was}
	}
	next.Fields[path] = fresh
	*inv = next
}

// leaveEmpty removes a value that is printed where a person removed it from an approved invoice.
func leaveEmpty(inv *invoice.Invoice, path string, spots []spot) {
	ev, known := inv.Fields[path]
	value := invoice.Fields[path].Get(inv)
	if !known || value == "" || ev.Box == nil {
		return
	}
	at := extraction.Reading{Page: ev.Page, Box: *ev.Box, Text: ev.SourceText}
	for i := range spots {
		s := spots[i]
		s.placeOnly = true
		if likeness(path, &s, &at) > 0 && invoice.Fields[path].Set(inv, "") == nil {
			inv.Fields[path] = invoice.Evidence{Source: invoice.FromSupplier, Confidence: confirmedPlace, Alternatives: []string{value}}
			return
		}
	}
}

// spotsOf returns the places where the document of an approved invoice prints a value.
func spotsOf(path, value string, readings []extraction.Reading) []spot {
	var out []spot
	for i := range readings {
		r := &readings[i]
		if !can(path, r) {
			continue
		}
		// A number in two parts is read in several forms, which differ only in the sign between the parts.
		nth := slices.Index(r.Values, value)
		if nth < 0 {
			nth = slices.IndexFunc(r.Values, func(v string) bool { return sameValue(path, v, value) })
		}
		if nth < 0 {
			continue
		}
		s := spot{Reading: *r, nth: nth}
		for k := range readings {
			if peer(r, &readings[k]) {
				if k < i {
					s.order++
				}
				s.peers++
			}
		}
		out = append(out, s)
	}
	return out
}

// peer reports whether two texts have the same label and the same column.
func peer(a, b *extraction.Reading) bool {
	return a.Kind == b.Kind && labelled(a, b) && sameSide(&a.Box, &b.Box)
}

// find returns the text at one of the places. Of several texts the one with the strongest likeness
// counts, and no text if two values are equally likely.
func find(path string, spots []spot, own []extraction.Reading) (*extraction.Reading, string) {
	best, text := 0, ""
	var found *extraction.Reading
	unique := true
	for i := range spots {
		level, r := nearest(path, &spots[i], own)
		if r == nil || level < best {
			continue
		}
		value := r.Values[min(spots[i].nth, len(r.Values)-1)]
		switch {
		case spots[i].nth >= len(r.Values) || len(r.Values) > 1 && spots[i].placeOnly:
			continue // an ambiguous text, which the place does not decide
		case level > best:
			best, found, text, unique = level, r, value, true
		case !sameValue(path, text, value):
			unique = false
		}
	}
	if !unique {
		return nil, ""
	}
	return found, text
}

// nearest returns the text that is most like the one at a place. Of several with the same label and
// column the one at the same position among them counts.
func nearest(path string, s *spot, own []extraction.Reading) (int, *extraction.Reading) {
	best := 0
	var all []*extraction.Reading
	for i := range own {
		r := &own[i]
		if !can(path, r) {
			continue
		}
		switch level := likeness(path, s, r); {
		case level > best:
			best, all = level, []*extraction.Reading{r}
		case level == best && level > 0:
			all = append(all, r)
		}
	}
	values := map[string]bool{}
	for _, r := range all {
		values[strings.Join(r.Values, " ")] = true
	}
	switch {
	case len(all) == 0:
		return 0, nil
	case len(values) == 1:
		return best, all[0]
	case !slices.Contains(totals, path):
		if r := closest(s, all); r != nil {
			return best, r
		}
	}
	switch {
	case s.placeOnly:
		return 0, nil
	case len(all) == s.peers:
		return best, all[s.order]
	case slices.Contains(totals, path) && s.peers-s.order <= len(all):
		return best, all[len(all)-(s.peers-s.order)] // totals follow a varying number of lines
	}
	return 0, nil
}

// closest returns the text that is clearly closer to a place than all others, or nil.
func closest(s *spot, all []*extraction.Reading) *extraction.Reading {
	distance := func(r *extraction.Reading) float64 {
		return math.Abs(r.Box[1]-s.Box[1]) + min(math.Abs(r.Box[0]-s.Box[0]), math.Abs(r.Box[2]-s.Box[2])) + math.Abs(float64(r.Page-s.Page))
	}
	ordered := slices.Clone(all)
	slices.SortStableFunc(ordered, func(a, b *extraction.Reading) int { return cmp.Compare(distance(a), distance(b)) })
	const clear = 0.008 // about half a line
	if distance(ordered[1])-distance(ordered[0]) < clear || distance(ordered[0]) > sameHeight {
		return nil
	}
	return ordered[0]
}

// likeness returns how much a text is like the one at a place: 0 for not at all.
func likeness(path string, s *spot, r *extraction.Reading) int {
	column := sameSide(&s.Box, &r.Box)
	height := s.Page == r.Page && math.Abs(s.Box[1]-r.Box[1]) <= sameHeight
	label := labelled(&s.Reading, r)
	if s.placeOnly {
		label = words(s.Text) == words(r.Text)
	}
	name := kinds[path] == extraction.NameReading
	switch {
	case slices.Contains(totals, path):
		switch {
		case label && column:
			return 3
		case label && !s.placeOnly:
			return 1
		}
	case name && column && height:
		return 3
	case name:
		if label && (column || height) && !s.placeOnly {
			return 2
		}
	case label && column && height:
		return 4
	case label && (column || height):
		return 3
	case label && !s.placeOnly && s.Before+s.Left != "":
		return 2
	case column && height && s.Before+s.Left+r.Before+r.Left == "" && !s.placeOnly:
		return 1
	}
	return 0
}

// labelled reports whether two texts have the same label: before them, else to their left, else
// above them.
func labelled(a, b *extraction.Reading) bool {
	switch {
	case a.Before != "" || b.Before != "":
		return a.Before == b.Before
	case a.Left != "" || b.Left != "":
		return a.Left == b.Left
	}
	return a.Above != "" && a.Above == b.Above
}

// sameSide reports whether two boxes have the same left or the same right edge.
func sameSide(a, b *[4]float64) bool {
	return math.Abs(a[0]-b[0]) <= sameColumn || math.Abs(a[2]-b[2]) <= sameColumn
}

func sameName(a, b string) bool {
	return a != "" && invoice.FoldName(a) == invoice.FoldName(b)
}

// sameValue reports whether two texts are the same value of a path.
func sameValue(path, a, b string) bool {
	switch kinds[path] {
	case extraction.NameReading:
		return sameName(a, b)
	case extraction.TaxIDReading:
		return invoice.SameTaxID(a, b)
	case extraction.AmountReading:
		x, errX := money.Parse(a)
		y, errY := money.Parse(b)
		return errX == nil && errY == nil && x.Abs().Equal(y.Abs())
	case extraction.DateReading:
		x, errX := calendar.Parse(a)
		y, errY := calendar.Parse(b)
		return errX == nil && errY == nil && x == y
	}
	return squeezed(a) == squeezed(b)
}

func squeezed(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), "") }
