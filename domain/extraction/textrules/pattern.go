package textrules

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pattern is a regular expression with a cheap test before it. Most texts of
// a document lack a character that the expression needs, and the test excludes them in
// a fraction of the time. It never excludes a text that matches.
type Pattern struct {
	form *regexp.Regexp
	need need
}

// MustPattern compiles an expression. It panics if the expression is invalid.
func MustPattern(expression string) *Pattern {
	p := &Pattern{form: regexp.MustCompile(expression)}
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		panic(err)
	}
	p.need.add(parsed)
	p.need.run, _ = runOf(parsed)
	p.need.chain = chainOf(parsed)
	return p
}

// MayMatch reports whether the text with the given characters can match.
func (p *Pattern) MayMatch(c *Characters, text string) bool { return p.need.met(c, text) }

func (p *Pattern) mayMatch(text string) bool {
	c := CharactersOf(text)
	return p.need.met(&c, text)
}

// The methods are those of regexp.Regexp.

// MatchString reports whether the text contains a match.
func (p *Pattern) MatchString(text string) bool {
	return p.mayMatch(text) && p.form.MatchString(text)
}

// FindString returns the first match, or "".
func (p *Pattern) FindString(text string) string {
	if !p.mayMatch(text) {
		return ""
	}
	return p.form.FindString(text)
}

// FindStringIndex returns the position of the first match.
func (p *Pattern) FindStringIndex(text string) []int {
	if !p.mayMatch(text) {
		return nil
	}
	return p.form.FindStringIndex(text)
}

// FindStringSubmatch returns the first match and its groups.
func (p *Pattern) FindStringSubmatch(text string) []string {
	if !p.mayMatch(text) {
		return nil
	}
	return p.form.FindStringSubmatch(text)
}

// FindStringSubmatchIndex returns the positions of the first match and its groups.
func (p *Pattern) FindStringSubmatchIndex(text string) []int {
	if !p.mayMatch(text) {
		return nil
	}
	return p.form.FindStringSubmatchIndex(text)
}

// FindAllString returns at most n matches; all if n is negative.
func (p *Pattern) FindAllString(text string, n int) []string {
	if !p.mayMatch(text) {
		return nil
	}
	return p.form.FindAllString(text, n)
}

// FindAllStringIndex returns the positions of at most n matches.
func (p *Pattern) FindAllStringIndex(text string, n int) [][]int {
	if !p.mayMatch(text) {
		return nil
	}
	return p.form.FindAllStringIndex(text, n)
}

// FindAllStringSubmatch returns at most n matches with their groups.
func (p *Pattern) FindAllStringSubmatch(text string, n int) [][]string {
	if !p.mayMatch(text) {
		return nil
	}
	return p.form.FindAllStringSubmatch(text, n)
}

// FindAllStringSubmatchIndex returns the positions of at most n matches and their
// groups.
func (p *Pattern) FindAllStringSubmatchIndex(text string, n int) [][]int {
	if !p.mayMatch(text) {
		return nil
	}
	return p.form.FindAllStringSubmatchIndex(text, n)
}

// Split splits the text at the matches.
func (p *Pattern) Split(text string) []string {
	if !p.mayMatch(text) {
		return []string{text}
	}
	return p.form.Split(text, -1)
}

// ReplaceAllString replaces each match.
func (p *Pattern) ReplaceAllString(text, with string) string {
	if !p.mayMatch(text) {
		return text
	}
	return p.form.ReplaceAllString(text, with)
}

// charset is a set of characters. All characters beyond ASCII are one element.
type charset struct {
	ascii [2]uint64
	other bool
}

func (s *charset) add(r rune) {
	if r >= 0 && r < utf8.RuneSelf {
		s.ascii[r>>6] |= 1 << (r & 63)
		return
	}
	s.other = true
}

func (s *charset) meets(o *charset) bool {
	return s.ascii[0]&o.ascii[0]|s.ascii[1]&o.ascii[1] != 0 || s.other && o.other
}

// Characters describes which characters a text contains.
type Characters struct {
	set    charset
	digits int    // of ASCII
	run    int    // the most ASCII digits in sequence, if there are any and it was needed
	lower  string // the text in lower case, if it was needed
}

// digit is 1 for each ASCII digit. A table is faster than a branch that the processor
// cannot predict.
var digit = [256]uint8{'0': 1, '1': 1, '2': 1, '3': 1, '4': 1, '5': 1, '6': 1, '7': 1, '8': 1, '9': 1}

// CharactersOf returns the characters of a text.
func CharactersOf(text string) Characters {
	var c Characters
	var at [4]uint64 // a bit for each byte that occurs
	for i := range len(text) {
		at[text[i]>>6] |= 1 << (text[i] & 63)
		c.digits += int(digit[text[i]])
	}
	c.set.ascii = [2]uint64{at[0], at[1]}
	c.set.other = at[2]|at[3] != 0
	return c
}

// Digits returns the number of ASCII digits of the text.
func (c *Characters) Digits() int { return c.digits }

