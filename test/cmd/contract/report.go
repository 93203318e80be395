package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// least is how many successes each operation must have.
const least = 20

// exceptions are the operations that may have fewer successes, at most three, each
// with its reason, which the report prints.
var exceptions = map[string]string{
	"setUp": "creates the first user, and the sandbox has users",
}

// tally is what one operation answered.
type tally struct {
	statuses  map[int]int
	successes int
	took      time.Duration
	problems  []string
	deviating int    // responses with a problem
	refusal   string // the last refusal of a call that was due to succeed
}

// report collects the responses of each operation. Several goroutines may use it.
type report struct {
	mu         sync.Mutex
	operations map[string]*tally
}

func newReport() *report { return &report{operations: map[string]*tally{}} }

// keptProblems is how many problems of one operation the report prints.
const keptProblems = 5

func (r *report) add(operation string, status int, success bool, problems []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.of(operation)
	t.statuses[status]++
	if success {
		t.successes++
	}
	if len(problems) > 0 {
		t.deviating++
	}
	for _, p := range problems {
		if len(t.problems) < keptProblems && !slices.Contains(t.problems, p) {
			t.problems = append(t.problems, p)
		}
	}
}

func (r *report) of(operation string) *tally {
	t := r.operations[operation]
	if t == nil {
		t = &tally{statuses: map[int]int{}}
		r.operations[operation] = t
	}
	return t
}

func (r *report) problem(operation, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.of(operation)
	t.deviating++
	if len(t.problems) < keptProblems && !slices.Contains(t.problems, text) {
		t.problems = append(t.problems, text)
	}
}

// expect puts an operation into the report, also if it never answers.
func (r *report) expect(operation string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.of(operation)
}

func (r *report) took(operation string, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.of(operation).took = d
}

// refused keeps why a call that was due to succeed did not.
func (r *report) refused(operation string, a answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.of(operation).refusal = fmt.Sprintf("%d %.400s", a.status, a.raw)
}

func (r *report) successes(operation string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.of(operation).successes
}

// figures returns the number of responses, and of those that are refusals.
func (r *report) figures() (requests, refusals int) {
	for _, t := range r.operations {
		for status, n := range t.statuses {
			requests += n
			if status >= http.StatusBadRequest {
				refusals += n
			}
		}
	}
	return requests, refusals
}

// print writes one line for each operation, and its problems.
func (r *report) print(w io.Writer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fewest := -1
	for _, id := range slices.Sorted(maps.Keys(r.operations)) {
		t := r.operations[id]
		var line strings.Builder
		for _, status := range slices.Sorted(maps.Keys(t.statuses)) {
			fmt.Fprintf(&line, " %d: %d", status, t.statuses[status])
		}
		fmt.Fprintf(w, "%-30s successes: %d;%s (%.1f s)\n", id, t.successes, line.String(), t.took.Seconds())
		if reason := exceptions[id]; reason != "" {
			fmt.Fprintf(w, "    exception: %s\n", reason)
		} else if fewest < 0 || t.successes < fewest {
			fewest = t.successes
		}
		if t.successes < least && t.refusal != "" {
			fmt.Fprintf(w, "    refused: %s\n", t.refusal)
		}
		for _, p := range t.problems {
			fmt.Fprintf(w, "    deviation: %s\n", p)
		}
	}
	requests, refusals := r.figures()
	fmt.Fprintf(w, "%d requests to %d operations, %d %% refusals, at least %d successes of each operation, %d exceptions\n",
		requests, len(r.operations), 100*refusals/max(requests, 1), fewest, len(exceptions))
}

// failed returns why an operation fails the run; "" if it does not.
func (r *report) failed(operation string) string {
	t := r.of(operation)
	switch {
	case t.deviating > 0:
		return fmt.Sprintf("%s: %d responses deviate: %s", operation, t.deviating, strings.Join(t.problems, "; "))
	case t.successes < least && exceptions[operation] == "":
		return fmt.Sprintf("%s: %d successes, at least %d must be", operation, t.successes, least)
	}
	return ""
}

// verdict returns what fails the run.
func (r *report) verdict() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []error
	for _, id := range slices.Sorted(maps.Keys(r.operations)) {
		if text := r.failed(id); text != "" {
			found = append(found, errors.New(text))
		}
	}
	if len(exceptions) > 3 {
		found = append(found, errors.New("there are more than three exceptions"))
	}
	return errors.Join(found...)
}
