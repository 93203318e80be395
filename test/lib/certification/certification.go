// Package certification runs a vendor's published client, with node, against the simulator of the
// vendor, and validates every exchange between them.
package certification

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"strings"
	"time"

	"docledger/adapter/sim/definition/definitiontest"
)

const runTimeout = 5 * time.Minute

// Main runs a certification and ends the process. name is the folder in test/cmd/certification that
// has package.json and the tests; the flag -dir names another one.
func Main(name string, run func(ctx context.Context, dir string) error) {
	dir := flag.String("dir", path.Join("test/cmd/certification", name), "folder of package.json")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	err := run(ctx, *dir)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "certification of %s: %v\n", name, err)
		os.Exit(1)
	}
}

// Listen returns a listener on a free port of this machine, and its origin.
func Listen() (net.Listener, string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", fmt.Errorf("listen: %w", err)
	}
	return listener, "http://" + listener.Addr().String(), nil
}

// Serve serves a handler until the returned function is called.
func Serve(listener net.Listener, handler http.Handler) (stop func()) {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	return func() { _ = server.Close() } // every request was answered
}

// Client is the published client of a vendor.
type Client struct {
	Vendor    string // as in package definition
	Listener  net.Listener
	Simulator http.Handler
	Env       []string // added to the environment
	Node      []string // further arguments of node, before --test
}

// Run serves the simulator, installs the exact versions of the libraries in dir, runs the tests there,
// and prints what was validated. It fails for an exchange that the vendor's definition does not have.
func (c Client) Run(ctx context.Context, dir string) error {
	watched, err := definitiontest.NewClient(c.Vendor, c.Simulator)
	if err != nil {
		return err
	}
	defer Serve(c.Listener, watched)()
	if err := command(ctx, dir, nil, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"); err != nil {
		return err
	}
	failed := command(ctx, dir, c.Env, "node", append(c.Node, "--test")...)
	return errors.Join(failed, watched.Close(os.Stdout))
}

func command(ctx context.Context, dir string, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%s is needed and not installed", name)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}
