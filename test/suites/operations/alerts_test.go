package operations

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"
)

// rule is an alert of a rules file.
type rule struct {
	Alert       string            `yaml:"alert"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

// nameLabel is the label with the name of a metric.
const nameLabel = "__name__"

func rules(t *testing.T) []rule {
	t.Helper()
	text, err := os.ReadFile("../../../docs/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Name     string `yaml:"name"`
			Interval string `yaml:"interval"`
			Rules    []rule `yaml:"rules"`
		} `yaml:"groups"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil {
		t.Fatal(err)
	}
	var out []rule
	for _, g := range file.Groups {
		checkDuration(t, g.Interval)
		out = append(out, g.Rules...)
	}
	if len(out) < 10 {
		t.Fatalf("only %d rules", len(out))
	}
	return out
}

func checkDuration(t *testing.T, text string) {
	t.Helper()
	if _, err := model.ParseDuration(text); err != nil {
		t.Error(err)
	}
}

// selectors returns the series of an expression.
func selectors(t *testing.T, expr string) [][]*labels.Matcher {
	t.Helper()
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
	if err != nil {
		t.Fatal(err)
	}
	return parser.ExtractSelectors(parsed)
}

// TestAlertsUseExistingMetrics checks that each alert uses existing metrics and
// labels, and that the runbook describes the remedy.
func TestAlertsUseExistingMetrics(t *testing.T) {
	t.Parallel()
	known := described(t, everything(t))
	runbook, err := os.ReadFile("../../../docs/runbook.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, rule := range rules(t) {
		if rule.Alert == "" || rule.Annotations["summary"] == "" || rule.Labels["severity"] == "" {
			t.Errorf("%s lacks a name, a summary or a severity", rule.Alert)
		}
		checkDuration(t, rule.For)
		named[rule.Alert] = true
		if n := strings.Count(string(runbook), "\n- **"+rule.Alert+"**: "); n != 1 {
			t.Errorf("the runbook describes the alert %[2]s %[1]d times", n, rule.Alert)
		}
		for _, series := range selectors(t, rule.Expr) {
			var name string
			for _, m := range series {
				if m.Name == nameLabel {
					name = m.Value
				}
			}
			for _, m := range series {
				if m.Name != nameLabel && !known[name][m.Name] {
					t.Errorf("%s uses %s with the label %s, which does not exist", rule.Alert, name, m.Name)
				}
			}
			if known[name] == nil {
				t.Errorf("%s uses %s, which does not exist", rule.Alert, name)
			}
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^- \*\*([A-Z]\w+)\*\*: `).FindAllStringSubmatch(string(runbook), -1) {
		if !named[m[1]] {
			t.Errorf("the runbook describes %s, which is not an alert", m[1])
		}
	}
}
