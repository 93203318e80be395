package textrules

import "regexp/syntax"

// longestRun returns the most ASCII digits in sequence in the text.
func (c *Characters) longestRun(text string) int {
	if c.run == 0 && c.digits > 0 {
		run := 0
		for i := range len(text) {
			run = (run + 1) * int(digit[text[i]])
			c.run = max(c.run, run)
		}
	}
	return c.run
}

// runOf returns how many ASCII digits in sequence every match of an expression contains.
// only reports that the expression matches nothing but digits; at least that many.
func runOf(re *syntax.Regexp) (run int, only bool) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return 0, true
	case syntax.OpLiteral:
		return runOfLiteral(re.Rune)
	case syntax.OpCharClass:
		for _, r := range re.Rune {
			if r < '0' || r > '9' {
				return 0, false
			}
		}
		return 1, len(re.Rune) > 0
	case syntax.OpCapture, syntax.OpPlus:
		return runOf(re.Sub[0])
	case syntax.OpQuest, syntax.OpStar:
		_, only = runOf(re.Sub[0])
		return 0, only
	case syntax.OpRepeat:
		run, only = runOf(re.Sub[0])
		if only || re.Min == 0 {
			run *= re.Min
		}
		return run, only
	case syntax.OpConcat:
		return runOfConcat(re.Sub)
	case syntax.OpAlternate:
		run, only = runOf(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			other, digits := runOf(sub)
			run, only = min(run, other), only && digits
		}
		return run, only
	}
	return 0, false
}

func runOfLiteral(runes []rune) (run int, only bool) {
	now := 0
	only = true
	for _, r := range runes {
		if now++; r < '0' || r > '9' {
			now, only = 0, false
		}
		run = max(run, now)
	}
	return run, only
}

// runOfConcat adds the digits of neighbours that match nothing but digits.
func runOfConcat(parts []*syntax.Regexp) (run int, only bool) {
	now := 0
	only = true
	for _, sub := range parts {
		of, digits := runOf(sub)
		if now += of; !digits {
			run, now, only = max(run, now-of, of), 0, false
		}
		run = max(run, now)
	}
	return run, only
}
