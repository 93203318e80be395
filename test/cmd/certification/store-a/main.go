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
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"time"

	"docledger/adapter/sim/definition/definitiontest"
	sim "docledger/adapter/sim/msgraph"
)

const (
	apiHost      = "graph.microsoft.com"
	contentHost  = "contoso.sharepoint.com"
	clientID     = "CERTIFICATION"
	clientSecret = "certification secret"
	redirect     = "https://books.example/callback"
	runTimeout   = 5 * time.Minute
)

func main() {
	dir := flag.String("dir", "test/cmd/certification/store-a", "folder of package.json")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	err := run(ctx, *dir)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "certification of store A:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	limits := sim.DefaultLimits()
	limits.MinuteUnits = 0 // the tests set a limit of their own
	simulated := sim.New(sim.Options{
		Origin: "https://" + apiHost, ContentOrigin: "https://" + contentHost, Limits: &limits,
		Settings: sim.Settings{AutoApprove: true, ReadOnlySubscriptions: true}, LoopbackNotifications: true,
		Clients: []sim.Client{{ID: clientID, Secret: clientSecret, RedirectURIs: []string{redirect}}},
	})
	defer simulated.Close()
	watched, err := definitiontest.NewClient("msgraph", simulated)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: watched, ReadHeaderTimeout: 10 * time.Second}
	defer func() { _ = server.Close() }() // everything has been asked by then
	go func() { _ = server.Serve(listener) }()
	if err := command(ctx, dir, nil, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"); err != nil {
		return err
	}
	failed := command(ctx, dir, []string{
		"ORIGIN=http://" + listener.Addr().String(), "SIMULATED=" + strings.Join([]string{apiHost, contentHost}, ","),
		"CLIENT_ID=" + clientID, "CLIENT_SECRET=" + clientSecret, "REDIRECT=" + redirect,
		"SITE=" + sim.DefaultSite, "DRIVE=" + sim.DefaultDrive, "NO_PROXY=*", "no_proxy=*",
	}, "node", "--import", "./reroute.mjs", "--test")
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
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
