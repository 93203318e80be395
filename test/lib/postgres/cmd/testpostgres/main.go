// Command testpostgres runs a command with a private PostgreSQL server and sets
// DOCLEDGER_TEST_POSTGRES_URL to it:
//
//	go run ./test/lib/postgres/cmd/testpostgres -- go test ./...
//
// It installs PostgreSQL if the machine has none. If the variable is already set, it
// uses that server.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"docledger/test/lib/postgres"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "testpostgres:", err)
	}
	os.Exit(code)
}

func run(args []string) (code int, err error) {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return 2, errors.New("usage: testpostgres -- COMMAND [ARGUMENT…]")
	}
	if os.Getenv(postgres.EnvURL) == "" {
		ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer cancel()
		bin, err := postgres.Provide(ctx, os.Stderr)
		if err != nil {
			return 1, err
		}
		server, err := postgres.Start(ctx, bin)
		if err != nil {
			return 1, err
		}
		defer func() { err = errors.Join(err, server.Stop()) }()
		if err := os.Setenv(postgres.EnvURL, server.URL); err != nil {
			return 1, err
		}
	}
	return execute(args)
}

// execute runs the command and forwards signals to it. The terminal sends its
// signals to both, and this process must outlive the command to stop the
// server.
func execute(args []string) (int, error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return 1, fmt.Errorf("start %s: %w", args[0], err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			_ = cmd.Process.Signal(s) // the process may have ended
		case err := <-done:
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				return max(exit.ExitCode(), 1), nil
			}
			if err != nil {
				return 1, fmt.Errorf("run %s: %w", args[0], err)
			}
			return 0, nil
		}
	}
}
