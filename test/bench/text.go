package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"docledger/test/generator"
)

const (
	textDocuments = 200 // made-up PDFs that are read
	textRounds    = 5   // how often, to tell reading from starting
)

// texts measures the extraction of PDFs without embedded data: the CPU time per
// page with warm child processes, and the documents per second compared with
// another program on the same files.
func texts(ctx context.Context, dir string) ([]figure, error) {
	files, pages, err := writeGenerated(dir)
	if err != nil {
		return nil, err
	}
	// The first run may compile the engine.
	if _, err := cpuOf(ctx, files[:1]); err != nil {
		return nil, err
	}
	once, err := cpuOf(ctx, files)
	if err != nil {
		return nil, err
	}
	many, err := cpuOf(ctx, slices.Repeat(files, textRounds))
	if err != nil {
		return nil, err
	}
	each := (many - once) / time.Duration((textRounds-1)*pages)
	took, err := wall(ctx, "bin/docledger", append([]string{"extract"}, files...))
	if err != nil {
		return nil, err
	}
	own := float64(len(files)) / took.Seconds()
	out := []figure{
		{fmt.Sprintf("text PDF, CPU a page with warm children (%d made-up files, %d pages)", len(files), pages), "≤ 150 ms", each.Round(100 * time.Microsecond).String()},
		{"text PDF, documents a second", "-", fmt.Sprintf("%.0f", own)},
	}
	return append(out, peer(ctx, dir, files, own)...), nil
}

// writeGenerated writes generated documents as PDFs.
func writeGenerated(dir string) (files []string, pages int, err error) {
	folder := filepath.Join(dir, "texts")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, 0, err
	}
	for seed := uint64(0); len(files) < textDocuments; seed++ {
		d := generator.New(seed, generator.None)
		data, ok := d.PDF()
		if !ok {
			continue
		}
		path := filepath.Join(folder, fmt.Sprintf("%04d.pdf", seed))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return nil, 0, err
		}
		files, pages = append(files, path), pages+len(d.Pages)
	}
	return files, pages, nil
}

func wall(ctx context.Context, program string, args []string) (time.Duration, error) {
	began := time.Now()
	if out, err := exec.CommandContext(ctx, program, args...).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, out[:min(len(out), 300)])
	}
	return time.Since(began), nil
}

// readers are the text readers of the other program that need no further
// program.
var readers = []struct{ name, module string }{{"pdfminer", "pdfminer.six"}, {"pdfium", "pypdfium2"}}

// peer measures invoice2data, which is installed from the Python package index
// into a separate environment.
func peer(ctx context.Context, dir string, files []string, own float64) []figure {
	var out []figure
	env := filepath.Join(dir, "peer")
	if err := install(ctx, env); err != nil {
		return []figure{{"invoice2data on the same files", "goal 20 ×", "not measured: " + err.Error()}}
	}
	for _, r := range readers {
		name := "invoice2data with " + r.name + ", documents a second (ours is as many times faster)"
		took, err := wall(ctx, filepath.Join(env, "bin", "invoice2data"), append([]string{"-i", r.name, "-f", "none"}, files...))
		if err != nil {
			out = append(out, figure{name, "≥ 20 ×", "not measured: " + err.Error()})
			continue
		}
		rate := float64(len(files)) / took.Seconds()
		out = append(out, figure{name, "≥ 20 ×", fmt.Sprintf("%.0f (%.1f ×)", rate, own/rate)})
	}
	return out
}

func install(ctx context.Context, env string) error {
	if _, err := wall(ctx, "python3", []string{"-m", "venv", env}); err != nil {
		return err
	}
	packages := []string{"-m", "pip", "install", "--quiet", "invoice2data"}
	for _, r := range readers {
		packages = append(packages, r.module)
	}
	_, err := wall(ctx, filepath.Join(env, "bin", "python"), packages)
	return err
}
