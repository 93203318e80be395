package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"docledger/infrastructure/database"
	"docledger/migrations"
	"docledger/test/lib/filling"
	"docledger/test/lib/postgres"
)

const (
	// keptCalls is the number of measured calls of each row, unless CALLS has another one. A row that takes
	// longer than keptTime has fewer, but at least keptLeast within twice this time.
	keptCalls = 21
	keptLeast = 5
	keptTime  = 4 * time.Second
	// listGoal and sumGoal are the goals with 1,000,000 invoices.
	listGoal = 50 * time.Millisecond
	sumGoal  = 300 * time.Millisecond
)

// keptFile names the file that says what is in a filled database.
const keptFile = "filled.json"

// keptFilled is the content of keptFile. The first files have neither number nor seed.
type keptFilled struct {
	filling.Filled
	Invoices int    `json:",omitempty"`
	Seed     uint64 `json:",omitempty"`
}

// fillOnce fills a database, unless its folder says that it is filled with the same invoices. A database of an
// earlier release gets the migrations since then.
func (g *grown) fillOnce(ctx context.Context, dir, databaseURL string, env map[string]string) error {
	file := filepath.Join(dir, keptFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if n, err := invoicesOf(ctx, databaseURL); err != nil {
			return err
		} else if n > 0 {
			return fmt.Errorf("%s has %d invoices but no %s; remove it or name another folder", dir, n, keptFile)
		}
		if err := g.fill(ctx, databaseURL, env); err != nil {
			return err
		}
		return g.keep(file)
	}
	if err != nil {
		return err
	}
	var kept keptFilled
	if err := json.Unmarshal(text, &kept); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	g.filled = kept.Filled
	n, err := invoicesOf(ctx, databaseURL)
	if err != nil {
		return err
	}
	if kept.Invoices == 0 {
		kept.Invoices = n
		if g.invoices <= n && n <= g.invoices+g.invoices/keptMore {
			kept.Invoices = g.invoices
		}
	}
	if kept.Invoices != g.invoices || n < g.invoices || kept.Seed != 0 && kept.Seed != growthSeed {
		return fmt.Errorf("%s is filled with %d invoices of seed %d and has %d, instead of %d of seed %d; name another folder or another number in ROWS",
			dir, kept.Invoices, kept.Seed, n, g.invoices, growthSeed)
	}
	return nil
}

// keptMore is the share by which a filled database may have more invoices than its number: one of so many. It also
// has the invoice that was multiplied, and those of measured uploads.
const keptMore = 100

// keep says in a file what the database is filled with.
func (g *grown) keep(file string) error {
	text, err := json.Marshal(keptFilled{g.filled, g.invoices, growthSeed})
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// invoicesOf migrates a database, and returns the number of its invoices.
func invoicesOf(ctx context.Context, databaseURL string) (n int, err error) {
	schema := migrations.SQLite()
	if strings.HasPrefix(databaseURL, "postgres") {
		schema = migrations.Postgres()
	}
	if err := database.Migrate(ctx, database.Config{URL: databaseURL}, schema); err != nil {
		return 0, err
	}
	db, err := database.Open(ctx, database.Config{URL: databaseURL})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.SQL.QueryRowContext(ctx, "SELECT count(*) FROM invoices").Scan(&n)
	return n, err
}

// growthKept measures each filter in each order, and each sum, with databases that remain in a folder.
func growthKept(ctx context.Context, bin, dir string, invoices int) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for _, name := range []string{"SQLite", "PostgreSQL"} {
		if wanted := os.Getenv("DATABASE"); wanted != "" && wanted != name {
			continue
		}
		if err := growthKeptOf(ctx, bin, filepath.Join(dir, name), name, invoices); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func growthKeptOf(ctx context.Context, bin, dir, name string, invoices int) (err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // another user may run the server
		return err
	}
	address, server := "sqlite:"+filepath.Join(dir, "docledger.db"), 0
	if name == "PostgreSQL" {
		instance, err := postgres.StartKept(ctx, bin, filepath.Join(dir, "server"))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, instance.Stop()) }()
		address = instance.URL
		if server, err = instance.Process(); err != nil {
			return err
		}
	}
	g, err := prepareGrowth(ctx, dir, address, invoices)
	if err != nil {
		return err
	}
	defer g.stop()
	if err := settle(ctx, address); err != nil {
		return err
	}
	return g.measureKept(ctx, name, server)
}

