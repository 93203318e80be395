package duplicate

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"docledger/domain/character"
)

// FoldNumber returns an invoice number without case, spaces, punctuation and the leading zeros of
// each group of digits.
func FoldNumber(s string) string {
	var b strings.Builder
	for _, g := range groupsOf(s) {
		b.WriteString(g)
	}
	return b.String()
}

// groupsOf splits a number into its groups of letters and of digits, in upper case, without
// punctuation and without the leading zeros of the digits.
func groupsOf(s string) []string {
	var groups []string
	var current strings.Builder
	var digits bool
	flush := func() {
		g := current.String()
		if digits {
			if g = strings.TrimLeft(g, "0"); g == "" && current.Len() > 0 {
				g = "0"
			}
		}
		if g != "" {
			groups = append(groups, g)
		}
		current.Reset()
	}
	for _, r := range s {
		switch {
		case character.Invisible(r) && r != softHyphen: // numbers that look the same are the same number
		case unicode.IsDigit(r), unicode.IsLetter(r):
			if unicode.IsDigit(r) != digits {
				flush()
			}
			digits = unicode.IsDigit(r)
			current.WriteRune(unicode.ToUpper(r))
		default:
			flush()
		}
	}
	flush()
	return groups
}

// softHyphen separates groups, because programs that show it at every place print a hyphen.
const softHyphen = '\u00AD'

// plainNumber returns the letters and digits of a number, in upper case. It keeps the zeros.
func plainNumber(s string) string {
	return strings.Map(func(r rune) rune {
		if !character.Invisible(r) && (unicode.IsDigit(r) || unicode.IsLetter(r)) {
			return unicode.ToUpper(r)
		}
		return -1
	}, s)
}

// numberKey returns the key by which the store finds a number. Numbers that sameNumbers takes for
// equal have one key, because it lacks every zero.
func numberKey(s string) string {
	plain := plainNumber(s)
	if key := strings.ReplaceAll(plain, "0", ""); key != "" {
		return key
	}
	return plain[:min(len(plain), 1)]
}

// sameNumbers reports whether two numbers are equal without case, spaces, punctuation and leading
// zeros. Without separators it is unknown which zeros are leading ones, so the texts with their zeros
// are compared as well.
func sameNumbers(a, b string) bool {
	fa := FoldNumber(a)
	return fa != "" && (fa == FoldNumber(b) || plainNumber(a) == plainNumber(b))
}

// nearNumbers reports whether two numbers may be one number that was misread: they differ by one
// character, one contains the other, or one is missing. Two numbers of one series are two invoices,
// unless one of them may be misread.
func nearNumbers(a, b Record) bool {
	ka, kb := FoldNumber(a.Number), FoldNumber(b.Number)
	inexact := a.Inexact || b.Inexact
	switch {
	case ka == "" || kb == "":
		return true
	case !inexact && series(a.Number, b.Number):
		return false
	case strings.Contains(ka, kb), strings.Contains(kb, ka), oneEdit(ka, kb), numberKey(a.Number) == numberKey(b.Number):
		return true
	}
	sa, sb := similar(a.Number), similar(b.Number)
	return FoldNumber(sa) == FoldNumber(sb) || plainNumber(sa) == plainNumber(sb) ||
		inexact && (oneEdit(FoldNumber(sa), FoldNumber(sb)) || oneEdit(plainNumber(sa), plainNumber(sb)))
}

// similarCharacters replaces characters that character recognition confuses.
var similarCharacters = strings.NewReplacer("O", "0", "Q", "0", "D", "0", "I", "1", "L", "1", "|", "1", "S", "5", "B", "8", "Z", "2", "G", "6")

func similar(s string) string { return similarCharacters.Replace(strings.ToUpper(s)) }

// farthest is the distance up to which counters belong to one series.
const farthest = 99

// series reports whether two numbers differ only by a counter that is at most farthest away.
func series(a, b string) bool {
	from, to, ok := counters(a, b)
	return ok && max(from-to, to-from) <= farthest
}

// counters returns the counters of two numbers that differ only by a counter: by one group of digits,
// or by one letter at the end. A year is no counter if the number has another group of digits.
func counters(a, b string) (of, other int, ok bool) {
	ga, gb := groupsOf(a), groupsOf(b)
	if len(ga) != len(gb) {
		return 0, 0, false
	}
	at, numbers := -1, 0
	for i := range ga {
		if isDigits(ga[i]) {
			numbers++
		}
		if ga[i] == gb[i] {
			continue
		}
		if at >= 0 {
			return 0, 0, false
		}
		at = i
	}
	if at < 0 {
		return 0, 0, false
	}
	ca, cb := ga[at], gb[at]
	if !isDigits(ca) || !isDigits(cb) {
		last := at > 0 && at == len(ga)-1 && len(ca) == 1 && len(cb) == 1 && letter(ca[0]) && letter(cb[0])
		return int(ca[0]), int(cb[0]), last
	}
	if numbers > 1 && isYear(ca) && isYear(cb) {
		return 0, 0, false
	}
	na, errA := strconv.Atoi(ca)
	nb, errB := strconv.Atoi(cb)
	return na, nb, errA == nil && errB == nil
}

// linked reports whether the numbers of two exactly read records belong to one series, because the
// records between them do. A supplier that sends many equal invoices on one day counts far.
func linked(a, b Record, all []Record) bool {
	of, other, ok := counters(a.Number, b.Number)
	if !ok || a.Inexact || b.Inexact {
		return false
	}
	steps := []int{of, other}
	for _, r := range all {
		if _, n, ok := counters(a.Number, r.Number); ok && !r.Inexact {
			steps = append(steps, n)
		}
	}
	slices.Sort(steps)
	low, high := min(of, other), max(of, other)
	for i, n := range steps[1:] {
		if before := steps[i]; before >= low && n <= high && n-before > farthest {
			return false
		}
	}
	return true
}

func isDigits(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

func isYear(s string) bool { return len(s) == 4 && (s[:2] == "19" || s[:2] == "20") }
