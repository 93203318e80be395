package everyday

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

// The goals.
const (
	tasksNeeded  = 40
	possibleGoal = 38
	medianCalls  = 2
	mostCalls    = 4
	medianBytes  = 1500
	groupMinimum = 5
)

func decode(text string, out *object) error { return json.Unmarshal([]byte(text), out) }

// entity returns the id of a company that the user named.
func (c *client) entity(name string) string {
	for _, e := range itemsOf(c.call("list_entities", object{"fields": []string{"id", "name"}})) {
		if e["name"] == name {
			return text(e, "id")
		}
	}
	panic(failure{"no company " + name})
}

// ledger returns the id of the accounting integration. The user has one.
func (c *client) ledger(string) string {
	for _, p := range itemsOf(c.call("list_integrations", object{"fields": []string{"type", "integrations.id"}})) {
		if connected, ok := p["integrations"].([]any); ok && p["type"] == "ACCOUNTING" && len(connected) == 1 {
			return text(connected[0].(object), "id")
		}
	}
	panic(failure{"no integration"})
}

// result is the measurement of one task.
type result struct {
	task
	calls, bytes int
	failed       string // why it is impossible; "" if it is possible
}

// TestEverydayTasks measures the tasks in the order of the list.
func TestEverydayTasks(t *testing.T) {
	t.Parallel()
	w := seeded(t)
	all := slices.Concat(findingTasks(), reviewTasks(), correctionTasks(), bulkTasks(), sumTasks(), ledgerTasks(), intakeTasks(), connectionTasks())
	groups, results := map[string]int{}, []result{}
	for _, task := range all {
		groups[task.group]++
		results = append(results, w.measure(task))
	}
	for group, n := range groups {
		if n < groupMinimum {
			t.Errorf("%s has %d tasks", group, n)
		}
	}
	if len(all) < tasksNeeded {
		t.Errorf("there are %d tasks", len(all))
	}
	report(t, results)
}

// measure does one task.
func (w *world) measure(k task) (r result) {
	c := &client{world: w, listed: map[string]int{}}
	r = result{task: k}
	defer func() {
		r.calls, r.bytes = c.calls, c.bytes
		if v := recover(); v != nil {
			f, ok := v.(failure)
			if !ok {
				panic(v)
			}
			r.failed = f.reason
		}
	}()
	got := k.do(c)
	if c.calls > mostCalls {
		r.failed = fmt.Sprintf("it needs more than %d calls", mostCalls)
	} else if got != k.want {
		r.failed = fmt.Sprintf("the answer is %q, want %q", got, k.want)
	} else if k.after != nil {
		if got := k.after(w); got != k.state() {
			r.failed = fmt.Sprintf("afterwards it is %q", got)
		}
	}
	return r
}

// state is what the task must leave.
func (k task) state() string {
	if k.want == "4 confirmed" {
		return "APPROVED, APPROVED, APPROVED, APPROVED"
	}
	return k.want
}

// report prints the measurements and compares them with the goals.
func report(t *testing.T, results []result) {
	t.Helper()
	var calls, bytes []int
	possible := 0
	for _, r := range results {
		mark := "ok"
		if r.failed != "" {
			mark = "IMPOSSIBLE: " + r.failed
		} else {
			possible++
			calls, bytes = append(calls, r.calls), append(bytes, r.bytes)
		}
		fmt.Printf("%-10s %d calls %5d bytes  %s  %s\n", r.group, r.calls, r.bytes, r.sentence, mark)
	}
	most := slices.Max(append(calls, 0))
	fmt.Printf("%d of %d tasks possible; calls: median %d, most %d; bytes: median %d, most %d\n",
		possible, len(results), median(calls), most, median(bytes), slices.Max(append(bytes, 0)))
	for _, goal := range []struct {
		name      string
		got, want int
		least     bool
	}{
		{"possible tasks", possible, possibleGoal, true}, {"median calls", median(calls), medianCalls, false},
		{"most calls", most, mostCalls, false}, {"median bytes", median(bytes), medianBytes, false},
	} {
		if goal.least && goal.got < goal.want || !goal.least && goal.got > goal.want {
			t.Errorf("%s: %d, the goal is %d", goal.name, goal.got, goal.want)
		}
	}
}

func median[T cmp.Ordered](of []T) (middle T) {
	if len(of) == 0 {
		return middle
	}
	of = slices.Sorted(slices.Values(of))
	return of[len(of)/2]
}
