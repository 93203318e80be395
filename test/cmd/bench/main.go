// Command bench prints the speed and memory figures of the product with their goals,
// their spread and the measured machine. It runs bin/docledger and bin/sandbox, which
// must be built before. ROUNDS is the number of rounds, 3 by default. WRITE=1 writes
// docs/benchmarks.md. With the argument "growth" it instead measures how the service slows down
// as its database grows, up to ROWS invoices, and with "pages" it measures the pages of the web
// application.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"docledger/adapter/extract/worker"
)

const (
	runTimeout    = 2 * time.Hour
	defaultRounds = 3
	written       = "docs/benchmarks.md"
)

func main() {
	worker.ServeIfChild()
	limit, measure := runTimeout, run
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "growth":
			limit, measure = growthTimeout, growth
		case "pages":
			measure = pages
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := measure(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// figure is the result of one round. A figure with limit 0 has no goal.
type figure struct {
	name  string
	value float64
	unit  string
	limit float64
	least bool // the goal is at least limit; otherwise at most
}

// row is a figure over all rounds.
type row struct {
	figure
	values []float64
}

// table contains the rows in the order of their first figure, and why some were not
// measured.
type table struct {
	rows    []*row
	missing []string
}

func (t *table) add(figures ...figure) {
	for _, f := range figures {
		i := slices.IndexFunc(t.rows, func(r *row) bool { return r.name == f.name })
		if i < 0 {
			i = len(t.rows)
			t.rows = append(t.rows, &row{figure: f})
		}
		t.rows[i].values = append(t.rows[i].values, f.value)
	}
}

// missed notes once that something was not measured.
func (t *table) missed(err error) {
	if text := err.Error(); !slices.Contains(t.missing, text) {
		t.missing = append(t.missing, text)
		fmt.Fprintln(os.Stderr, "bench: not measured:", text)
	}
}

func run(ctx context.Context) error {
	rounds := defaultRounds
	if n, err := strconv.Atoi(os.Getenv("ROUNDS")); err == nil && n > 0 {
		rounds = n
	}
	dir, err := os.MkdirTemp("", "docledger-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t := &table{}
	for n := range rounds {
		fmt.Fprintf(os.Stderr, "bench: round %d of %d\n", n+1, rounds)
		for _, measure := range []func(context.Context, string) ([]figure, error){binary, structured, hybrids, wholeCorpus, layouts, texts, peers, sandboxFigures, toolFigures} {
			found, err := measure(ctx, dir)
			t.add(found...)
			if err != nil {
				t.missed(err)
			}
		}
	}
	for _, s := range suites {
		found, err := s.run(ctx, rounds)
		t.add(found...)
		if err != nil {
			t.missed(err)
		}
	}
	text := t.markdown(rounds)
	fmt.Print(text)
	if os.Getenv("WRITE") == "1" {
		return write(text)
	}
	return nil
}

// write replaces the part of the document that this command writes.
func write(text string) error {
	old, err := os.ReadFile(written)
	if err != nil {
		return err
	}
	return os.WriteFile(written, []byte(withParts(text, string(old))), 0o644) //nolint:gosec // a document of the repository
}

// withParts adds the parts of the old document that other commands measure. Each has a heading.
func withParts(text, old string) string {
	if at := strings.Index(old, "\n## "); at >= 0 {
		return text + old[at:]
	}
	return text
}

// markdown returns the table as a document.
func (t *table) markdown(rounds int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Benchmarks\n\n`make bench WRITE=1` wrote this file: the median, the lowest and the highest of %d rounds on %s.\n\n", rounds, machine())
	b.WriteString("| figure | goal | median | lowest–highest | met |\n|---|---|---|---|---|\n")
	for _, r := range t.rows {
		values := slices.Sorted(slices.Values(r.values))
		middle := values[len(values)/2]
		goal, met := "–", ""
		if r.limit != 0 {
			sign := "≤"
			if r.least {
				sign = "≥"
			}
			goal, met = sign+" "+r.print(r.limit), "no"
			if r.least && middle >= r.limit || !r.least && middle <= r.limit {
				met = "yes"
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s–%s | %s |\n", r.name, goal, r.print(middle), trimmed(values[0]), trimmed(values[len(values)-1]), met)
	}
	for _, text := range t.missing {
		fmt.Fprintf(&b, "\nNot measured: %s.\n", strings.TrimRight(text, ".\n"))
	}
	return b.String()
}

func (f *figure) print(v float64) string { return trimmed(v) + " " + f.unit }

// trimmed prints three digits that count.
func trimmed(v float64) string {
	switch {
	case v >= 100 || v <= -100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10 || v <= -10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

const million = 1 << 20

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

// binary measures the size of the program.
func binary(context.Context, string) ([]figure, error) {
	info, err := os.Stat("bin/docledger")
	if err != nil {
		return nil, err
	}
	return []figure{{"size of the binary", float64(info.Size()) / million, "MB", 60, false}}, nil
}

func machine() string {
	return fmt.Sprintf("%s, %d cores, %s, %s/%s", processor(), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "processor unknown"
	}
	for line := range strings.Lines(string(info)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.Trim(name, "\t :\n")
		}
	}
	return "processor unknown"
}
