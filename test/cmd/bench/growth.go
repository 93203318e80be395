package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"docledger/test/lib/postgres"
)

const (
	growthTimeout = 6 * time.Hour
	growthSeed    = 1
	// mostGrowth is the goal for the growth of a row over the last factor of ten.
	mostGrowth = 1.3
)

// growthSizes are the numbers of invoices up to ROWS, by default 1,000,000.
func growthSizes() ([]int, error) {
	most := 1_000_000
	if text := os.Getenv("ROWS"); text != "" {
		n, err := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
		if err != nil || n < 10_000 || n > 1_000_000 {
			return nil, errors.New("ROWS must be from 10000 to 1000000")
		}
		most = n
	}
	var sizes []int
	for n := 10_000; n <= most; n *= 10 {
		sizes = append(sizes, n)
	}
	return sizes, nil
}

// growthColumn has the figures of one database with one number of invoices.
type growthColumn struct {
	database string
	invoices int
	figures  []figure
}

// growth measures how the service slows down as its database grows, on both databases or on that which
// DATABASE names.
func growth(ctx context.Context) error {
	sizes, err := growthSizes()
	if err != nil {
		return err
	}
	bin, err := postgres.Provide(ctx, os.Stderr)
	if err != nil {
		return err
	}
	if dir := os.Getenv("KEEP"); dir != "" {
		return growthKept(ctx, bin, dir, sizes[len(sizes)-1])
	}
	var columns []growthColumn
	for _, name := range []string{"SQLite", "PostgreSQL"} {
		if wanted := os.Getenv("DATABASE"); wanted != "" && wanted != name {
			continue
		}
		for _, n := range sizes {
			fmt.Fprintf(os.Stderr, "growth: %s with %d invoices\n", name, n)
			figures, err := growthOf(ctx, bin, name, n)
			if err != nil {
				return fmt.Errorf("%s with %d invoices: %w", name, n, err)
			}
			columns = append(columns, growthColumn{name, n, figures})
			fmt.Fprint(os.Stderr, growthTable(columns))
		}
	}
	text := growthTable(columns)
	fmt.Print(text)
	if os.Getenv("WRITE") == "1" {
		if err := writeGrowth(text); err != nil {
			return err
		}
	}
	if most := os.Getenv("MOST"); most != "" {
		limit, err := strconv.ParseFloat(most, 64)
		if err != nil || limit < mostGrowth {
			return fmt.Errorf("MOST must be a number from %v", mostGrowth)
		}
		return growthWithin(columns, limit)
	}
	return nil
}

// noticeable is the time in milliseconds up to which growthWithin accepts each growth, because other
// programs of the machine change short times most.
const noticeable = 20

// growthWithin returns an error with the rows that grow more than limit times over a factor of ten. Sums
// may grow in proportion to what they add up.
func growthWithin(columns []growthColumn, limit float64) error {
	var above []string
	for i := 1; i < len(columns); i++ {
		before, after := columns[i-1], columns[i]
		if before.database != after.database {
			continue
		}
		for row, f := range after.figures {
			most, growth := limit, f.value/before.figures[row].value
			if strings.HasPrefix(f.name, "sum ") {
				most = max(limit, 10*mostGrowth)
			}
			if growth > most && (f.unit != "ms" || f.value > noticeable) {
				above = append(above, fmt.Sprintf("%s, %s: %s × from %s to %s invoices, limit %s ×", after.database, f.name, trimmed(growth),
					grouped(before.invoices), grouped(after.invoices), trimmed(most)))
			}
		}
	}
	if above != nil {
		return errors.New("rows that grow too much:\n" + strings.Join(above, "\n"))
	}
	return nil
}

func growthOf(ctx context.Context, bin, name string, invoices int) (figures []figure, err error) {
	dir, err := os.MkdirTemp("", "docledger-growth-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	url := "sqlite:" + filepath.Join(dir, "docledger.db")
	if name == "PostgreSQL" {
		server, err := postgres.StartDurable(ctx, bin)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, server.Stop()) }()
		url = server.URL
	}
	g, err := prepareGrowth(ctx, dir, url, invoices)
	if err != nil {
		return nil, err
	}
	defer g.stop()
	if err := settle(ctx, url); err != nil {
		return nil, err
	}
	return g.measure(ctx)
}

// growthTable has a row for each figure, and for each database a column for each size and one for the
// growth over the last factor of ten.
func growthTable(columns []growthColumn) string {
	var b strings.Builder
	head, line := "| figure |", "|---|"
	for i, c := range columns {
		head += fmt.Sprintf(" %s, %s |", c.database, grouped(c.invoices))
		line += "---|"
		if last(columns, i) {
			head += " growth |"
			line += "---|"
		}
	}
	fmt.Fprintf(&b, "%s\n%s\n", head, line)
	for row, f := range columns[0].figures {
		fmt.Fprintf(&b, "| %s |", f.name)
		for i, c := range columns {
			fmt.Fprintf(&b, " %s |", c.figures[row].print(c.figures[row].value))
			if !last(columns, i) {
				continue
			}
			ratio := "–"
			if i > 0 && columns[i-1].database == c.database && columns[i-1].figures[row].value > 0 {
				ratio = growthOver(f.name, columns[i-1].figures[row].value, c.figures[row].value)
			}
			fmt.Fprintf(&b, " %s |", ratio)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// growthOver is the growth of a row, in bold type if it exceeds the goal. Sums may grow in proportion
// to what they add up.
func growthOver(name string, before, after float64) string {
	text, most := trimmed(after/before)+" ×", mostGrowth
	if strings.HasPrefix(name, "sum ") {
		most *= 10
	}
	if after/before > most {
		text = "**" + text + "**"
	}
	return text
}

// last reports whether a column is the last of its database.
func last(columns []growthColumn, i int) bool {
	return i == len(columns)-1 || columns[i+1].database != columns[i].database
}

func grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// growthHeading is the heading of the part of the document that this command writes.
const growthHeading = "## Growth"

// writeGrowth replaces the table below the heading. What follows the table is kept.
func writeGrowth(table string) error {
	old, err := os.ReadFile(written)
	if err != nil {
		return err
	}
	before, part, found := strings.Cut(string(old), growthHeading)
	if !found {
		return fmt.Errorf("%s has no part %q", written, growthHeading)
	}
	lines := strings.SplitAfter(part, "\n")
	first := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "|") })
	if first < 0 {
		return fmt.Errorf("%s has no table of growth", written)
	}
	end := first
	for end < len(lines) && strings.HasPrefix(lines[end], "|") {
		end++
	}
	lines = slices.Concat(lines[:first], []string{table}, lines[end:])
	return os.WriteFile(written, []byte(before+growthHeading+strings.Join(lines, "")), 0o644) //nolint:gosec // a document of the repository
}
