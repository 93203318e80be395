package pdftext_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"docledger/adapter/extract/pdftext"
	"docledger/test/lib/generator"
)

// TestModelsKnowTheFeatures compares the names in each model with the features that the
// code computes. A model that was trained with other features must be trained again
// (test/suites/layouts/train.py): it would rank all candidates alike, without an error.
func TestModelsKnowTheFeatures(t *testing.T) {
	t.Parallel()
	compared := map[string]bool{}
	for seed := range 20 {
		for _, c := range pdftext.Choices(generator.New(uint64(seed), generator.None).Words(), "") {
			if compared[c.Field] {
				continue
			}
			raw, err := os.ReadFile(filepath.Join("models", c.Field+".json"))
			if os.IsNotExist(err) {
				continue // a field without a model
			}
			if err != nil {
				t.Fatal(err)
			}
			var model struct {
				Names []string `json:"names"`
			}
			if err := json.Unmarshal(raw, &model); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(model.Names, c.Names) {
				t.Errorf("%s: the model has the features\n%v\nand the code computes\n%v", c.Field, model.Names, c.Names)
			}
			compared[c.Field] = true
		}
	}
	files, err := filepath.Glob(filepath.Join("models", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(compared) != len(files) {
		t.Errorf("%d of %d models were compared: %v", len(compared), len(files), compared)
	}
}
