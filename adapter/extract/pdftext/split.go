package pdftext

import (
	"maps"
	"strconv"

	"docledger/adapter/extract/layout"
	"docledger/domain/extraction/textrules"
)

// maxSplitPages and maxSplitWords limit the files that are searched for several
// invoices, because the search reads each page once more.
const (
	maxSplitPages = 300
	maxSplitWords = 60_000
)

// Split returns the first page, from 0, of each invoice in a file of pages. The
// evidence is page counters, invoice numbers, titles, totals and letterheads. A page
// that states none of them belongs to the pages before it.
func Split(pages []layout.Page) []int {
	starts := []int{0}
	words := 0
	for i := range pages {
		words += len(pages[i].Words)
	}
	if len(pages) < 2 || len(pages) > maxSplitPages || words > maxSplitWords {
		return starts
	}
	seen := make([]pageEvidence, len(pages))
	for i := range pages {
		seen[i] = evidenceOf(&pages[i])
	}
	dropContinuousCounters(seen)
	for i := 1; i < len(seen); i++ {
		if begins(seen[starts[len(starts)-1]:i], &seen[i]) {
			starts = append(starts, i)
		}
	}
	return starts
}

// pageEvidence is what a page states about the invoice that it belongs to.
type pageEvidence struct {
	empty   bool
	at, of  int // page counter, "page 2 of 3"; 0: none
	number  string
	strong  bool // the number has an unambiguous label
	titled  bool
	total   bool            // it states a total
	head    map[string]bool // words of the letterhead
	numbers map[string]bool // every word with a digit, for repeated numbers
	labels  int             // labels of header values: number, dates, buyer
}

// evidenceOf reads a page as if it was a document of its own.
func evidenceOf(p *layout.Page) pageEvidence {
	alone := *p
	alone.Number = 1
	s := parseDocument([]layout.Page{alone})
	e := pageEvidence{head: map[string]bool{}, numbers: map[string]bool{}}
	if len(s.segments) == 0 {
		e.empty = true
		return e
	}
	e.at, e.of = s.pageCounter()
	s.readAmounts()
	s.chooseTable()
	if f, confidence, ok := s.chooseNumber(); ok && confidence >= probable {
		e.number = squeeze(f.value)
	}
	for _, f := range s.numbers() {
		const unambiguous = 0.9
		if f.weight >= unambiguous && (e.number == "" || squeeze(f.value) == e.number) {
			e.number, e.strong = squeeze(f.value), true
		}
	}
	e.titled = s.anyTitle()
	for _, row := range s.findTotals().rows {
		switch row.role {
		case textrules.RoleGross, textrules.RoleDue:
			e.total = true
		case textrules.RoleTotal:
			e.total = e.total || !row.weak
		}
	}
	for _, seg := range s.segments {
		for _, label := range seg.labels {
			switch label.Role {
			case textrules.RoleNumber, textrules.RoleIssueDate, textrules.RoleDueDate, textrules.RoleBuyer:
				e.labels++
			}
		}
		for _, w := range seg.words {
			if hasDigit(w.text) {
				e.numbers[squeeze(trimIdentifier(w.text))] = true
			}
		}
	}
	s.letterhead(&e)
	return e
}

// letterhead collects the words at the top of the page.
func (s *parsedDocument) letterhead(e *pageEvidence) {
	const part = 0.16
	top := part * s.sizes[1][1]
	for _, seg := range s.segments {
		if seg.y0 > top {
			continue
		}
		for _, t := range textrules.Words(seg.text) {
			if len(t) > 2 && !hasDigit(t) {
				e.head[t] = true
			}
		}
	}
}

// counterWords are the words for "page" before a counter, folded.
const counterWords = `(?:page|pages|pag|pagina|pagine|página|pg|seite|seiten|blatt|sida|side|sivu|strona|str|strana|stranka|stránka|oldal|lapas|lk|lehekulg|puslapis|stran|sayfa|hoja|folha|feuille|feuillet|blad|sheet|стр|страница|страниця|сторінка|σελιδα|σελ|ページ|頁|页|페이지)`

var (
	// counted matches "Page 2 of 3", "Seite: 2/3" and "page 2".
	counted = textrules.MustPattern(`(?:^|[^\pL])` + counterWords + `[ .:#n°º-]*(\d{1,4})(?: *(?:/|\||-|of|von|de|di|van|sur|av|af|z|ze|iz|od|из|z celkem|/ *|din|da|στις|από|απο|out of|共) *(?:[a-zа-я]{1,6}\.? )?(\d{1,4}))?`)
	// bare matches a counter without a word, which is alone in its segment.
	bare = textrules.MustPattern(`^[-(\[ ]*(\d{1,3}) *(?:/|of|von|de|di|sur|van) *(\d{1,3})[-)\] ]*$`)
	// trailing matches a counter before its word: "2 / 3 oldal", "1. oldal", "第 2 页".
	trailing = textrules.MustPattern(`(?:^|[^\d])(\d{1,3})\.? *(?:/ *(\d{1,3}) *)?\.? *(?:oldal|sivu|ページ|頁|页|페이지|lapa|psl|sayfa)(?:$|[^\pL])`)
)

