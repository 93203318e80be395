// Command conformance runs the official suite of the protocol: its server
// scenarios of both generations and its authorization scenarios. It starts the
// tool server of the product with the additional tools of the scenarios and the
// simulated identity provider. The suite sends no token, so its requests go
// through a proxy that only adds one.
//
//	go run ./test/cmd/conformance
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"docledger/adapter/identity/clerk"
	sim "docledger/adapter/sim/clerk"
	"docledger/adapter/toolserver"
	"docledger/adapter/toolserver/oauth"
)

const (
	clientID   = "client_conformance"
	runTimeout = 10 * time.Minute
)

// revisions are the revisions whose required server scenarios must pass, except
// for the lists in expected-failures.
var revisions = []string{"2025-11-25", "2026-07-28"}

func main() {
	dir := flag.String("dir", "test/cmd/conformance", "folder of package.json")
	serve := flag.Bool("serve", false, "serve until interrupted, and run nothing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	err := run(ctx, *dir, *serve)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// world is all running servers.
type world struct {
	base  string // of the tool server
	proxy string // which adds the token
}

func run(ctx context.Context, dir string, serve bool) error {
	w, err := start(ctx)
	if err != nil {
		return err
	}
	if serve {
		fmt.Println(w.base, w.proxy)
		<-ctx.Done()
		return nil
	}
	suite, err := install(ctx, dir)
	if err != nil {
		return err
	}
	var failed []error
	for _, revision := range revisions {
		failed = append(failed, suite.server(ctx, w.proxy+oauth.ResourcePath, revision))
	}
	return errors.Join(append(failed, suite.authorization(ctx, w.base))...)
}

func start(ctx context.Context) (world, error) {
	identity, provider, err := listen()
	if err != nil {
		return world{}, err
	}
	people := sim.New(sim.Options{
		Origin: provider, Settings: sim.Settings{AutoApprove: true, OmitIssuer: true},
		Users:         []sim.User{{ID: "user_1", Email: "ada@example.com", Password: "password"}},
		Organizations: []sim.Organization{{ID: "org_1", Name: "Example"}},
		Memberships:   []sim.Membership{{UserID: "user_1", OrganizationID: "org_1"}},
		Clients:       []sim.Client{{ID: clientID, Name: "conformance", LoopbackRedirects: true}},
	})
	answer(identity, people)
	listener, base, err := listen()
	if err != nil {
		return world{}, err
	}
	verifier, issuer, err := clerk.NewVerifier(clerk.Options{PublishableKey: people.PublishableKey(), ClientID: clientID, LoopbackHTTP: true})
	if err != nil {
		return world{}, err
	}
	go verifier.Run(ctx)
	server, err := toolserver.New(toolserver.Options{
		OAuth: oauth.Config{
			BaseURL: base, Issuer: issuer, ClientID: clientID, AuthMethod: "none",
			Scopes: []string{"profile", "email", "user:org:read"}, Now: time.Now,
		},
		Backend: base, Version: "conformance", Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Verify: func(ctx context.Context, bearer string) (toolserver.Caller, error) {
			claims, err := verifier.Verify(ctx, bearer, time.Now())
			return toolserver.Caller{Subject: claims.Subject}, err
		},
		Extension: fixtures(),
	})
	if err != nil {
		return world{}, err
	}
	answer(listener, server)
	token, err := people.AccessToken("user_1", "org_1", clientID, sim.TokenOptions{})
	if err != nil {
		return world{}, err
	}
	proxy, err := adding(base, token)
	return world{base: base, proxy: proxy}, err
}

// adding starts a proxy that adds the token and changes nothing else, including
// the Host.
func adding(base, token string) (string, error) {
	target, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	l, address, err := listen()
	if err != nil {
		return "", err
	}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}}
	answer(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Otherwise a response that arrives before the end of the request is noticed closes the
		// request, and with it the connection that the response is read from.
		_ = http.NewResponseController(w).EnableFullDuplex()
		proxy.ServeHTTP(w, r)
	}))
	return address, nil
}

func listen() (net.Listener, string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", fmt.Errorf("listen: %w", err)
	}
	return l, "http://" + l.Addr().String(), nil
}

// answer serves until the process ends.
func answer(l net.Listener, h http.Handler) {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(l) }()
}

// cli is the path of the suite in its folder.
var cli = filepath.Join("node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
