package generator_test

import (
	"reflect"
	"strings"
	"testing"

	"docledger/test/lib/generator"
)

// TestVariedPrintsKnownValues checks that documents with layouts of their own print what they are known to
// state, and that the places of the parties differ.
func TestVariedPrintsKnownValues(t *testing.T) {
	t.Parallel()
	places := map[[2]int]bool{}
	for seed := range uint64(300) {
		d := generator.Varied(seed)
		if !reflect.DeepEqual(d, generator.Varied(seed)) {
			t.Fatalf("seed %d gives different documents", seed)
		}
		printed := func(text string) bool {
			for _, p := range d.Pages {
				for _, x := range p.Texts {
					if strings.Contains(x.Text, text) {
						return true
					}
				}
			}
			return false
		}
		for name, text := range map[string]string{
			"number": d.Truth.Number, "seller": d.Truth.Seller.Name, "tax identifier": d.Truth.Seller.TaxID, "buyer": d.Truth.Buyer.Name,
		} {
			if !printed(text) {
				t.Errorf("seed %d does not print the %s %q", seed, name, text)
			}
		}
		for _, x := range d.Pages[0].Texts {
			if x.Text == d.Truth.Seller.Name {
				places[[2]int{int(x.X / 20), int(x.Y / 20)}] = true
			}
		}
	}
	if len(places) < 8 {
		t.Errorf("the seller is printed at %d places only", len(places))
	}
}
