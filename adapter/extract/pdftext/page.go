package pdftext

import (
	"cmp"
	"docledger/domain/extraction"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docledger/adapter/extract/layout"
	"docledger/domain/calendar"
	"docledger/domain/extraction/textrules"

	"golang.org/x/text/unicode/norm"
)

// word is a printed word at its position in points, on a page that is rotated so that
// its text is upright.
type word struct {
	text           string
	x0, y0, x1, y1 float64
	box            layout.Box // on the displayed page
	sign           string     // the sign of a number directly before it: "No."
	spacing        float64    // between its letters, if they are printed apart
}

func (w *word) middle() float64 { return (w.y0 + w.y1) / 2 }

// segment is a sequence of words on one line without a wide gap: a cell of a table, a
// label, or a line of a paragraph.
type segment struct {
	page           int
	line           int // index of its line in the document
	at             int // index in its line
	text           string
	words          []word
	starts         []int // offset of each word in text
	x0, y0, x1, y1 float64
	tokens         []textrules.Token
	labels         []textrules.Match
	amounts        []amount
	dates          []textrules.PrintedDate
	used           bool // it belongs to the table of lines
	pure, post     int  // whether it is a label, and has a post code: 1 yes, -1 no, 0 not known yet
}

// line contains the segments at the same height of a page.
type line struct {
	page     int
	y0, y1   float64
	segments []*segment
	right    bool // it is right-to-left
}

// parsedDocument is the whole document in reading order.
type parsedDocument struct {
	lines    []*line
	segments []*segment
	height   float64 // median character height in points
	style    textrules.Style
	order    textrules.Order
	dates    extraction.DateOrder // setting of the entity
	issued   calendar.Date        // the issue date, after it is chosen
	currency string
	pages    int
	whole    bool               // its amounts have no cents
	parties  *parties           // after they are found
	training *training          // nil except during training
	sizes    map[int][2]float64 // width and height of each rotated page
}

// gapOfCells is the minimum gap between words of different cells, in character
// heights.
const gapOfCells = 1.25

// parseDocument groups the words of all pages into lines and segments.
func parseDocument(pages []layout.Page) *parsedDocument {
	s := &parsedDocument{pages: len(pages), sizes: map[int][2]float64{}}
	for i := range pages {
		words := withoutLeaders(upright(&pages[i]))
		size := [2]float64{pages[i].Width, pages[i].Height}
		for _, w := range words {
			size[0], size[1] = max(size[0], w.x1), max(size[1], w.y1)
		}
		s.sizes[pages[i].Number] = size
		height := usualHeight(words)
		if height == 0 {
			continue
		}
		if s.height == 0 {
			s.height = height
		}
		words = joinRaised(joinFragments(words, height))
		all := rows(words, height)
		joinCents(all, height)
		for k := range all {
			all[k] = joinLetters(all[k])
		}
		gap := max(gapOfCells*height, min(1.6*usualGap(all), 2.5*height))
		for _, row := range all {
			s.add(pages[i].Number, row, gap)
		}
	}
	s.joinSigns()
	return s
}

// usualGap returns the distance of words in a text: the lower quartile of the gaps
// between words in a line.
func usualGap(lines [][]word) float64 {
	var gaps []float64
	for _, row := range lines {
		for i := 1; i < len(row); i++ {
			if gap := row[i].x0 - row[i-1].x1; gap > 0 {
				gaps = append(gaps, gap)
			}
		}
	}
	if len(gaps) == 0 {
		return 0
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/4]
}

func (s *parsedDocument) add(page int, row []word, usual float64) {
	l := &line{page: page, y0: row[0].y0, y1: row[0].y1}
	var all []string
	for _, w := range row {
		l.y0, l.y1 = min(l.y0, w.y0), max(l.y1, w.y1)
		all = append(all, w.text)
	}
	l.right = textrules.IsRightToLeft(strings.Join(all, " "))
	from := 0
	for i := 1; i <= len(row); i++ {
		if i < len(row) && row[i].x0-row[i-1].x1 <= cellGap(&row[i-1], &row[i], usual) {
			continue
		}
		seg := newSegment(page, len(s.lines), slices.Clone(row[from:i]), l.right)
		from = i
		if len(seg.tokens) == 0 && len(row) > 1 {
			continue // a lone colon or rule
		}
		seg.at = len(l.segments)
		l.segments = append(l.segments, seg)
		s.segments = append(s.segments, seg)
	}
	s.lines = append(s.lines, l)
}

