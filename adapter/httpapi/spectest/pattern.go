package spectest

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"strings"
)

// maxRepeat bounds repetitions without an upper bound.
const maxRepeat = 4

// matching returns a text that the pattern matches as a whole.
func matching(pattern string, rng *rand.Rand) string {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		panic(fmt.Sprintf("spectest: pattern %q: %v", pattern, err))
	}
	var text strings.Builder
	write(&text, tree.Simplify(), rng)
	return text.String()
}

func write(text *strings.Builder, node *syntax.Regexp, rng *rand.Rand) {
	repeat := func(least, most int) {
		for range least + rng.IntN(most-least+1) {
			write(text, node.Sub[0], rng)
		}
	}
	switch node.Op {
	case syntax.OpLiteral:
		text.WriteString(string(node.Rune))
	case syntax.OpCharClass:
		i := 2 * rng.IntN(len(node.Rune)/2)
		text.WriteRune(node.Rune[i] + rng.Int32N(node.Rune[i+1]-node.Rune[i]+1))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		text.WriteByte('a')
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range node.Sub {
			write(text, sub, rng)
		}
	case syntax.OpAlternate:
		write(text, node.Sub[rng.IntN(len(node.Sub))], rng)
	case syntax.OpQuest:
		repeat(0, 1)
	case syntax.OpStar:
		repeat(0, maxRepeat)
	case syntax.OpPlus:
		repeat(1, maxRepeat)
	}
}

// notMatching returns texts close to the pattern that it does not match.
func notMatching(pattern string, rng *rand.Rand) []string {
	expression := regexp.MustCompile(pattern)
	near := matching(pattern, rng)
	var texts []string
	for _, text := range []string{near + " ", "x" + near, near + "\n", strings.ToLower(near) + "_", "1e5", "1,5", "٣"} {
		if !expression.MatchString(text) {
			texts = append(texts, text)
		}
	}
	return texts
}
