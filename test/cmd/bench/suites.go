package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// suite is a benchmark of a package.
type suite struct {
	target, pattern, runs string
	postgres              bool
	// rows is the number of invoices that the benchmark stores once for all rounds, which it counts
	// itself; 0 if it runs once for each round.
	rows    int
	metrics []metric
}

// metric is a figure of a benchmark. It is divided by scale, if that is not 0.
type metric struct {
	benchmark, unit string
	scale           float64
	figure
}

// suites compare the service with something simpler in the same process, so that
// the figures depend little on the machine.
var suites = []suite{
	{"./usecase/billing", "WebhookReceipts", "1x", true, 0, []metric{
		{"WebhookReceipts", "ratio", 0, figure{"stored payment webhooks, compared with plain transactions, 16 callers", 0, "×", 0.6, true}},
		{"WebhookReceipts", "receipts/s", 0, figure{"stored payment webhooks", 0, "/s", 0, true}},
	}},
	{"./usecase/billing", "BillingRead", "500x", false, 0, []metric{
		{"BillingRead/hit", "ns/op", 1e6, figure{"`GET /api/billing` with a cached plan", 0, "ms", 0, false}},
		{"BillingRead/miss", "ns/op", 1e6, figure{"`GET /api/billing` with a plan from the simulated processor", 0, "ms", 0, false}},
	}},
	{"./test/suites/load", ".", "1x", true, 0, []metric{
		{"Invoice", "ratio", 0, figure{"requests for one invoice, compared with a handler that checks the token and returns the same bytes", 0, "×", 0.7, true}},
		{"Invoice", "service/s", 0, figure{"requests for one invoice", 0, "/s", 0, true}},
		{"Uploads", "uploads/s", 0, figure{"uploads of small documents, PostgreSQL with durable commits, 8 callers", 0, "/s", 500, true}},
		{"Extraction", "ratio", 0, figure{"printed PDFs extracted by the service, compared with the reader alone", 0, "×", 0.85, true}},
		{"Extraction", "service/min", 0, figure{"printed PDFs extracted by the service", 0, "/min", 0, true}},
		{"Fairness", "ratio", 0, figure{"time until a document is an invoice while 10,000 documents of another organization wait, compared with an idle service", 0, "×", 2, false}},
	}},
	{"./adapter/store", "ListDepth", "200x", true, 1_000_000, []metric{
		{"ListDepth/organization", "ratio", 0, figure{"last page compared with the first page of 1,000,000 invoices: all", 0, "×", 1.2, false}},
		{"ListDepth/entity", "ratio", 0, figure{"last page compared with the first page of 1,000,000 invoices: an entity", 0, "×", 1.2, false}},
		{"ListDepth/status", "ratio", 0, figure{"last page compared with the first page of 1,000,000 invoices: a status", 0, "×", 1.2, false}},
		{"ListDepth/member", "ratio", 0, figure{"last page compared with the first page of 1,000,000 invoices: a member of two entities", 0, "×", 1.2, false}},
	}},
}

// run runs the benchmark several times and returns the figures of all rounds.
func (s suite) run(ctx context.Context, rounds int) ([]figure, error) {
	count := rounds
	if s.rows > 0 {
		count = 1
	}
	args := []string{"go", "test", "-run", "^$", "-bench", s.pattern, "-benchtime", s.runs, "-count", strconv.Itoa(count), "-timeout", "60m", s.target}
	if s.postgres {
		args = append([]string{"go", "run", "./test/lib/postgres/cmd/testpostgres", "--"}, args...)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = os.Environ()
	if s.rows > 0 {
		cmd.Env = append(cmd.Env, fmt.Sprint("DOCLEDGER_BENCH_ROWS=", s.rows), fmt.Sprint("DOCLEDGER_BENCH_ROUNDS=", rounds))
	}
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	var found []figure
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		found = append(found, s.figures(lines.Text())...)
	}
	if err != nil {
		return found, fmt.Errorf("%s of %s: %w %s", s.pattern, s.target, err, problems.Bytes()[:min(problems.Len(), 200)])
	}
	return found, nil
}

// figures returns the figures of one line: the name, the number of runs, and pairs
// of a value and its unit.
func (s suite) figures(line string) []figure {
	fields := strings.Fields(line)
	if len(fields) < 4 {
		return nil
	}
	name, ok := strings.CutPrefix(fields[0], "Benchmark")
	if at := strings.LastIndexByte(name, '-'); at > 0 {
		name = name[:at]
	}
	name, _, _ = strings.Cut(name, "#") // the number of a repeated benchmark
	var found []figure
	for i := 2; ok && i+1 < len(fields); i += 2 {
		value, err := strconv.ParseFloat(fields[i], 64)
		for _, m := range s.metrics {
			if err != nil || m.benchmark != name || m.unit != fields[i+1] {
				continue
			}
			f := m.figure
			if f.value = value; m.scale != 0 {
				f.value /= m.scale
			}
			found = append(found, f)
		}
	}
	return found
}