// cellGap returns the minimum gap between two words of different cells. It is larger
// between letters that are larger than the text of the page, such as those of a
// letterhead.
func cellGap(a, b *word, usual float64) float64 {
	small := min(a.y1-a.y0, b.y1-b.y0)
	large, digits := small > usual, hasDigit(a.text) || hasDigit(b.text)
	if spacing := min(a.spacing, b.spacing); spacing > 0 {
		usual = max(usual, 3.5*spacing)
	}
	switch {
	case large && digits:
		return 1.1 * small
	case large:
		return 1.3 * small
	case digits:
		return usual
	}
	return max(usual, 0.8*small)
}

func newSegment(page, line int, words []word, right bool) *segment {
	seg := &segment{page: page, line: line, x0: words[0].x0, y0: words[0].y0, x1: words[len(words)-1].x1, y1: words[0].y1}
	for _, w := range words {
		seg.y0, seg.y1 = min(seg.y0, w.y0), max(seg.y1, w.y1)
	}
	if right {
		slices.Reverse(words)
		turnRuns(words)
	}
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		seg.starts = append(seg.starts, b.Len())
		b.WriteString(w.text)
	}
	seg.words, seg.text = words, b.String()
	seg.tokens = textrules.Tokens(seg.text)
	seg.labels = textrules.FindLabels(seg.tokens)
	seg.dates = textrules.FindDates(seg.text)
	return seg
}

// hasPostcode reports whether the text contains what can be a post code.
func (seg *segment) hasPostcode() bool {
	if seg.post == 0 {
		seg.post = -1
		if postcode.MatchString(seg.text) {
			seg.post = 1
		}
	}
	return seg.post > 0
}

// turnRuns restores the order of Latin words in a right-to-left line.
func turnRuns(words []word) {
	latin := func(w word) bool {
		r, _ := utf8.DecodeRuneInString(w.text)
		return unicode.In(r, unicode.Latin)
	}
	for i := 0; i < len(words); i++ {
		j := i
		for j < len(words) && latin(words[j]) {
			j++
		}
		slices.Reverse(words[i:j])
		i = max(i, j-1)
	}
}

// clean normalizes text: it converts ligatures and wide forms to plain characters and
// digits of other scripts to ASCII, and removes unprintable characters.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsPrint(r) || unicode.IsSpace(r) {
			return r
		}
		return -1
	}, norm.NFKC.String(ordinalSigns(text)))
	return logical(textrules.Digits(text))
}

// ordinalSigns replaces the sign º between a sign of a number and its value, "Nº17", by a degree sign,
// which stays a sign: normalized, it is the letter o.
func ordinalSigns(text string) string {
	const sign = "º"
	at := strings.Index(text, sign)
	if at <= 0 || !isNumberSign(text[:at]) || !isWordy(text[at+len(sign):]) {
		return text
	}
	return text[:at] + "°" + text[at+len(sign):]
}

// logical reverses an Arabic word that the page stores in visual order. It detects
// this order from letters that occur only at the end of a word, and from the article
// at its start.
func logical(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Arabic, r) }) {
		return text
	}
	runes := []rune(text)
	first, last := runes[0], runes[len(runes)-1]
	begins := first == 'ة' || first == 'ى'
	ends := len(runes) > 3 && last == 'ا' && runes[len(runes)-2] == 'ل' && !strings.HasPrefix(text, "ال")
	turned := slices.Clone(runes)
	slices.Reverse(turned)
	known := !textrules.KnownWord(text) && textrules.KnownWord(string(turned))
	if begins || ends && last != 'ة' || known {
		return string(turned)
	}
	return text
}