// settle waits until the database is that of a service that has run for a while: the job has counted the
// invoices for the sums, and PostgreSQL has statistics, because the servers of this command have no
// automatic vacuum.
func settle(ctx context.Context, address string) (err error) {
	db, err := database.Open(ctx, database.Config{URL: address})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for waiting := true; waiting; {
		err := db.SQL.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM invoices_uncounted) OR EXISTS (SELECT 1 FROM invoice_sum_changes)").Scan(&waiting)
		if err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if db.Dialect == database.Postgres {
		_, err = db.SQL.ExecContext(ctx, "VACUUM (ANALYZE)")
	}
	return err
}

// keptRow has the times of a read, and the processor times of service and database.
type keptRow struct {
	name       string
	took, used []time.Duration
	goal       time.Duration
}

func at(d []time.Duration, share float64) time.Duration {
	sorted := slices.Sorted(slices.Values(d))
	return sorted[max(int(math.Ceil(share*float64(len(sorted))))-1, 0)]
}

func (r keptRow) String() string {
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f", milliseconds(d)) }
	return fmt.Sprintf("| %s | %s | %s | %s | %s |", r.name, ms(at(r.took, 0.5)), ms(at(r.took, 0.95)), ms(at(r.used, 0.5)), ms(at(r.used, 0.95)))
}

// measureKept prints a table of all rows, and then those with a 95th percentile above the goal: by time,
// and by processor time, which other programs change less.
func (g *grown) measureKept(ctx context.Context, name string, server int) error {
	head := "|---|---|---|---|---|"
	fmt.Printf("| %s | p50, ms | p95, ms | processor p50, ms | processor p95, ms |\n%s\n", name, head)
	var rows []keptRow
	part, err := regexp.Compile(os.Getenv("ONLY"))
	if err != nil {
		return err
	}
	for _, q := range g.keptQueries() {
		if !part.MatchString(q.name) {
			continue
		}
		goal := listGoal
		if strings.HasPrefix(q.name, "sum") {
			goal = sumGoal
		}
		r, err := g.readKept(ctx, q, goal, server)
		if err != nil {
			return err
		}
		rows = append(rows, r)
		fmt.Println(r)
	}
	for _, by := range []struct {
		what string
		of   func(keptRow) []time.Duration
	}{
		{"time", func(r keptRow) []time.Duration { return r.took }},
		{"processor time", func(r keptRow) []time.Duration { return r.used }},
	} {
		above := slices.DeleteFunc(slices.Clone(rows), func(r keptRow) bool { return at(by.of(r), 0.95) <= r.goal })
		fmt.Printf("\n%s: %d of %d rows have a p95 of %s above the goal (lists %v, sums %v)\n", name, len(above), len(rows), by.what, listGoal, sumGoal)
		for _, r := range above {
			fmt.Println(r)
		}
	}
	return nil
}

// readKept calls once before it measures.
func (g *grown) readKept(ctx context.Context, q growthQuery, goal time.Duration, server int) (keptRow, error) {
	r, calls := keptRow{name: q.name, goal: goal}, keptCalls
	if n, err := strconv.Atoi(os.Getenv("CALLS")); err == nil && n > 0 {
		calls = n
	}
	end := time.Now().Add(keptTime)
	for n := 0; n <= calls && (n <= keptLeast && time.Now().Before(end.Add(keptTime)) || time.Now().Before(end) || n < 2); n++ {
		before, began := g.used(server), time.Now()
		_, took, err := g.call(ctx, http.MethodGet, q.path, nil)
		if err != nil {
			switch {
			case strings.Contains(err.Error(), "gives more than"):
				r.name = q.name + ", refused" // a sum with too many groups, after it was added up
			case strings.Contains(err.Error(), "time limit"):
				r.name = q.name + ", ended at the time limit"
			default:
				return r, fmt.Errorf("%s: %w", q.name, err)
			}
			took = time.Since(began)
		}
		if n > 0 {
			r.took, r.used = append(r.took, took), append(r.used, g.used(server)-before)
		}
	}
	return r, nil
}

// used is the processor time of the service and of the server of the database.
func (g *grown) used(server int) time.Duration {
	used := threadsTime(g.cmd.Process.Pid)
	if server == 0 {
		return used
	}
	used += childrenTime(server)
	pids, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well-formed
	for _, file := range pids {
		var pid int
		if _, err := fmt.Sscanf(file, "/proc/%d/stat", &pid); err == nil && parentOf(pid) == server {
			used += threadsTime(pid)
		}
	}
	return used
}

// statOf returns the fields of /proc/PID/stat from the third on.
func statOf(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil // the process ended
	}
	return strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
}

