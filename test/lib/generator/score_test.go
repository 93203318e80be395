package generator_test

import (
	"iter"
	"os"
	"strconv"
	"testing"

	"docledger/test/lib/generator"
)

// seeds are the seeds of a run. GENERATED_DOCUMENTS sets their number,
// GENERATED_FIRST the first one, so that a run can use documents on which no
// rule was developed.
func seeds(t *testing.T, few int) iter.Seq[uint64] {
	t.Helper()
	first, n := number(t, "GENERATED_FIRST", 0), number(t, "GENERATED_DOCUMENTS", few)
	return func(yield func(uint64) bool) {
		for i := range n {
			if !yield(uint64(first + i)) { //nolint:gosec // number lets nothing negative through
				return
			}
		}
	}
}

func number(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return int(n)
}

// TestConfidentValuesAreRight extracts clean documents. Wrong values must be flagged,
// and values with high confidence must be right.
func TestConfidentValuesAreRight(t *testing.T) {
	t.Parallel()
	score := generator.NewScore()
	for seed := range seeds(t, 300) {
		d := generator.New(seed, generator.None)
		inv, err := generator.Judge(d)
		if err != nil {
			t.Errorf("seed %d %s %s: %v", seed, d.Locale.Name, d.Layout, err)
			continue
		}
		score.Add(d, inv)
	}
	t.Log("\n" + score.String())
	for i, note := range score.Wrong {
		if i < 20 {
			t.Error(note)
		}
	}
	if os.Getenv("GENERATED_SHOW") != "" {
		for _, note := range score.Alarms {
			t.Log(note)
		}
		for _, note := range score.Missed {
			t.Log(note)
		}
	}
	if len(score.Alarms) > 0 {
		t.Errorf("%d checks failed for correct documents, the first: %s", len(score.Alarms), score.Alarms[0])
	}
	if score.Held*100 < score.Said*99 {
		t.Errorf("of %d values with high confidence %d are right, want 99 of 100", score.Said, score.Held)
	}
}

// TestPlantedErrorsAreDetected extracts documents with one error each.
func TestPlantedErrorsAreDetected(t *testing.T) {
	t.Parallel()
	for _, defect := range generator.Defects() {
		t.Run(string(defect), func(t *testing.T) {
			t.Parallel()
			planted, caught := 0, 0
			for seed := range seeds(t, 150) {
				d := generator.New(seed, defect)
				if !defect.Shows(&d.Truth) {
					continue
				}
				inv, err := generator.Judge(d)
				planted++
				if generator.Caught(inv, err) {
					caught++
				} else if planted-caught < 4 {
					t.Logf("seed %d %s %s: %s missed", seed, d.Locale.Name, d.Layout, defect)
				}
			}
			if caught*100 < planted*99 {
				t.Errorf("%d of %d were detected, want 99 of 100", caught, planted)
			}
		})
	}
}
