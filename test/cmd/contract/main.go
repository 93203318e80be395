// Command contract tests the running service against its published
// specification. It starts the sandbox, seeds an organization with records in
// every state, calls each operation with values generated from the specification
// and from real ids, and validates every response. It prints the responses of each
// operation by status. It fails for a deviation, for an operation with too few
// successes, and for an unknown route that answers like an unknown id.
//
//	go run ./test/cmd/contract -sandbox bin/sandbox
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	sandbox := flag.String("sandbox", filepath.Join("bin", "sandbox"), "the sandbox's binary")
	o := options{}
	flag.IntVar(&o.calls, "calls", 30, "how many successful calls of each operation to attempt")
	flag.IntVar(&o.edges, "edges", 15, "how many boundary values, and how many single faults, of each operation to send")
	flag.Uint64Var(&o.seed, "seed", 1, "the seed of the generated requests")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	if err := start(ctx, *sandbox, o); err != nil {
		fmt.Fprintln(os.Stderr, "contract:", err)
		stop()
		os.Exit(1)
	}
}

// start tests a sandbox that it starts itself.
func start(ctx context.Context, binary string, o options) error {
	service, err := startSandbox(ctx, binary)
	if err != nil {
		return fmt.Errorf("start the sandbox: %w", err)
	}
	defer service.stop()
	r, err := run(ctx, service.env, o)
	if r != nil {
		r.print(os.Stdout)
	}
	return err
}
