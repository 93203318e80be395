// Command store-b certifies the simulator of DOCSTORE_B: it starts the
// simulator on a free port, installs the exact version of the provider's own
// client that package.json names, and runs it against the simulator with node.
//
//	go run ./test/cmd/certification/store-b
package main

import (
	"context"

	sim "docledger/adapter/sim/gdrive"
	"docledger/test/lib/certification"
)

const (
	clientID     = "CERTIFICATION"
	clientSecret = "certification secret"
	redirect     = "https://books.example/callback"
)

func main() { certification.Main("store-b", run) }

func run(ctx context.Context, dir string) error {
	listener, origin, err := certification.Listen()
	if err != nil {
		return err
	}
	simulated := sim.New(sim.Options{
		Origin: origin, Settings: sim.Settings{AutoApprove: true},
		Clients: []sim.Client{{ID: clientID, Secret: clientSecret, RedirectURIs: []string{redirect}}},
	})
	defer simulated.Close()
	return certification.Client{
		Vendor: "gdrive", Listener: listener, Simulator: simulated,
		Env: []string{
			"ORIGIN=" + origin, "CLIENT_ID=" + clientID, "CLIENT_SECRET=" + clientSecret, "REDIRECT=" + redirect, "ROOT=" + simulated.Root(),
			"NO_PROXY=*", "no_proxy=*",
		},
	}.Run(ctx, dir)
}
