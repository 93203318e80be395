package e2e

import (
	"net/http"
	"testing"

	"docledger/test/lib/harness"
)

// TestTaxMappingsCompareRatesAsNumbers verifies that no rate of a category is mapped twice, in
// whatever form it is written, and that no rate is negative.
func TestTaxMappingsCompareRatesAsNumbers(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{NoWorkers: true})
	org := s.NewOrganization("Rates")
	put := func(pairs ...string) harness.Response {
		var mappings []any
		for i := 0; i < len(pairs); i += 2 {
			mappings = append(mappings, map[string]any{"category": pairs[i], "rate": pairs[i+1], "tax_rate_id": "RATE"})
		}
		return s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), org.Admin.Token, map[string]any{"tax_mappings": mappings})
	}
	for name, c := range map[string]struct {
		pairs []string
		field string
	}{
		"a fraction of zero":     {[]string{"S", "19", "S", "7", "S", "19.0"}, "tax_mappings[2]"},
		"leading zeros":          {[]string{"S", "07.00", "S", "7"}, "tax_mappings[1]"},
		"zero in two forms":      {[]string{"Z", "0", "Z", "0.00"}, "tax_mappings[1]"},
		"a negative rate":        {[]string{"S", "-19"}, "tax_mappings[0].rate"},
		"a negative rate's zero": {[]string{"Z", "0", "S", "-0"}, "tax_mappings[1].rate"},
	} {
		r := put(c.pairs...).Want(http.StatusBadRequest, "invalid_request")
		if r.Text("error", "details", "fields", 0, "field") != c.field {
			t.Errorf("%s: %s", name, r.Raw)
		}
	}
	r := put("S", "19.0", "S", "7", "E", "19", "Z", "0").OK()
	if r.Len("tax_mappings") != 4 || r.Text("tax_mappings", 0, "rate") != "19.0" {
		t.Errorf("the settings are %s", r.Raw)
	}
}
