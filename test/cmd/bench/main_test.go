package main

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	t.Parallel()
	table := &table{}
	for _, v := range []float64{0.4, 0.7, 0.55} {
		table.add(figure{"time", v, "ms", 0.5, false}, figure{"rate", 1000 * v, "/s", 500, true}, figure{"size", 12.34, "MB", 0, false})
	}
	text := table.markdown(3)
	for _, want := range []string{
		"| time | ≤ 0.50 ms | 0.55 ms | 0.40–0.70 | no |",
		"| rate | ≥ 500 /s | 550 /s | 400–700 | yes |",
		"| size | – | 12.3 MB | 12.3–12.3 |  |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the table lacks %q:\n%s", want, text)
		}
	}
}

func TestFiguresOfBenchmarks(t *testing.T) {
	t.Parallel()
	s := suites[0]
	got := s.figures("BenchmarkWebhookReceipts-2   1   2034567 ns/op   4000 bare/s   0.612 ratio   2448 receipts/s")
	if len(got) != 2 || got[0].value != 0.612 || got[1].value != 2448 {
		t.Errorf("figures = %+v", got)
	}
	list := suites[len(suites)-1]
	if got := list.figures("BenchmarkListDepth/organization#01-2   200   812 ns/op   1.03 ratio"); len(got) != 1 || got[0].value != 1.03 {
		t.Errorf("figures of a second round = %+v", got)
	}
	if got := s.figures("ok  docledger/usecase/billing 3.1s"); got != nil {
		t.Errorf("figures of another line = %+v", got)
	}
}

func TestGrowthTable(t *testing.T) {
	t.Parallel()
	column := func(database string, invoices int, list, sum float64) growthColumn {
		return growthColumn{database, invoices, []figure{{name: "list", value: list, unit: "ms"}, {name: "sum by month", value: sum, unit: "ms"}}}
	}
	got := growthTable([]growthColumn{column("SQLite", 10_000, 2, 3), column("SQLite", 100_000, 3, 30), column("PostgreSQL", 10_000, 1, 1), column("PostgreSQL", 100_000, 1.2, 20)})
	want := `| figure | SQLite, 10,000 | SQLite, 100,000 | growth | PostgreSQL, 10,000 | PostgreSQL, 100,000 | growth |
|---|---|---|---|---|---|---|
| list | 2.00 ms | 3.00 ms | **1.50 ×** | 1.00 ms | 1.20 ms | 1.20 × |
| sum by month | 3.00 ms | 30.0 ms | 10.0 × | 1.00 ms | 20.0 ms | **20.0 ×** |
`
	if got != want {
		t.Errorf("the table is\n%s\nwant\n%s", got, want)
	}
}

// TestPartsOfOtherCommandsAreKept replaces the table of this command in a document that has more.
func TestPartsOfOtherCommandsAreKept(t *testing.T) {
	t.Parallel()
	const parts = "\n## Growth\n\ntext\n\n## Figures of other commands\n\ntable\n"
	if got := withParts("# Benchmarks\n\nnew\n", "# Benchmarks\n\nold\n"+parts); got != "# Benchmarks\n\nnew\n"+parts {
		t.Errorf("the document is\n%s", got)
	}
}
