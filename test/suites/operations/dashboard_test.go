package operations

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestTheDashboardReadsExistingMetrics reads every expression of the dashboard
// and holds its metrics and labels against those of the service.
func TestTheDashboardReadsExistingMetrics(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../deploy/grafana/docledger.json")
	if err != nil {
		t.Fatal(err)
	}
	type target struct {
		Expr string `json:"expr"`
	}
	var dashboard struct {
		Panels []struct {
			Title, Type, Description string
			Targets                  []target
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	known := described(t, everything(t))
	expressions := 0
	for _, panel := range dashboard.Panels {
		if panel.Type == "row" {
			continue
		}
		if panel.Title == "" || panel.Description == "" || len(panel.Targets) == 0 {
			t.Errorf("the panel %q lacks a title, a description or an expression", panel.Title)
		}
		for _, at := range panel.Targets {
			expressions++
			expr := strings.NewReplacer("$__rate_interval", "5m", "$job", ".*").Replace(at.Expr)
			for _, series := range selectors(t, expr) {
				var name string
				for _, m := range series {
					if m.Name == nameLabel {
						name = m.Value
					}
				}
				if !strings.HasPrefix(name, "docledger_") {
					continue // of the Go runtime and the process
				}
				if known[name] == nil {
					t.Errorf("%s reads %s, which the service does not have", panel.Title, name)
				}
				for _, m := range series {
					if m.Name != nameLabel && !known[name][m.Name] {
						t.Errorf("%s reads %s by %s, a label that it does not have", panel.Title, name, m.Name)
					}
				}
			}
		}
	}
	if expressions < 15 {
		t.Errorf("only %d expressions", expressions)
	}
}
