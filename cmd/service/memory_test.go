package service

import (
	"bytes"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"docledger/adapter/httpapi/edge"
	"docledger/infrastructure/config"
)

// TestSharesOfTheMemoryForBodies verifies which part of the budget an organization, a caller of tools,
// an address and all requests without a credential have.
func TestSharesOfTheMemoryForBodies(t *testing.T) {
	t.Parallel()
	const total = 1600
	m := newBodyMemory(config.Config{BodyMemory: total})
	type lease interface {
		Grow(n int64) bool
		Release()
	}
	// fill grows leases of 10 bytes until one is refused, and returns what they have together.
	var leased []lease
	fill := func(of func() lease) (sum int64) {
		for sum <= 2*total {
			l := of()
			if !l.Grow(10) {
				return sum
			}
			leased = append(leased, l)
			sum += 10
		}
		return sum
	}
	address := func(key string) func() lease {
		return func() lease { return m.api(edge.Origin{Key: key, Anonymous: true}) }
	}
	organization := func(key string) func() lease { return func() lease { return m.api(edge.Origin{Key: key}) } }
	for _, c := range []struct {
		who  string
		of   func() lease
		want int64
	}{
		{"an address", address("192.0.2.1"), total / 16},
		{"another address", address("192.0.2.2"), total / 16},
		{"a third address", address("192.0.2.3"), total / 16},
		{"a fourth address", address("192.0.2.4"), total / 16},
		{"an address when the others use the share of all", address("192.0.2.5"), 0},
		{"an organization", organization("organization:1"), total / 2},
		{"a caller of tools", func() lease { return m.tools("user_1") }, total / 4},
		{"another organization when all is used", organization("organization:2"), 0},
	} {
		if got := fill(c.of); got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.who, got, c.want)
		}
	}
	for _, l := range leased {
		l.Release()
	}
	if used := m.budget.Used(); used != 0 {
		t.Errorf("%d bytes are still used", used)
	}
	if got := fill(func() lease { return m.tools("user_2") }); got != total/4 {
		t.Errorf("a caller of tools alone: %d bytes", got)
	}
}

// TestMemoryLimitOfTheContainer does not run in parallel, because the limit is that of the process.
func TestMemoryLimitOfTheContainer(t *testing.T) {
	before := debug.SetMemoryLimit(math.MaxInt64)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "memory.max"), []byte("4294967296\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const tenth = int64(4<<30) / 10
	for _, c := range []struct {
		work bool
		want int64
	}{{false, 4<<30 - tenth}, {true, 4<<30 - tenth - 3*childMemory}} {
		debug.SetMemoryLimit(math.MaxInt64)
		var said bytes.Buffer
		LimitMemory(config.Config{ExtractorProcs: 3}, root, c.work, slog.New(slog.NewTextHandler(&said, nil)))
		if got := debug.SetMemoryLimit(-1); got != c.want || !strings.Contains(said.String(), "memory limit set") {
			t.Errorf("work %t: the limit is %d, want %d; %s", c.work, got, c.want, said.String())
		}
	}
	LimitMemory(config.Config{}, root, false, slog.New(slog.DiscardHandler))
	if got := debug.SetMemoryLimit(-1); got != 4<<30-tenth-3*childMemory {
		t.Errorf("a limit that is set was changed to %d", got)
	}
}
