// Command store-a certifies the simulator of DOCSTORE_A: it starts the
// simulator on a free port, installs the exact version of the provider's
// published client that package.json names, and runs it against the simulator
// with node. The client takes its tokens to the provider's own hosts alone, so
// that the simulator goes by their names.
//
//	go run ./test/cmd/certification/store-a
package main

import (
	"context"
	"strings"

	sim "docledger/adapter/sim/msgraph"
	"docledger/test/lib/certification"
)

const (
	apiHost      = "graph.microsoft.com"
	contentHost  = "contoso.sharepoint.com"
	clientID     = "CERTIFICATION"
	clientSecret = "certification secret"
	redirect     = "https://books.example/callback"
)

func main() { certification.Main("store-a", run) }

func run(ctx context.Context, dir string) error {
	listener, origin, err := certification.Listen()
	if err != nil {
		return err
	}
	limits := sim.DefaultLimits()
	limits.MinuteUnits = 0 // the tests set a limit of their own
	simulated := sim.New(sim.Options{
		Origin: "https://" + apiHost, ContentOrigin: "https://" + contentHost, Limits: &limits,
		Settings: sim.Settings{AutoApprove: true, ReadOnlySubscriptions: true}, LoopbackNotifications: true,
		Clients: []sim.Client{{ID: clientID, Secret: clientSecret, RedirectURIs: []string{redirect}}},
	})
	defer simulated.Close()
	return certification.Client{
		Vendor: "msgraph", Listener: listener, Simulator: simulated, Node: []string{"--import", "./reroute.mjs"},
		Env: []string{
			"ORIGIN=" + origin, "SIMULATED=" + strings.Join([]string{apiHost, contentHost}, ","),
			"CLIENT_ID=" + clientID, "CLIENT_SECRET=" + clientSecret, "REDIRECT=" + redirect,
			"SITE=" + sim.DefaultSite, "DRIVE=" + sim.DefaultDrive, "NO_PROXY=*", "no_proxy=*",
		},
	}.Run(ctx, dir)
}
