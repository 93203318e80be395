package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"docledger/test/lib/generator"
)

const (
	textDocuments = 200 // generated PDFs that are read
	textRounds    = 3   // how often, to tell reading from starting
)

// texts measures the extraction of generated PDFs: the CPU time of a page with warm
// child processes.
func texts(ctx context.Context, dir string) ([]figure, error) {
	files, pages, err := writeGenerated(dir)
	if err != nil {
		return nil, err
	}
	each, err := warm(ctx, files, pages)
	if err != nil {
		return nil, err
	}
	return []figure{{fmt.Sprintf("printed PDF, CPU of a page with warm children (%d generated files)", len(files)), milliseconds(each), "ms", 6, false}}, nil
}

// layoutFiles returns the optional documents of many printed layouts.
func layoutFiles() ([]string, error) {
	dir := os.Getenv("DOCLEDGER_LAYOUTS")
	if dir == "" {
		dir = filepath.Join("..", "shared", "cases", "layouts")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.pdf"))
	if err == nil && len(files) == 0 {
		err = errors.New("figures of printed layouts, because the layouts are absent")
	}
	return files, err
}

// warm returns the CPU time of a page. The difference between reading the files
// once and several times leaves out the start of the processes.
func warm(ctx context.Context, files []string, pages int) (time.Duration, error) {
	once, err := cpuOf(ctx, files)
	if err != nil {
		return 0, err
	}
	many, err := cpuOf(ctx, slices.Repeat(files, textRounds))
	return (many - once) / time.Duration((textRounds-1)*pages), err
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
var readers = []struct {
	name, module string
	goal         float64
}{{"pdfminer", "pdfminer.six", 20}, {"pdfium", "pypdfium2", 1.5}}

// peers compares the documents a second with those of invoice2data, which is
// installed from the Python package index into a separate environment.
func peers(ctx context.Context, dir string) ([]figure, error) {
	files, err := layoutFiles()
	if err != nil {
		if files, _, err = writeGenerated(dir); err != nil {
			return nil, err
		}
	}
	const every = 4 // the other program takes minutes for all
	few := make([]string, 0, len(files)/every+1)
	for i := 0; i < len(files); i += every {
		few = append(few, files[i])
	}
	files = few
	env := filepath.Join(dir, "peer")
	if _, err := os.Stat(env); err != nil {
		if err := install(ctx, env); err != nil {
			return nil, fmt.Errorf("comparison with invoice2data: %w", err)
		}
	}
	took, err := wall(ctx, "bin/docledger", append([]string{"extract"}, files...))
	if err != nil {
		return nil, err
	}
	own := float64(len(files)) / took.Seconds()
	out := []figure{{fmt.Sprintf("printed PDFs a second (%d files)", len(files)), own, "/s", 0, true}}
	for _, r := range readers {
		took, err := wall(ctx, filepath.Join(env, "bin", "invoice2data"), append([]string{"-i", r.name, "-f", "none"}, files...))
		if err != nil {
			return out, fmt.Errorf("comparison with invoice2data with %s: %w", r.name, err)
		}
		out = append(out, figure{"printed PDFs a second, compared with invoice2data with " + r.name, own / (float64(len(files)) / took.Seconds()), "×", r.goal, true})
	}
	return out, nil
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