// pageCounter returns the counter of a page, 0 without one. A bare counter counts at
// the edges of the page only.
func (s *parsedDocument) pageCounter() (at, of int) {
	height := s.sizes[1][1]
	for _, seg := range s.segments {
		if seg.used {
			continue
		}
		text := textrules.Fold(seg.text)
		m := counted.FindStringSubmatch(text)
		if m == nil {
			m = trailing.FindStringSubmatch(text)
		}
		if m == nil && (seg.y0 < 0.12*height || seg.y1 > 0.88*height) {
			m = bare.FindStringSubmatch(text)
		}
		if m == nil {
			continue
		}
		k, _ := strconv.Atoi(m[1])
		n, _ := strconv.Atoi(m[2])
		if k < 1 || n > 0 && (k > n || n > maxSplitPages) {
			continue
		}
		if at == 0 || of == 0 && n > 0 {
			at, of = k, n
		}
	}
	return at, of
}

// dropContinuousCounters removes counters that count the pages of the file and not
// those of an invoice, such as the stamp of a scanner: they never start again.
func dropContinuousCounters(pages []pageEvidence) {
	for i := range pages {
		if pages[i].at != i+1 || pages[i].of != 0 && pages[i].of != len(pages) {
			return
		}
	}
	numbers := map[string]bool{}
	for i := range pages {
		if pages[i].strong {
			numbers[pages[i].number] = true
		}
	}
	if len(numbers) < 2 {
		return // one invoice with many pages
	}
	for i := range pages {
		pages[i].at, pages[i].of = 0, 0
	}
}

// begins reports whether a page begins another invoice than the pages before it.
func begins(before []pageEvidence, p *pageEvidence) bool {
	first, last := &before[0], &before[len(before)-1]
	known := "" // the number of the invoice
	strong, totalled, titled := false, false, false
	for i := range before {
		e := &before[i]
		if e.number != "" && (known == "" || e.strong && !strong) {
			known, strong = e.number, e.strong
		}
		totalled, titled = totalled || e.total, titled || e.titled
	}
	// A page with a number of its own can mention that of another invoice.
	same := known != "" && (p.number == known || p.numbers[known] && !(p.strong && p.titled))
	other := known != "" && p.number != "" && !same
	switch {
	case p.empty:
		return false
	case p.titled && len(p.numbers) > 3 && maps.Equal(p.numbers, first.numbers):
		return true // a copy of the first page
	case p.at > 1 && (last.at == p.at-1 || len(before) == p.at-1) && (last.of == 0 || p.of == 0 || last.of == p.of):
		// The next page of a counted invoice. Two invoices that both lost a page can agree by
		// chance; their numbers distinguish them.
		return other && p.strong && strong && p.titled && p.number != known && last.at != p.at-1
	case p.at == 1:
		return p.titled || p.number != "" && !same || p.total && p.labels > 0 || p.labels > 1 || last.at > 0 && p.labels > 0
	case last.of > 0 && last.at == last.of && (p.titled || p.number != "" || p.at > 1):
		return !same // the counted invoice has ended
	case last.of > 0 && last.at < last.of && p.at == 0:
		return other && p.strong && p.titled
	case same:
		return false
	case other:
		return p.titled || p.strong && (strong || totalled && p.total) || totalled && p.total && p.labels > 1
	case p.titled && p.number == "" && known != "":
		return totalled && p.total && p.labels > 0 && !sameHead(first, p)
	case known == "" && (p.titled || p.number != "") && totalled:
		return p.total || p.labels > 0
	}
	return false
}

// sameHead reports whether two pages have the same letterhead.
func sameHead(a, b *pageEvidence) bool {
	common := 0
	for w := range b.head {
		if a.head[w] {
			common++
		}
	}
	return 2*common >= max(len(b.head), 1)
}

// Parts returns the pages of each invoice of a file as ranges of indices, the end
// exclusive.
func Parts(pages []layout.Page) [][2]int {
	starts := append(Split(pages), len(pages))
	out := make([][2]int, 0, len(starts)-1)
	for i := range len(starts) - 1 {
		out = append(out, [2]int{starts[i], starts[i+1]})
	}
	return out
}