func parentOf(pid int) (parent int) {
	if f := statOf(pid); len(f) > 1 {
		_, _ = fmt.Sscan(f[1], &parent)
	}
	return parent
}

// ticks is the unit of processor times in /proc.
const ticks = 10 * time.Millisecond

// childrenTime is the processor time of the children that ended.
func childrenTime(pid int) time.Duration {
	var user, system int64
	if f := statOf(pid); len(f) > 14 {
		_, _ = fmt.Sscan(f[13], &user)
		_, _ = fmt.Sscan(f[14], &system)
	}
	return time.Duration(user+system) * ticks
}

// threadsTime is the processor time of the threads of a process, more exact than in /proc/PID/stat.
func threadsTime(pid int) (used time.Duration) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid)) // the pattern is well-formed
	for _, file := range files {
		var nanoseconds int64
		if text, err := os.ReadFile(file); err == nil {
			_, _ = fmt.Sscan(string(text), &nanoseconds)
		}
		used += time.Duration(nanoseconds)
	}
	return used
}

// keptQueries are each list, filter and search in each order, each sum by one or two values, and sums with
// each filter. PAIRS=1 adds each pair of filters.
func (g *grown) keptQueries() (queries []growthQuery) {
	var filters, searches []growthQuery
	for _, q := range g.queries() {
		if strings.HasPrefix(q.path, "/api/invoices?") && !strings.HasPrefix(q.name, "sort") {
			filters = append(filters, q)
		}
		if strings.HasPrefix(q.name, "sum by `currency`, search") {
			searches = append(searches, q)
		}
	}
	for _, source := range [][2]string{{"few match", "EMAIL"}, {"most match", "UPLOAD"}} {
		filters = append(filters, growthQuery{"filter `source`, " + source[0], "/api/invoices?source=" + source[1]})
	}
	with := func(path string, key, value string) string {
		base, query, _ := strings.Cut(path, "?")
		values, err := url.ParseQuery(query)
		if err != nil {
			return path // unreachable, because Encode wrote it
		}
		values.Add(key, value)
		return base + "?" + values.Encode()
	}
	for _, f := range filters {
		queries = append(queries, f)
		for _, order := range []string{"created_at", "updated_at", "-updated_at", "issue_date", "-issue_date", "due_date", "-due_date", "gross_total", "-gross_total"} {
			queries = append(queries, growthQuery{f.name + ", by `" + order + "`", with(f.path, "sort", order)})
		}
	}
	if os.Getenv("PAIRS") == "1" {
		for i, a := range filters {
			for _, b := range filters[i+1:] {
				// Most parameters have one value.
				if _, query, _ := strings.Cut(b.path, "?"); query != "" && !sharesParameter(a.path, b.path) {
					queries = append(queries, growthQuery{a.name + " and " + b.name, a.path + "&" + query})
				}
			}
		}
	}
	keys := []string{"entity", "supplier", "status", "document_type", "currency", "month", "tax", "account"}
	sum := func(key string) growthQuery {
		return growthQuery{"sum by `" + key + "`", "/api/invoices/summary?group_by=" + key}
	}
	// The days before and after the whole months are in no group of sums.
	year := g.filled.Until.Year()
	from, to := fmt.Sprintf("%d-01-15", year-2), fmt.Sprintf("%d-12-16", year-1)
	for i, a := range keys {
		queries = append(queries, sum(a), growthQuery{sum(a).name + ", of days that are no whole months", with(with(sum(a).path, "issue_date_from", from), "issue_date_to", to)})
		for _, b := range keys[i+1:] {
			queries = append(queries, growthQuery{"sum by `" + a + "`, `" + b + "`", with(sum(a).path, "group_by", b)})
		}
	}
	for _, f := range filters[1:] {
		queries = append(queries, growthQuery{"sum by `status`, " + f.name, strings.Replace(f.path, "/api/invoices?", "/api/invoices/summary?group_by=status&", 1)})
	}
	for _, search := range searches {
		queries = append(queries, search, growthQuery{search.name + ", by `account`", with(search.path, "group_by", "account")})
	}
	return queries
}

// sharesParameter reports whether the queries of two paths have a parameter with the same name.
func sharesParameter(a, b string) bool {
	_, queryA, _ := strings.Cut(a, "?")
	_, queryB, _ := strings.Cut(b, "?")
	valuesA, errA := url.ParseQuery(queryA)
	valuesB, errB := url.ParseQuery(queryB)
	for name := range valuesB {
		if valuesA.Has(name) {
			return true
		}
	}
	return errors.Join(errA, errB) != nil // unreachable, because Encode wrote them
}
