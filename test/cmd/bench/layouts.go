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

	"docledger/adapter/extract"
	"docledger/domain/extraction"
)

// layoutRounds is how often each printed layout is read after the child process is warm.
const layoutRounds = 5

// layouts measures the processor time of each document of many printed layouts, most of
// which have one page: that of this process, which requests the extraction, and of its child
// process together. The time of a document is the median of several readings.
func layouts(ctx context.Context, _ string) (figures []figure, err error) {
	files, err := layoutFiles()
	if err != nil {
		return nil, err
	}
	pipeline := extract.New(extract.Options{Children: 1, ComparePages: true})
	defer func() { err = errors.Join(err, pipeline.Close()) }()
	took := make([][]time.Duration, len(files))
	parts := make([][]time.Duration, len(files)) // of this process
	for round := range layoutRounds + 1 {
		for i, path := range files {
			own, all, err := documentTime(ctx, pipeline, path)
			if err != nil {
				return nil, err
			}
			if round > 0 { // the first reading starts the child process and fills its caches
				took[i], parts[i] = append(took[i], all), append(parts[i], own)
			}
		}
	}
	each, own := medians(took), medians(parts)
	name := fmt.Sprintf("printed PDF, processor time of a document, parent and warm child together (%d layouts)", len(files))
	return []figure{
		{name + ": median", milliseconds(each[len(each)/2]), "ms", 6, false},
		{name + ": mean", milliseconds(mean(each)), "ms", 0, false},
		{"printed PDF, processor time of the parent for a document: median", milliseconds(own[len(own)/2]), "ms", 0, false},
	}, nil
}

// documentTime returns the processor time of one reading: of this process, and of this
// process and its children. The time of the measurement itself is no part of it.
func documentTime(ctx context.Context, reader extraction.Reader, path string) (own, all time.Duration, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, err
	}
	children, err := childrenTimes()
	if err != nil {
		return 0, 0, err
	}
	before, err := processorTime(os.Getpid())
	if err != nil {
		return 0, 0, err
	}
	_, err = reader.Read(ctx, extraction.Source{Name: filepath.Base(path), Path: path, Size: info.Size()})
	var failure *extraction.Failure
	if err != nil && !errors.As(err, &failure) { // a document that is no invoice takes its time too
		return 0, 0, err
	}
	after, err := processorTime(os.Getpid())
	if err != nil {
		return 0, 0, err
	}
	all = after - before
	now, err := childrenTimes()
	for pid, time := range now { // a child that was started meanwhile has no time before
		all += time - children[pid]
	}
	return after - before, all, err
}

// childrenTimes returns the processor time of each child process.
func childrenTimes() (map[int]time.Duration, error) {
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		return nil, err
	}
	out := map[int]time.Duration{}
	for _, path := range lists {
		list, err := os.ReadFile(path)
		if err != nil {
			continue // the thread has ended
		}
		for _, child := range strings.Fields(string(list)) {
			pid, err := strconv.Atoi(child)
			if err != nil {
				return nil, err
			}
			if out[pid], err = processorTime(pid); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// medians returns the median of each list, sorted.
func medians(lists [][]time.Duration) []time.Duration {
	out := make([]time.Duration, len(lists))
	for i, list := range lists {
		list = slices.Sorted(slices.Values(list))
		out[i] = list[len(list)/2]
	}
	slices.Sort(out)
	return out
}

func mean(times []time.Duration) time.Duration {
	sum := time.Duration(0)
	for _, t := range times {
		sum += t
	}
	return sum / time.Duration(len(times))
}
