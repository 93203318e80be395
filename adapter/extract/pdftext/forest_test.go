package pdftext

import (
	"math"
	"math/rand/v2"
	"testing"
)

// randomTree returns a tree with the given number of leafs and its decisions at random.
func randomTree(random *rand.Rand, leafs, features int) tree {
	var t tree
	var grow func(leafs int) int
	grow = func(leafs int) int {
		if leafs == 1 {
			t.Leaf = append(t.Leaf, random.NormFloat64())
			return -len(t.Leaf)
		}
		n := len(t.Feature)
		t.Feature = append(t.Feature, random.IntN(features))
		t.Threshold = append(t.Threshold, float64(random.IntN(5)))
		t.Left, t.Right = append(t.Left, 0), append(t.Right, 0)
		left := 1 + random.IntN(leafs-1)
		t.Right[n] = grow(leafs - left) // the leafs have no order in a file
		t.Left[n] = grow(left)
		return n
	}
	grow(leafs)
	return t
}

// follow returns the value of a tree by following its branches.
func follow(t *tree, values []float64) float64 {
	at := 0
	if len(t.Feature) == 0 {
		at = -1
	}
	for at >= 0 {
		if values[t.Feature[at]] <= t.Threshold[at] {
			at = t.Left[at]
		} else {
			at = t.Right[at]
		}
	}
	return t.Leaf[-at-1]
}

// TestForestFollowsTheBranches compares the score with that of the branches, also at the
// thresholds, without a value, and with the most leafs.
func TestForestFollowsTheBranches(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		features := 1 + random.IntN(6)
		trees := make([]tree, 1+random.IntN(20))
		for i := range trees {
			trees[i] = randomTree(random, 1+random.IntN(maxLeafs), features)
		}
		f, err := newForest(trees, features)
		if err != nil {
			t.Fatal(err)
		}
		remain := make([]uint32, len(trees))
		for range 20 {
			values := make([]float64, features)
			for i := range values {
				values[i] = []float64{random.NormFloat64(), float64(random.IntN(6)), math.Inf(1), math.Inf(-1), math.NaN()}[random.IntN(5)]
			}
			want := 0.0
			for i := range trees {
				want += follow(&trees[i], values)
			}
			if got := f.score(values, remain); got != want {
				t.Fatalf("score of %v: %v; the branches lead to %v", values, got, want)
			}
		}
	}
}

// TestForestRefusesLargeTrees requires an error for a tree with more leafs than bits.
func TestForestRefusesLargeTrees(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	if _, err := newForest([]tree{randomTree(random, maxLeafs+1, 3)}, 3); err == nil {
		t.Error("a tree with too many leafs was accepted")
	}
	if _, err := newForest([]tree{{}}, 3); err == nil {
		t.Error("a tree without leafs was accepted")
	}
}
