package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"docledger/adapter/extract/einvoice"
	"docledger/adapter/extract/einvoice/rules"
	"docledger/adapter/extract/einvoice/xmltree"
	verdict "docledger/domain/einvoice"
	"docledger/test/lib/harness"
)

// corpus is the optional folder of real documents.
func corpus() (string, error) {
	dir := os.Getenv("DOCLEDGER_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "shared", "corpus")
	}
	_, err := os.Stat(filepath.Join(dir, "expected.json"))
	return dir, err
}

var errNoCorpus = errors.New("figures of real documents, because the corpus is absent")

// goodFiles returns the files of the corpus of the given kinds that contain an
// invoice.
func goodFiles(dir string, kinds ...string) ([]string, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		return nil, err
	}
	var index struct {
		Files []struct{ File, Category, Outcome string }
	}
	if err := json.Unmarshal(raw, &index); err != nil {
		return nil, err
	}
	var files []string
	for _, f := range index.Files {
		if f.Outcome == "extract" && slices.Contains(kinds, f.Category) {
			files = append(files, filepath.Join(dir, f.File))
		}
	}
	return files, nil
}

// structured measures the parsers in this process.
func structured(ctx context.Context, _ string) ([]figure, error) {
	documents := [][]byte{harness.UBL("B-1"), harness.UBLLines("B-2", 50)}
	set := "self-made files"
	if dir, err := corpus(); err == nil {
		files, err := goodFiles(dir, "ubl", "ubl-creditnote", "cii", "zugferd1", "other-xml")
		if err != nil {
			return nil, err
		}
		documents, set = nil, fmt.Sprintf("%d corpus files", len(files))
		for _, path := range files {
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			documents = append(documents, content)
		}
	}
	var medians []time.Duration
	for _, d := range documents {
		took, err := median(9, func() error { _, err := einvoice.Parse(ctx, d); return err })
		if err != nil {
			return nil, err
		}
		medians = append(medians, took)
	}
	slices.Sort(medians)
	large := harness.UBLLines("B-3", 3000)
	took, err := median(5, func() error { _, err := einvoice.Parse(ctx, large); return err })
	if err != nil {
		return nil, err
	}
	verdicts, err := verdicts(ctx, documents)
	if err != nil {
		return nil, err
	}
	perMB := time.Duration(float64(took) / (float64(len(large)) / 1e6))
	return append([]figure{
		{"structured XML, median of " + set, milliseconds(medians[len(medians)/2]), "ms", 3, false},
		{fmt.Sprintf("structured XML, each MB (of %.1f MB)", float64(len(large))/1e6), milliseconds(perMB), "ms", 60, false},
	}, verdicts...), nil
}

// verdicts measures the evaluation of the official rules, which is part of the time of
// structured: of the documents that claim a profile with rules, and of the project's own
// invoices and one of them with 100 lines.
func verdicts(ctx context.Context, documents [][]byte) ([]figure, error) {
	paths, err := filepath.Glob("adapter/extract/einvoice/rules/testdata/*.xml")
	if err != nil || len(paths) == 0 {
		return nil, errors.Join(errors.New("no invoices of the project"), err)
	}
	documents = slices.Clone(documents)
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		documents = append(documents, content)
		text, end := string(content), "</Invoice>"
		if from := strings.LastIndex(text, "<cac:InvoiceLine>"); from >= 0 {
			line := strings.TrimSuffix(strings.TrimSpace(text[from:]), end)
			documents = append(documents, []byte(text[:from]+strings.Repeat(line, 100)+end))
		}
	}
	var medians []time.Duration
	for _, d := range documents {
		tree, err := xmltree.Parse(ctx, d)
		if err != nil {
			return nil, err
		}
		judged := false
		took, err := median(9, func() error {
			v := rules.Judge(tree.Root(), tree.Elements())
			judged = v != nil && v.Outcome != verdict.NotJudged
			return nil
		})
		if err != nil {
			return nil, err
		}
		if judged {
			medians = append(medians, took)
		}
	}
	slices.Sort(medians)
	name := fmt.Sprintf("verdict by the official rules, additional time of %d documents: ", len(medians))
	return []figure{
		{name + "median", milliseconds(medians[len(medians)/2]), "ms", 3, false},
		{name + "maximum", milliseconds(medians[len(medians)-1]), "ms", 3, false},
	}, nil
}

func median(runs int, do func() error) (time.Duration, error) {
	times := make([]time.Duration, runs)
	for i := range times {
		began := time.Now()
		if err := do(); err != nil {
			return 0, err
		}
		times[i] = time.Since(began)
	}
	slices.Sort(times)
	return times[runs/2], nil
}

// hybrids compares the CPU time of reading each hybrid PDF once with that of
// reading it many times in one run. The difference is the cost of a document
// with warm child processes.
func hybrids(ctx context.Context, _ string) ([]figure, error) {
	dir, err := corpus()
	if err != nil {
		return nil, errNoCorpus
	}
	files, err := goodFiles(dir, "hybrid")
	if err != nil || len(files) == 0 {
		return nil, errors.Join(errors.New("no hybrid files"), err)
	}
	const rounds = 11
	// The first process of a machine compiles the renderer and stores it, which the difference must not contain.
	if _, err := cpuOf(ctx, files[:1]); err != nil {
		return nil, err
	}
	once, err := cpuOf(ctx, files)
	if err != nil {
		return nil, err
	}
	many, err := cpuOf(ctx, slices.Repeat(files, rounds))
	if err != nil {
		return nil, err
	}
	each := (many - once) / time.Duration((rounds-1)*len(files))
	return []figure{{fmt.Sprintf("hybrid PDF, CPU with warm children (%d corpus files)", len(files)), milliseconds(each), "ms", 60, false}}, nil
}

// cpuOf returns the CPU time of the extraction of files, including child
// processes.
func cpuOf(ctx context.Context, files []string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, "bin/docledger", append([]string{"extract"}, files...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, out[:min(len(out), 300)])
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	// The usage of a process includes its finished child processes.
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}

// wholeCorpus measures the memory of all processes of one extraction.
func wholeCorpus(ctx context.Context, _ string) ([]figure, error) {
	dir, err := corpus()
	if err != nil {
		return nil, errNoCorpus
	}
	files, err := goodFiles(dir, "ubl", "ubl-creditnote", "cii", "zugferd1", "hybrid", "other-xml")
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "bin/docledger", append([]string{"extract"}, slices.Repeat(files, 5)...)...)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	peak := watch(func() int64 { return residentTree(cmd.Process.Pid) }, func() error { return cmd.Wait() })
	return []figure{{fmt.Sprintf("memory of all processes that extract the corpus (%d files, 5 times)", len(files)), float64(peak) / million, "MB", 400, false}}, nil
}

// watch returns the maximum of memory while wait runs.
func watch(memory func() int64, wait func() error) (peak int64) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = wait()
	}()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return peak
		case <-tick.C:
			peak = max(peak, memory())
		}
	}
}

// residentTree returns the memory of a process and its descendants in bytes.
func residentTree(pid int) (sum int64) {
	sum = resident(pid)
	children, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return sum
	}
	for _, path := range children {
		list, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for _, child := range strings.Fields(string(list)) {
			var id int
			if _, err := fmt.Sscan(child, &id); err == nil {
				sum += residentTree(id)
			}
		}
	}
	return sum
}

// resident returns the memory of one process in bytes.
func resident(pid int) int64 {
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(statm), &size, &pages); err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
