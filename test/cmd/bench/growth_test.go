package main

import (
	"strings"
	"testing"
)

func TestGrowthWithin(t *testing.T) {
	t.Parallel()
	column := func(database string, invoices int, list, short, sum, memory float64) growthColumn {
		return growthColumn{database, invoices, []figure{
			{name: "list", value: list, unit: "ms"}, {name: "filter", value: short, unit: "ms"},
			{name: "sum by status", value: sum, unit: "ms"}, {name: "memory", value: memory, unit: "MB"},
		}}
	}
	few := column("SQLite", 10_000, 10, 1, 10, 80)
	if err := growthWithin([]growthColumn{few, column("SQLite", 100_000, 39, 19, 129, 90), column("PostgreSQL", 10_000, 900, 900, 900, 900)}, 4); err != nil {
		t.Errorf("rows within the limits: %v", err)
	}
	err := growthWithin([]growthColumn{few, column("SQLite", 100_000, 41, 19, 131, 330)}, 4)
	if err == nil {
		t.Fatal("rows above the limits are accepted")
	}
	for _, want := range []string{"SQLite, list: 4.10 ×", "sum by status: 13.1 ×", "memory: 4.12 ×"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q: %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "filter") {
		t.Errorf("a short time is an error: %v", err)
	}
}
