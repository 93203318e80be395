// Command certification tests the simulators and the adapters with software of
// the vendors. The published client libraries call the simulators unchanged,
// and the official mock validates the requests of the adapter. It needs npm,
// node and the Go module proxy.
//
//	go run ./test/cmd/certification
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"docledger/adapter/sim/definition/definitiontest"
	sim "docledger/adapter/sim/stripe"
)

const (
	secretKey     = "sk_test_certification"
	webhookSecret = "whsec_certification"
)

// parts are the certifications by name.
var parts = []struct {
	name string
	run  func(ctx context.Context, dir string) error
}{
	{"stripe", certifyStripe},
	{"stripe-mock", certifyRequests},
}

func main() {
	dir := flag.String("dir", filepath.Join("test", "cmd", "certification"), "folder of package.json and the tests")
	only := flag.String("only", "", "the one part to run: stripe or stripe-mock")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var failed error
	for _, part := range parts {
		if *only != "" && *only != part.name {
			continue
		}
		fmt.Println("== certify", part.name)
		if err := part.run(ctx, *dir); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", part.name, err))
		}
	}
	if failed != nil {
		fmt.Fprintln(os.Stderr, "certification:", failed)
		os.Exit(1)
	}
}

// certifyStripe runs the Node.js library of the processor with its simulator.
func certifyStripe(ctx context.Context, dir string) error {
	if err := run(ctx, dir, nil, "npm", "ci", "--no-audit", "--no-fund", "--omit-lockfile-registry-resolved"); err != nil {
		return fmt.Errorf("install the libraries: %w", err)
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	limits := sim.DefaultLimits()
	limits.RequestsPerSecond = 0
	limits.WebhookRetries = nil
	inbox := "http://127.0.0.1:" + strconv.Itoa(port)
	processor := sim.New(sim.Options{
		Account: sim.ReadyAccount(), SecretKeys: []string{secretKey}, Limits: &limits,
		Endpoints: []sim.Endpoint{
			{URL: inbox, Secrets: []string{"whsec_next", webhookSecret}},
			{URL: inbox, Secrets: []string{webhookSecret}, APIVersion: sim.VersionBasil},
		},
	})
	defer processor.Close()
	watched, err := definitiontest.NewClient("stripe", processor)
	if err != nil {
		return err
	}
	watched.Expect("POST /v1/customers: form has no field nmae") // a test sends it and expects the refusal
	server := httptest.NewServer(watched)
	defer server.Close()
	tests, err := filepath.Glob(filepath.Join(dir, "payment", "*.test.mjs"))
	if err != nil || len(tests) == 0 {
		return errors.Join(errors.New("there are no tests"), err)
	}
	args := []string{"--test", "--test-reporter=spec"}
	for _, test := range tests {
		args = append(args, filepath.Join("payment", filepath.Base(test)))
	}
	failed := run(ctx, dir, []string{
		"STRIPE_URL=" + server.URL, "STRIPE_SECRET_KEY=" + secretKey, "WEBHOOK_SECRET=" + webhookSecret, "WEBHOOK_PORT=" + strconv.Itoa(port),
	}, "node", args...)
	return errors.Join(failed, watched.Close(os.Stdout))
}

func run(ctx context.Context, dir string, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}

// freePort returns a port that is currently free.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// answers waits until an address responds.
func answers(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			return resp.Body.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s does not respond: %w", url, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}
