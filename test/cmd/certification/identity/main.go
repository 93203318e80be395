// Command identity certifies the identity provider's simulator and docledger's
// webhook verifier: it starts the simulator on a free port, installs the exact
// versions of the provider's published libraries that package.json names, and
// runs them against it with node.
//
//	go run ./test/cmd/certification/identity
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"docledger/adapter/identity/clerk"
	sim "docledger/adapter/sim/clerk"
	"docledger/adapter/sim/definition/definitiontest"
)

const (
	secretKey     = "sk_test_certification"
	webhookSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	runTimeout    = 5 * time.Minute
)

func main() {
	dir := flag.String("dir", "test/cmd/certification/identity", "folder of package.json")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	err := run(ctx, *dir)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "certification of identity:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir string) error {
	provider, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	receiver, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	simulated := sim.New(options("http://" + provider.Addr().String()))
	defer simulated.Close()
	watched, err := definitiontest.NewClient("clerk", simulated)
	if err != nil {
		return err
	}
	client, err := clerk.New(clerk.Options{
		PublishableKey: simulated.PublishableKey(), SecretKey: secretKey, WebhookSecrets: []string{webhookSecret},
		APIURL: simulated.Origin(), LoopbackHTTP: true,
	})
	if err != nil {
		return err
	}
	for listener, handler := range map[net.Listener]http.Handler{provider: watched, receiver: receive(client.Webhooks)} {
		server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
		defer func() { _ = server.Close() }() // everything has been asked by then
		go func() { _ = server.Serve(listener) }()
	}
	if err := command(ctx, dir, nil, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"); err != nil {
		return err
	}
	failed := command(ctx, dir, []string{
		"ORIGIN=" + simulated.Origin(), "SECRET_KEY=" + secretKey, "PUBLISHABLE_KEY=" + simulated.PublishableKey(),
		"WEBHOOK_SECRET=" + webhookSecret, "RECEIVER=http://" + receiver.Addr().String(),
		"CLERK_TELEMETRY_DISABLED=1",
	}, "node", "--test")
	return errors.Join(failed, watched.Close(os.Stdout))
}

func options(origin string) sim.Options {
	limits := sim.DefaultLimits()
	limits.BackendRequests = 1000 // of a production instance
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return sim.Options{
		Origin: origin, SecretKey: secretKey, Limits: &limits,
		Users:         []sim.User{{ID: "user_ada", Email: "ada@example.com", Password: "ada's password", FirstName: "Ada"}},
		Organizations: []sim.Organization{{ID: "org_acme", Name: "Acme", CreatedAt: at}},
		Memberships:   []sim.Membership{{UserID: "user_ada", OrganizationID: "org_acme", Role: "org:admin", CreatedAt: at}},
		Clients:       []sim.Client{{ID: "client_assistant", Name: "Assistant", LoopbackRedirects: true}},
	}
}

// receive responds to a webhook with the data that docledger reads from it.
func receive(webhooks clerk.Webhooks) http.Handler {
	const most = 1 << 20
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		event, err := webhooks.Verify(r.Header, body, time.Now())
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_, _ = fmt.Fprintf(w, "%s %s", event, event.Organization.Name) // node reports a truncated response
	})
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
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
