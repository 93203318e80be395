package pdftext

import (
	"hash/fnv"
	"slices"

	"docledger/adapter/extract/layout"
	"docledger/domain/extraction/textrules"
)

// Choice is one candidate of a field for training.
type Choice struct {
	Field    string
	Value    string
	Names    []string
	Features []float64
}

// Choices returns the candidates of all ranked fields of a document, for training the
// rankers. With a seed, a part of the labels is not recognized, like the words of an
// unknown layout: a ranker that is trained with such a copy as well relies on other
// evidence too. An empty seed keeps all labels.
func Choices(pages []layout.Page, seed string) []Choice {
	var out []Choice
	_, _ = read(pages, Options{Forced: true}, &training{seed: seed, trace: func(field string, all []candidate) {
		for i := range all {
			out = append(out, Choice{field, all[i].value, all[i].features.names, all[i].features.values})
		}
	}})
	return out
}

// training receives the candidates of each field.
type training struct {
	seed  string
	trace func(field string, all []candidate)
}

func (s *parsedDocument) traced(field string, all []candidate) {
	if s.training != nil {
		s.training.trace(field, all)
	}
}

// maskLabels drops some labels. The same text is dropped everywhere in the document.
func (s *parsedDocument) maskLabels(seed string) {
	const share = 15 // per cent of the labels
	for _, seg := range s.segments {
		seg.labels = slices.DeleteFunc(seg.labels, func(m textrules.Match) bool {
			sum := fnv.New32a()
			_, _ = sum.Write([]byte(seed + "\n" + textrules.Fold(seg.text[seg.tokens[m.From].Start:seg.tokens[m.To-1].End])))
			return sum.Sum32()>>8%100 < share
		})
	}
}
