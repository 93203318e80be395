package textrules

import (
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
)

// TestPatternsExcludeNoMatch builds texts that match each pattern of the package, and
// texts around them. The test before an expression must never exclude a match.
func TestPatternsExcludeNoMatch(t *testing.T) {
	t.Parallel()
	patterns := []*Pattern{
		yearFirst, numeric, dayName, yearName, nameDay,
		MustPattern(`(?i)sort code|ust-?id|\bk(?:vk|s)\b`), MustPattern(`(?:a|)b?`), MustPattern(`x{2,4}\d{3}|é+`), MustPattern(`[^a-z]{3}`), MustPattern(``),
		MustPattern(`DE ?\d{3} ?\d{3} ?\d{3}`), MustPattern(`[01]\d{3}\.?\d{3}x`), MustPattern(`\d{2}(?:\d|)\d{4}(?:x\d{7}|\d{3}y)`), MustPattern(`(?:\d{2}|\d{3}-)+\d+`), MustPattern(`(?:12|3a45){2}6`),
		MustPattern(`\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){2,7}\b`), MustPattern(`a+b[0-9]{0,2}c`), MustPattern(`(?i)x-(?:ks)+\d{7}y`), MustPattern(`(?:a[bc]{2,3}d|é-x)\.?z`),
	}
	for i := range cues {
		patterns = append(patterns, cues[i].form)
	}
	random := rand.New(rand.NewPCG(1, 2))
	unusual := strings.NewReplacer("k", "\u212a", "K", "\u212a", "s", "ſ", "S", "ſ") // equal in another case
	for _, p := range patterns {
		parsed, err := syntax.Parse(p.form.String(), syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		matched := 0
		for range 300 {
			var b strings.Builder
			write(&b, parsed, random)
			for _, text := range []string{b.String(), "x " + b.String() + " y", strings.ToUpper(b.String()), strings.ToLower(b.String()), "É " + strings.ToUpper(b.String()), unusual.Replace(b.String())} {
				if !p.form.MatchString(text) {
					continue
				}
				matched++
				if !p.mayMatch(text) {
					t.Fatalf("%s excludes %q", p.form, text)
				}
			}
		}
		if matched < 100 {
			t.Errorf("only %d texts match %s", matched, p.form)
		}
	}
}

// write writes a text that an expression describes, without its conditions on the
// surroundings.
func write(b *strings.Builder, re *syntax.Regexp, random *rand.Rand) {
	times := func(low, high int) {
		if high < 0 {
			high = low + 2
		}
		for range low + random.IntN(high-low+1) {
			write(b, re.Sub[0], random)
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		pair := random.IntN(len(re.Rune)/2) * 2
		low, high := re.Rune[pair], min(re.Rune[pair+1], re.Rune[pair]+40)
		b.WriteRune(low + random.Int32N(high-low+1))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('q')
	case syntax.OpCapture:
		write(b, re.Sub[0], random)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			write(b, sub, random)
		}
	case syntax.OpAlternate:
		write(b, re.Sub[random.IntN(len(re.Sub))], random)
	case syntax.OpStar:
		times(0, -1)
	case syntax.OpPlus:
		times(1, -1)
	case syntax.OpQuest:
		times(0, 1)
	case syntax.OpRepeat:
		times(re.Min, re.Max)
	}
}

// TestPatternsExclude names texts that the test before an expression excludes.
func TestPatternsExclude(t *testing.T) {
	t.Parallel()
	for expression, text := range map[string]string{
		`[A-Z]{2}\d{2}(?: ?\d)+`: "B2 AB 12 345",
		`\bES\d{2}x|(?i)iva-\d`:  "SE 45x, IVA 3-1",
		`(?i)sort codes`:         "Café, Code of Sort",
		`\d{3}-\d{2}`:            "12-34",
		`DE ?\d{9}`:              "Nr. 123456789",
		`(?i)sort code`:          "Code of Sort",
		`\bABN\b|\+61\b`:         "Total 61",
		`[·•]`:                   "plain",
		`T\d{5}`:                 "T123 4567",
		`[01]\d{3}-?\d`:          "123-456-789",
		`(?:\d{8}|19\d{6})[A-Z]`: "2024-01-02 1234567X",
	} {
		if p := MustPattern(expression); p.mayMatch(text) {
			t.Errorf("%s does not exclude %q", expression, text)
		}
		if regexp.MustCompile(expression).MatchString(text) {
			t.Errorf("%s matches %q", expression, text)
		}
	}
}