// upright returns the words of a page, rotated so that most of them are upright. It
// omits words with another orientation, such as a note in the margin.
func upright(p *layout.Page) []word {
	var flat, tall, up, down int
	previous := layout.Box{}
	for i, w := range p.Words {
		if utf8.RuneCountInString(w.Text) < 3 {
			continue
		}
		if (w.Box[2]-w.Box[0])*p.Width >= (w.Box[3]-w.Box[1])*p.Height {
			flat++
			continue
		}
		tall++
		if i > 0 && w.Box[0] < previous[2] && previous[0] < w.Box[2] {
			if w.Box[1] < previous[1] {
				up++
			} else {
				down++
			}
		}
		previous = w.Box
	}
	sideways := tall > flat
	out := make([]word, 0, len(p.Words))
	for _, w := range p.Words {
		x0, y0, x1, y1 := w.Box[0]*p.Width, w.Box[1]*p.Height, w.Box[2]*p.Width, w.Box[3]*p.Height
		if standing := y1-y0 > x1-x0; utf8.RuneCountInString(w.Text) >= 3 && standing != sideways && y1-y0 > 2*(x1-x0) != sideways {
			continue
		}
		switch {
		case sideways && up >= down:
			x0, y0, x1, y1 = p.Height-y1, x0, p.Height-y0, x1
		case sideways:
			x0, y0, x1, y1 = y0, p.Width-x1, y1, p.Width-x0
		}
		if text := clean(w.Text); text != "" {
			out = append(out, split(word{text: text, x0: x0, y0: y0, x1: x1, y1: y1, box: w.Shown()})...)
		}
	}
	return out
}

// numberAndDate matches a number and a date in one word: "90012345/26.06.2026".
var numberAndDate = textrules.MustPattern(`^([A-Z0-9-]*\d[A-Z0-9-]{3,})/(\d{1,2}\.\d{1,2}\.\d{4}|\d{4}-\d{2}-\d{2})$`)

// split separates a number from a date, and a label from a value that follows it without a space.
func split(w word) []word {
	if parts := numberAndDate.FindStringSubmatch(w.text); parts != nil {
		number, date := w, w
		number.text, date.text = parts[1], parts[2]
		number.x1 = w.x0 + float64(len(parts[1]))/float64(len(w.text))*(w.x1-w.x0)
		date.x0 = number.x1
		return []word{number, date}
	}
	at := labelEnd(w.text)
	if at <= 0 || at >= len(w.text) {
		return []word{w}
	}
	part := float64(utf8.RuneCountInString(w.text[:at])) / float64(utf8.RuneCountInString(w.text))
	a, b := w, w
	a.text, b.text = w.text[:at], w.text[at:]
	a.x1 = w.x0 + part*(w.x1-w.x0)
	b.x0 = a.x1
	if isNumberSign(a.text) {
		b.sign = a.text
	}
	return append([]word{a}, split(b)...)
}

// labelEnd returns the end of a label in a word with a label and a value: after a
// colon that follows letters or the sign of a number, between an ideograph and a currency
// sign, or between a label of ideographs and a number.
func labelEnd(text string) int {
	if len(text) > longestGlued {
		return -1
	}
	if at := numberLabelEnd(text); at > 0 {
		return at
	}
	before := rune(0)
	for i, r := range text {
		rest := text[i+utf8.RuneLen(r):]
		switch {
		case r == ':' && (unicode.IsLetter(before) || strings.ContainsRune(").°#", before)) && rest != "" && !strings.HasPrefix(rest, "/") && !strings.HasPrefix(text, "http"):
			return i + 1
		case (r == '¥' || r == '￥' || r == '$' || r == '€') && (before == ')' || unicode.Is(unicode.Han, before) || unicode.Is(unicode.Hiragana, before)):
			return i
		}
		before = r
	}
	return -1
}

// usualHeight returns the median height of the words that are not only signs.
func usualHeight(words []word) float64 {
	var heights []float64
	for _, w := range words {
		if strings.ContainsFunc(w.text, tall) {
			heights = append(heights, w.y1-w.y0)
		}
	}
	if len(heights) == 0 {
		return 0
	}
	slices.Sort(heights)
	return heights[len(heights)/2]
}

// tall reports whether a letter is as high as a capital. Scripts without capitals
// have only such letters.
func tall(r rune) bool {
	return unicode.IsUpper(r) || unicode.IsDigit(r) || unicode.Is(unicode.Lo, r)
}

