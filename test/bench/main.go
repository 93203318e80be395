// Command bench prints the speed and memory figures of the product with the
// measured machine. It runs bin/docledger and bin/sandbox, which must be built
// before.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

const runTimeout = 10 * time.Minute

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), runTimeout)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// figure is one line of the table.
type figure struct{ name, goal, value string }

func run(ctx context.Context) error {
	fmt.Println(machine())
	dir, err := os.MkdirTemp("", "docledger-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var figures []figure
	for _, measure := range []func(context.Context, string) ([]figure, error){structured, hybrids, wholeCorpus, texts, sandboxFigures, toolFigures} {
		found, err := measure(ctx, dir)
		if err != nil {
			return err
		}
		figures = append(figures, found...)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "FIGURE\tGOAL\tMEASURED")
	for _, f := range figures {
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.name, f.goal, f.value)
	}
	return w.Flush()
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
