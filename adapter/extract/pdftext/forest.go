package pdftext

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// maxLeafs is the maximum number of leafs of a tree: one bit each.
const maxLeafs = 32

// tree is a decision tree of a ranker. Node 0 is its root; a negative child -n-1 is
// leaf n. A candidate goes left if its value is at most the threshold.
type tree struct {
	Feature   []int     `json:"f"`
	Threshold []float64 `json:"t"`
	Left      []int     `json:"l"`
	Right     []int     `json:"r"`
	Leaf      []float64 `json:"v"`
}

// forest evaluates trees without following their branches, which the processor cannot
// predict. Every decision for the right side excludes the leafs of the left side. The
// first leaf that remains is the one that the tree selects, because leafs are numbered
// from left to right (QuickScorer: Lucchese et al., 2015).
type forest struct {
	decisions []decision // by feature, then by threshold
	starts    []int32    // the first decision of each feature, and the end of the last
	leafs     []float64  // of all trees, from left to right
	firsts    []int32    // the first leaf of each tree
}

// decision excludes leafs of a tree if the value of a feature exceeds the threshold.
type decision struct {
	threshold float64
	tree      int32
	keep      uint32 // a bit for each leaf that remains
}

// newForest returns the forest of trees for a number of features.
func newForest(trees []tree, features int) (*forest, error) {
	f := &forest{}
	byFeature := make([][]decision, features)
	for i := range trees {
		t := &trees[i]
		if len(t.Leaf) == 0 || len(t.Leaf) > maxLeafs {
			return nil, fmt.Errorf("tree %d has %d leafs; 1 to %d are possible", i, len(t.Leaf), maxLeafs)
		}
		first := len(f.leafs)
		f.firsts = append(f.firsts, int32(first)) //nolint:gosec // a few thousand
		var number func(n int)                    // numbers the leafs below a child
		number = func(n int) {
			if n < 0 {
				f.leafs = append(f.leafs, t.Leaf[-n-1])
				return
			}
			from := len(f.leafs) - first
			number(t.Left[n])
			left := len(f.leafs) - first - from
			d := decision{threshold: t.Threshold[n], tree: int32(i), keep: ^uint32((1<<left - 1) << from)} //nolint:gosec // a few hundred; at most maxLeafs bits
			byFeature[t.Feature[n]] = append(byFeature[t.Feature[n]], d)
			number(t.Right[n])
		}
		if len(t.Feature) == 0 {
			number(-1)
			continue
		}
		number(0)
	}
	for _, all := range byFeature {
		slices.SortFunc(all, func(a, b decision) int { return cmp.Compare(a.threshold, b.threshold) })
		f.starts = append(f.starts, int32(len(f.decisions))) //nolint:gosec // a few thousand
		f.decisions = append(f.decisions, all...)
	}
	f.starts = append(f.starts, int32(len(f.decisions))) //nolint:gosec // a few thousand
	return f, nil
}

// score returns the sum of the trees. remain has room for each tree.
func (f *forest) score(values []float64, remain []uint32) float64 {
	for i := range remain {
		remain[i] = ^uint32(0)
	}
	for i, v := range values {
		for _, d := range f.decisions[f.starts[i]:f.starts[i+1]] {
			if v <= d.threshold {
				break
			}
			remain[d.tree] &= d.keep
		}
	}
	sum := 0.0
	for i, leafs := range remain {
		sum += f.leafs[int(f.firsts[i])+bits.TrailingZeros32(leafs)]
	}
	return sum
}
