package generator_test

import (
	"os"
	"strconv"
	"testing"

	"docledger/test/generator"
)

// count is how many documents are made: few in a daily run, as many as
// GENERATED_DOCUMENTS says in a long one.
func count(t *testing.T, few int) int {
	t.Helper()
	text := os.Getenv("GENERATED_DOCUMENTS")
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("GENERATED_DOCUMENTS: %v", err)
	}
	return n
}

// TestNothingIsSureAndWrong reads clean documents: what is wrong must be
// flagged, and what is said to be sure must be right.
func TestNothingIsSureAndWrong(t *testing.T) {
	t.Parallel()
	score := generator.NewScore()
	for seed := range count(t, 300) {
		d := generator.New(uint64(seed), generator.None)
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
		t.Errorf("%d checks failed though nothing is wrong, the first: %s", len(score.Alarms), score.Alarms[0])
	}
	if score.Held*100 < score.Said*99 {
		t.Errorf("of %d values said to be sure %d are right, want 99 in 100", score.Said, score.Held)
	}
}

// TestPlantedErrorsAreCaught reads documents with one error each.
func TestPlantedErrorsAreCaught(t *testing.T) {
	t.Parallel()
	for _, defect := range generator.Defects() {
		t.Run(string(defect), func(t *testing.T) {
			t.Parallel()
			planted, caught := 0, 0
			for seed := range count(t, 150) {
				d := generator.New(uint64(seed), defect)
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
				t.Errorf("%d of %d were caught, want 99 in 100", caught, planted)
			}
		})
	}
}
