package pdftext

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// modelFiles are the trained rankers, one for each field. test/suites/layouts/train.py
// creates them from documents with known values; docs/decisions.md gives the reasons.
//
//go:embed models/*.json
var modelFiles embed.FS

// features are the properties of a candidate, in the order of their names. All
// candidates of a field have the same names.
type features struct {
	names  []string // only during training
	values []float64
}

func (f *features) add(name string, value float64) {
	if f.names != nil {
		f.names = append(f.names, name)
	}
	f.values = append(f.values, value)
}

// joined returns the name of a feature, or "" where no names are kept.
func (f *features) joined(parts ...string) string {
	if f.names == nil {
		return ""
	}
	return strings.Join(parts, "")
}

// newFeatures returns features for a model, with names during training.
func newFeatures(field string, training bool) features {
	if training {
		return features{names: []string{}}
	}
	if m := models()[field]; m != nil {
		return features{values: make([]float64, 0, len(m.Names))}
	}
	return features{}
}

func (f *features) flag(name string, is bool) {
	if is {
		f.add(name, 1)
		return
	}
	f.add(name, 0)
}

// model ranks the candidates of a field with gradient-boosted trees. Their sum is the
// score of a candidate, and the candidates of a document compete by their scores.
// Points and Shares calibrate the confidence of the best value: they map its
// probability to the share of correct values, measured on layouts that training did
// not use.
type model struct {
	Names  []string  `json:"names"`
	Trees  []tree    `json:"trees"`
	Points []float64 `json:"points"`
	Shares []float64 `json:"shares"`

	forest *forest // of Trees
}

// models returns the models of the program, or those of the last UseModels.
func models() map[string]*model {
	if m := replaced.Load(); m != nil {
		return *m
	}
	return embedded()
}

var (
	replaced atomic.Pointer[map[string]*model]
	embedded = sync.OnceValue(func() map[string]*model {
		out, err := readModels(modelFiles, "models")
		if err != nil {
			panic(err)
		}
		return out
	})
)

// UseModels replaces the models of the program by those of a folder, to measure
// models that did not see the documents that they are measured with.
func UseModels(folder fs.FS) error {
	out, err := readModels(folder, ".")
	if err != nil {
		return err
	}
	replaced.Store(&out)
	return nil
}

func readModels(folder fs.FS, under string) (map[string]*model, error) {
	out := map[string]*model{}
	for _, field := range rankedFields {
		raw, err := fs.ReadFile(folder, path.Join(under, field+".json"))
		if errors.Is(err, fs.ErrNotExist) {
			continue // before the first training
		}
		if err != nil {
			return nil, err
		}
		m := &model{}
		if err := json.Unmarshal(raw, m); err != nil {
			return nil, fmt.Errorf("model %s: %w", field, err)
		}
		if m.forest, err = newForest(m.Trees, len(m.Names)); err != nil {
			return nil, fmt.Errorf("model %s: %w", field, err)
		}
		m.Trees = nil
		out[field] = m
	}
	return out, nil
}

// The fields with a trained ranker.
const (
	rankNumber = "number"
	rankIssue  = "issue_date"
	rankDue    = "due_date"
	rankSeller = "seller"
	rankBuyer  = "buyer"
	rankTaxID  = "tax_id"
	rankTotals = "totals"
	rankAmount = "amount_due"
)

var rankedFields = []string{rankNumber, rankIssue, rankDue, rankSeller, rankBuyer, rankTaxID, rankTotals, rankAmount}

// scores sets the score of each candidate: the sum of the trees for its features; 0 without
// a model.
func (m *model) scores(all []candidate) {
	var remain []uint32
	if m != nil {
		remain = make([]uint32, len(m.forest.firsts))
	}
	for i := range all {
		c := &all[i]
		c.p = 0
		if m != nil && len(c.features.values) == len(m.Names) {
			c.p = m.forest.score(c.features.values, remain)
		}
	}
}

// calibrated converts the probability of the best value into the share of such values
// that are correct.
func (m *model) calibrated(p float64) float64 {
	if m == nil || len(m.Points) == 0 {
		return p
	}
	i, exact := slices.BinarySearch(m.Points, p)
	switch {
	case exact:
		return m.Shares[i]
	case i == 0:
		return m.Shares[0]
	case i == len(m.Points):
		return m.Shares[i-1]
	}
	part := (p - m.Points[i-1]) / (m.Points[i] - m.Points[i-1])
	return m.Shares[i-1] + part*(m.Shares[i]-m.Shares[i-1])
}

// candidate is a possible value of a field with its position and features.
type candidate struct {
	found
	features features
	key      string     // equal for candidates of the same value
	p        float64    // probability
	again    []*segment // where other candidates of the same value are printed
	assumed  bool       // the ranker prefers another form of the name
}

// best returns the most likely value, its confidence, and the other values, most
// likely first.
func (m *model) best(all []candidate, fold func(string) string) (best *candidate, confidence float64, others []*candidate) {
	values := m.values(all, fold)
	if len(values) == 0 {
		return nil, 0, nil
	}
	return values[0], m.calibrated(values[0].p), values[1:min(len(values), 1+maxOthers)]
}

// maxOthers is the maximum number of other values of a field.
const maxOthers = 5

// values returns one candidate for each value, most likely first. The candidates
// compete: their probabilities and that of no correct candidate add up to 1. The
// probability of a value is the sum for its candidates. fold maps different forms of a
// value to one key.
func (m *model) values(all []candidate, fold func(string) string) []*candidate {
	m.scores(all)
	highest := 0.0 // the score of no correct candidate
	for i := range all {
		highest = max(highest, all[i].p)
	}
	sum := math.Exp(-highest)
	for i := range all {
		all[i].p = math.Exp(all[i].p - highest)
		sum += all[i].p
	}
	byKey := make(map[string]int, len(all))
	out := make([]*candidate, 0, len(all))
	var own []float64 // the probability of each of these candidates alone
	for i := range all {
		c := all[i]
		c.p /= sum
		c.key = fold(c.value)
		at, known := byKey[c.key]
		switch {
		case !known:
			byKey[c.key] = len(out)
			out, own = append(out, &c), append(own, c.p)
		case own[at] < c.p:
			own[at] = c.p
			c.p += out[at].p
			c.again = append(out[at].again, out[at].seg)
			out[at] = &c
		default:
			out[at].p += c.p
			out[at].again = append(out[at].again, c.seg)
		}
	}
	sortByProbability(out)
	return out
}

func sortByProbability(values []*candidate) {
	slices.SortStableFunc(values, func(a, b *candidate) int { return cmp.Compare(b.p, a.p) })
}
