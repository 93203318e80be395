// Command ledger-a certifies the simulator of ACCOUNTING_A: it starts the
// simulator on a free port, installs the exact version of the provider's
// published client that package.json names, and runs it against the simulator
// with node.
//
//	go run ./test/cmd/certification/ledger-a
package main

import (
	"context"

	sim "docledger/adapter/sim/xero"
	"docledger/test/lib/certification"
)

const (
	clientID     = "CERTIFICATION"
	clientSecret = "certification secret"
	redirect     = "https://books.example/callback"
)

func main() { certification.Main("ledger-a", run) }

func run(ctx context.Context, dir string) error {
	listener, origin, err := certification.Listen()
	if err != nil {
		return err
	}
	limits := sim.DefaultLimits()
	limits.Minute = 0 // one file asks more often than that; the tests set a limit of their own
	simulated := sim.New(sim.Options{
		Origin: origin, Limits: &limits, Settings: sim.Settings{AutoApprove: true},
		Clients: []sim.Client{{ID: clientID, Secret: clientSecret, RedirectURIs: []string{redirect}}},
	})
	return certification.Client{
		Vendor: "xero", Listener: listener, Simulator: simulated, Node: []string{"--import", "./reroute.mjs"},
		Env: []string{
			"ORIGIN=" + origin, "CLIENT_ID=" + clientID, "CLIENT_SECRET=" + clientSecret, "REDIRECT=" + redirect,
			"TAXED=" + sim.TaxedOrganization, "UNTAXED=" + sim.UntaxedOrganization, "NO_PROXY=*", "no_proxy=*",
		},
	}.Run(ctx, dir)
}
