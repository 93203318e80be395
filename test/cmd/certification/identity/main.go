// Command identity certifies the identity provider's simulator and docledger's
// webhook verifier: it starts the simulator on a free port, installs the exact
// versions of the provider's published libraries that package.json names, and
// runs them against it with node.
//
//	go run ./test/cmd/certification/identity
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"docledger/adapter/identity/clerk"
	sim "docledger/adapter/sim/clerk"
	"docledger/test/lib/certification"
)

const (
	secretKey     = "sk_test_certification"
	webhookSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
)

func main() { certification.Main("identity", run) }

func run(ctx context.Context, dir string) error {
	provider, origin, err := certification.Listen()
	if err != nil {
		return err
	}
	receiver, receiving, err := certification.Listen()
	if err != nil {
		return err
	}
	simulated := sim.New(options(origin))
	defer simulated.Close()
	client, err := clerk.New(clerk.Options{
		PublishableKey: simulated.PublishableKey(), SecretKey: secretKey, WebhookSecrets: []string{webhookSecret},
		APIURL: simulated.Origin(), LoopbackHTTP: true,
	})
	if err != nil {
		return err
	}
	defer certification.Serve(receiver, receive(client.Webhooks))()
	return certification.Client{
		Vendor: "clerk", Listener: provider, Simulator: simulated,
		Env: []string{
			"ORIGIN=" + simulated.Origin(), "SECRET_KEY=" + secretKey, "PUBLISHABLE_KEY=" + simulated.PublishableKey(),
			"WEBHOOK_SECRET=" + webhookSecret, "RECEIVER=" + receiving, "CLERK_TELEMETRY_DISABLED=1",
		},
	}.Run(ctx, dir)
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
		_, _ = fmt.Fprintf(w, "%s %s", event, event.Organization.ID) // node reports a truncated response
	})
}
