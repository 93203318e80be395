package textrules

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestShapeAdmitsEveryMatch compares the shape of random texts with the expressions of
// dates: it must admit each text that an expression matches. At least a twentieth of the
// texts match, and the shape excludes at least as many.
func TestShapeAdmitsEveryMatch(t *testing.T) {
	t.Parallel()
	parts := []string{"1", "12", "31", "2024", "24", "'24", "-", "/", ".", " ", ",", ", ", "年", "月", "日", "may", "März", "mai", "de ", "th", "ά", "x", "ı", ":", "€"}
	forms := []*Pattern{yearFirst, numeric, dayName, yearName, nameDay}
	random := rand.New(rand.NewPCG(1, 2))
	matched, excluded := 0, 0
	const texts = 20_000
	for range texts {
		var b strings.Builder
		for range 1 + random.IntN(9) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		shape, text := shapeOf(b.String()), strings.ToLower(b.String())
		matches := false
		for _, form := range forms {
			if !form.form.MatchString(text) {
				continue
			}
			matches = true
			if !shape.admits(form) {
				t.Fatalf("the shape %+v of %q excludes %s", shape, text, form.form)
			}
		}
		if matches {
			matched++
		}
		if matches && !shape.dated() {
			t.Fatalf("the shape %+v of %q is not that of a date", shape, text)
		}
		if !shape.dated() {
			excluded++
		}
	}
	if matched < texts/20 || excluded < texts/20 {
		t.Errorf("of %d texts %d match and %d are excluded", texts, matched, excluded)
	}
}
