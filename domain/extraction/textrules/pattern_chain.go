package textrules

import (
	"regexp/syntax"
	"unicode/utf8"
)

// chain is a sequence of sets of ASCII characters.
type chain []charset

// longestChain limits a chain. A longer one excludes hardly more texts.
const longestChain = 6

// chains finds the longest sequence of sets that every match of an expression contains,
// one character of each set after the other.
type chains struct{ current, best chain }

func chainOf(re *syntax.Regexp) chain {
	var c chains
	c.add(re)
	c.end()
	if len(c.best) < 2 {
		return nil // the sets themselves say as much
	}
	return c.best
}

// end ends the current sequence: anything can follow.
func (c *chains) end() {
	if len(c.current) > len(c.best) {
		c.best = c.current
	}
	c.current = nil
}

// follow adds a character. Characters beyond ASCII have several bytes and end the sequence.
func (c *chains) follow(s charset) {
	if s.other {
		c.end()
		return
	}
	if len(c.current) == longestChain {
		c.end()
	}
	c.current = append(c.current, s)
}

func (c *chains) add(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			c.follow(setOfLiteral(r, re.Flags&syntax.FoldCase != 0))
		}
	case syntax.OpCharClass:
		c.follow(setOfClass(re.Rune))
	case syntax.OpCapture:
		c.add(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			c.add(sub)
		}
	case syntax.OpPlus:
		c.add(re.Sub[0])
		c.end()
	case syntax.OpRepeat:
		for range min(re.Min, longestChain+1) {
			c.add(re.Sub[0])
		}
		if re.Min > longestChain || re.Min != re.Max {
			c.end()
		}
	default:
		c.end()
	}
}

// in reports whether the text contains the sequence.
func (c chain) in(text string) bool {
	for i := 0; i+len(c) <= len(text); i++ {
		n := 0
		for n < len(c) && c[n].has(text[i+n]) {
			n++
		}
		if n == len(c) {
			return true
		}
	}
	return false
}

// has reports whether the set contains an ASCII character.
func (s *charset) has(b byte) bool {
	return b < utf8.RuneSelf && s.ascii[b>>6]&(1<<(b&63)) != 0
}
