package docs

import (
	"maps"
	"slices"
	"testing"

	"docledger/test/suites/deploy"
	"docledger/test/suites/docs/configdocs"
)

// TestExampleListsTheConfiguration verifies that .env.example lists every
// variable in order with its meaning, and otherwise only the variables of
// compose.yaml.
func TestExampleListsTheConfiguration(t *testing.T) {
	t.Parallel()
	interpolated, err := deploy.Interpolated("../../..")
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, v := range configdocs.Variables() {
		order = append(order, v.Name)
		delete(interpolated, v.Name)
	}
	examples, err := deploy.Examples("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		if len(e.Explained) < 10 {
			t.Errorf("%s is not explained", e.Name)
		}
		if !slices.Contains(order, e.Name) && !interpolated[e.Name] {
			t.Errorf("%s is read by nothing", e.Name)
		}
		delete(interpolated, e.Name)
	}
	if len(interpolated) > 0 {
		t.Errorf("compose.yaml takes %v, which .env.example does not have", slices.Sorted(maps.Keys(interpolated)))
	}
}