// containFolded reports whether the text can contain each part in any case. The parts are
// ASCII or the text is. Of the letters beyond ASCII that equal ASCII letters in another
// case, only the long s has no such letter as its lower case: texts with it pass.
func (c *Characters) containFolded(text string, parts []string) bool {
	if c.set.other && strings.Contains(text, "ſ") {
		return true
	}
	if c.lower == "" {
		c.lower = strings.ToLower(text)
	}
	for _, part := range parts {
		if !strings.Contains(c.lower, part) {
			return false
		}
	}
	return true
}

// need is what every text that matches an expression contains.
type need struct {
	size   int       // bytes
	digits int       // ASCII digits
	run    int       // ASCII digits in sequence
	chain  chain     // characters in sequence
	sets   []charset // a character of each set
	exact  []string  // each text
	folded []string  // each text in any case; in lower case here
	mixed  []string  // the same for texts with letters beyond ASCII
	one    [][]need  // of each list, what one element needs
}

func (n *need) met(c *Characters, text string) bool {
	if len(text) < n.size || c.digits < n.digits {
		return false
	}
	for i := range n.sets {
		if !n.sets[i].meets(&c.set) {
			return false
		}
	}
	if n.run > 1 && c.longestRun(text) < n.run {
		return false
	}
	for _, part := range n.exact {
		if !strings.Contains(text, part) {
			return false
		}
	}
	if n.chain != nil && !n.chain.in(text) {
		return false
	}
	if len(n.folded) > 0 && !c.containFolded(text, n.folded) {
		return false
	}
	// Letters beyond ASCII have several forms in another case: such texts pass.
	if len(n.mixed) > 0 && !c.set.other && !c.containFolded(text, n.mixed) {
		return false
	}
	for _, list := range n.one {
		found := false
		for i := range list {
			if found = list[i].met(c, text); found {
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// free reports that every text meets the need.
func (n *need) free() bool {
	return n.size == 0 && len(n.sets) == 0 && len(n.exact) == 0 && len(n.folded) == 0 && len(n.mixed) == 0 && len(n.one) == 0
}

// add adds what an expression needs. Expressions that may match nothing need nothing.
func (n *need) add(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		n.addLiteral(re.Rune, re.Flags&syntax.FoldCase != 0)
	case syntax.OpCharClass:
		n.addClass(re.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		n.size++
	case syntax.OpCapture, syntax.OpPlus:
		n.add(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			n.add(sub)
		}
	case syntax.OpRepeat:
		if re.Min > 0 {
			var once need
			once.add(re.Sub[0])
			n.sets, n.exact, n.one = append(n.sets, once.sets...), append(n.exact, once.exact...), append(n.one, once.one...)
			n.folded, n.mixed = append(n.folded, once.folded...), append(n.mixed, once.mixed...)
			n.size, n.digits = n.size+re.Min*once.size, n.digits+re.Min*once.digits
		}
	case syntax.OpAlternate:
		n.addOne(re.Sub)
	}
}

func (n *need) addOne(alternatives []*syntax.Regexp) {
	list := make([]need, len(alternatives))
	for i, sub := range alternatives {
		list[i].add(sub)
		list[i].run, _ = runOf(sub)
		list[i].chain = chainOf(sub)
	}
	size, digits, free := list[0].size, list[0].digits, false
	for i := range list {
		size, digits, free = min(size, list[i].size), min(digits, list[i].digits), free || list[i].free()
	}
	n.size, n.digits = n.size+size, n.digits+digits
	if !free {
		n.one = append(n.one, list)
	}
}

func (n *need) addLiteral(runes []rune, fold bool) {
	for _, r := range runes {
		if '0' <= r && r <= '9' {
			n.digits++
		}
		if fold {
			n.size++
		} else {
			n.size += utf8.RuneLen(r)
		}
	}
	switch {
	case len(runes) > 1 && fold:
		if lower := strings.ToLower(string(runes)); isASCII(lower) {
			n.folded = append(n.folded, lower)
		} else {
			n.mixed = append(n.mixed, lower)
		}
	case len(runes) > 1:
		n.exact = append(n.exact, string(runes))
	default:
		n.sets = append(n.sets, setOfLiteral(runes[0], fold))
	}
}

// setOfLiteral returns the characters that a character of an expression matches.
func setOfLiteral(r rune, fold bool) charset {
	var s charset
	s.add(r)
	if fold {
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			s.add(other)
		}
	}
	return s
}

// addClass adds a class of characters, given by ranges.
func (n *need) addClass(ranges []rune) {
	n.size++
	digits := true
	for i := 0; i+1 < len(ranges); i += 2 {
		digits = digits && ranges[i] >= '0' && ranges[i+1] <= '9'
	}
	if digits {
		n.digits++
		return // the number of digits says more
	}
	n.sets = append(n.sets, setOfClass(ranges))
}

// setOfClass returns the characters of a class, given by ranges.
func setOfClass(ranges []rune) charset {
	var s charset
	for i := 0; i+1 < len(ranges); i += 2 {
		low, high := ranges[i], ranges[i+1]
		s.other = s.other || high >= utf8.RuneSelf
		for r := low; r <= min(high, unicode.MaxASCII); r++ {
			s.add(r)
		}
	}
	return s
}
