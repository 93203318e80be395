package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docledger/infrastructure/database"
	"docledger/test/lib/filling"
)

func TestKeptDatabaseHasTheNumberOfInvoices(t *testing.T) {
	t.Parallel()
	const invoices = 200
	dir := t.TempDir()
	address, file := "sqlite:"+filepath.Join(dir, "docledger.db"), filepath.Join(dir, keptFile)
	if n, err := invoicesOf(t.Context(), address); err != nil || n != 0 {
		t.Fatalf("a new database has %d invoices: %v", n, err)
	}
	db, err := database.Open(t.Context(), database.Config{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	filled, err := filling.Fill(t.Context(), db, filling.Options{Seed: growthSeed, Invoices: invoices, Entities: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	found := func(wanted int) (filling.Filled, error) {
		g := &grown{invoices: wanted}
		err := g.fillOnce(t.Context(), dir, address, nil)
		return g.filled, err
	}
	if _, err := found(invoices); err == nil || !strings.Contains(err.Error(), "but no "+keptFile) {
		t.Errorf("a database with invoices and without the file: %v", err)
	}
	write := func(content any) {
		text, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct {
		content any
		wanted  int
		ok      bool
	}{
		"without a number":              {filled, invoices, true},
		"without a number, for more":    {filled, 10 * invoices, false},
		"without a number, for fewer":   {filled, invoices / 10, false},
		"the number":                    {keptFilled{filled, invoices, growthSeed}, invoices, true},
		"for more":                      {keptFilled{filled, invoices, growthSeed}, 10 * invoices, false},
		"for fewer":                     {keptFilled{filled, invoices, growthSeed}, invoices / 10, false},
		"more than the database has":    {keptFilled{filled, 10 * invoices, growthSeed}, 10 * invoices, false},
		"the number with another seed":  {keptFilled{filled, invoices, growthSeed + 1}, invoices, false},
		"the number without a seed":     {keptFilled{filled, invoices, 0}, invoices, true},
		"another number without a seed": {keptFilled{filled, invoices - 1, 0}, invoices, false},
	} {
		write(test.content)
		got, err := found(test.wanted)
		if (err == nil) != test.ok || test.ok && got.Organization != filled.Organization {
			t.Errorf("%s: organization %s, %v", name, got.Organization, err)
		}
	}
	g := &grown{filled: filled, invoices: invoices}
	if err := g.keep(file); err != nil {
		t.Fatal(err)
	}
	if _, err := found(invoices); err != nil {
		t.Errorf("a database that was filled: %v", err)
	}
	if _, err := found(10 * invoices); err == nil {
		t.Error("a database that was filled is measured as a larger one")
	}
}
