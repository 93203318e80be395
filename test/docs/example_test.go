package docs

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"docledger/cmd/service"
	"docledger/infrastructure/config"
	"docledger/test/deploy"
)

// chosen are the values of .env.example that are no defaults: choices that
// start, and those that the machine of whoever reads it would tell.
var chosen = map[string]string{
	"BILLING": "none", "IDENTITY": "local", "BLOB_BUCKET": "docledger", "BLOB_ACCESS_KEY": "docledger", "COMPILE_CACHE_DIR": "",
}

// TestExampleListsTheConfiguration: every variable, in its order, with its
// meaning, and besides them only what compose.yaml takes for itself.
func TestExampleListsTheConfiguration(t *testing.T) {
	t.Parallel()
	interpolated, err := deploy.Interpolated("../..")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	var order []string
	for _, v := range config.Variables(service.ProviderSpecs(service.Registrations())...) {
		value, special := chosen[v.Name]
		if !special {
			value = v.Default
		}
		want.WriteString("# " + strings.ReplaceAll(v.Meaning, "`", "") + "\n" + v.Name + "=" + value + "\n")
		order = append(order, v.Name)
		delete(interpolated, v.Name)
	}
	if !strings.Contains(strings.ReplaceAll(read(t, ".env.example"), "\n\n", "\n"), want.String()) {
		t.Errorf("the configuration in .env.example should be\n%s", want.String())
	}
	examples, err := deploy.Examples("../..")
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