// joinFragments joins words that are separated only because a sign, such as a full
// stop or an underscore, has another height than the letters.
func joinFragments(words []word, height float64) []word {
	out := words[:0]
	for _, w := range words {
		if n := len(out); n > 0 && touching(&out[n-1], &w, height) {
			last := &out[n-1]
			if w.x0 < last.x0 {
				last.text = w.text + last.text
			} else {
				last.text += w.text
			}
			last.x0, last.y0, last.x1, last.y1 = min(last.x0, w.x0), min(last.y0, w.y0), max(last.x1, w.x1), max(last.y1, w.y1)
			last.box = union(last.box, w.box)
			continue
		}
		out = append(out, w)
	}
	return out
}

// touching reports whether two consecutive words are one word.
func touching(a, b *word, height float64) bool {
	apart := max(a.y0, b.y0) - min(a.y1, b.y1)
	if !edge(a.text, b.text) || apart > height*0.7 || apart > 0 && isWordy(a.text) && isWordy(b.text) {
		return false // two words of different lines
	}
	gap := max(b.x0-a.x1, a.x0-b.x1)
	return gap < height*0.18 && gap > -height && numberLabelEnd(a.text+b.text) != len(a.text)
}

func isWordy(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// edge reports whether there is a sign at the boundary of two words.
func edge(a, b string) bool {
	const signs = "-_.,'\"/"
	return strings.ContainsAny(a[len(a)-1:], signs) || strings.ContainsAny(b[:1], signs)
}

func union(a, b layout.Box) layout.Box {
	return layout.Box{min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])}
}

// rows groups words into lines from top to bottom, each sorted from left to right.
func rows(words []word, height float64) [][]word {
	sorted := slices.Clone(words)
	slices.SortStableFunc(sorted, func(a, b word) int { return cmp.Compare(a.middle(), b.middle()) })
	var out [][]word
	var middle, span float64 // of the line
	for _, w := range sorted {
		own := max(w.y1-w.y0, 0.8*height)
		if w.y1-w.y0 < 0.45*height {
			own = 1.5 * height // a sign on or below the baseline
		}
		if n := len(out); n > 0 && w.middle()-middle < 0.5*min(own, max(span, height)) {
			out[n-1] = append(out[n-1], w)
			if own < 1.5*height {
				middle += (w.middle() - middle) / float64(len(out[n-1]))
			}
			continue
		}
		out = append(out, []word{w})
		middle, span = w.middle(), own
	}
	out = joinTall(out, height)
	for _, row := range out {
		slices.SortStableFunc(row, func(a, b word) int { return cmp.Compare(a.x0, b.x0) })
	}
	return out
}

// joinTall moves a large word to the next or previous row if it continues a large word
// there: words of a letterhead differ in their heights, and the small text next to them
// separates them.
func joinTall(lines [][]word, height float64) [][]word {
	const most = 400 // words of two rows
	tall := func(w *word) bool { return w.y1-w.y0 > 1.3*height && strings.ContainsFunc(w.text, unicode.IsLetter) }
	for i := 0; i+1 < len(lines); i++ {
		if len(lines[i])+len(lines[i+1]) > most {
			continue
		}
		for k := 0; k < len(lines[i+1]); k++ {
			w := lines[i+1][k]
			if !tall(&w) || !slices.ContainsFunc(lines[i], func(a word) bool { return tall(&a) && continues(&a, &w) }) {
				continue
			}
			lines[i] = append(lines[i], w)
			lines[i+1] = slices.Delete(lines[i+1], k, k+1)
			k--
		}
	}
	return slices.DeleteFunc(lines, func(row []word) bool { return len(row) == 0 })
}

// continues reports whether two words of about the same height overlap vertically and
// follow each other.
func continues(a, b *word) bool {
	x, y := a.y1-a.y0, b.y1-b.y0
	if min(x, y) < 0.7*max(x, y) || min(a.y1, b.y1)-max(a.y0, b.y0) < 0.6*min(x, y) {
		return false
	}
	gap := gapBetween(a, b)
	return gap > -0.2*min(x, y) && gap < 0.6*min(x, y)
}
