package main

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"time"

	quickbookssim "docledger/adapter/sim/quickbooks"
	xerosim "docledger/adapter/sim/xero"
)

// providerClientID and providerSecret are what the simulated providers of
// integrations and the service know of each other; all are on the loopback address alone.
const (
	providerClientID = "docledger-sandbox"
	providerSecret   = "sandbox-secret"
)

// simulator is a provider of integrations on this machine. It remembers nothing
// of an earlier run.
type simulator struct {
	url    string
	server *http.Server
}

// simulate serves a provider that is told where it answers.
func simulate(name string, make func(origin string) http.Handler) (*simulator, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for %s: %w", name, err)
	}
	s := &simulator{url: "http://" + l.Addr().String()}
	s.server = &http.Server{Handler: make(s.url), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.server.Serve(l) }() // ends with Close
	return s, nil
}

// Close ends the simulator at once.
func (s *simulator) Close() { _ = s.server.Close() }

// ledgers are the simulated accounting providers, each with two organizations.
type ledgers struct {
	a, b *simulator
}

func startLedgers(autoApprove bool) (*ledgers, error) {
	a, err := simulate("ACCOUNTING_A", func(origin string) http.Handler {
		return xerosim.New(xerosim.Options{
			Origin:   origin,
			Clients:  []xerosim.Client{{ID: providerClientID, Name: "docledger", Secret: providerSecret, LoopbackRedirects: true}},
			Settings: xerosim.Settings{AutoApprove: autoApprove},
		})
	})
	if err != nil {
		return nil, err
	}
	b, err := simulate("ACCOUNTING_B", func(origin string) http.Handler {
		return quickbookssim.New(quickbookssim.Options{
			Origin:   origin,
			Clients:  []quickbookssim.Client{{ID: providerClientID, Name: "docledger", Secret: providerSecret, LoopbackRedirects: true}},
			Settings: quickbookssim.Settings{AutoApprove: autoApprove},
		})
	})
	if err != nil {
		a.Close()
		return nil, err
	}
	return &ledgers{a: a, b: b}, nil
}

// environment is what the service is configured with.
func (l *ledgers) environment() map[string]string {
	out := map[string]string{}
	for provider, s := range map[string]*simulator{"ACCOUNTING_A": l.a, "ACCOUNTING_B": l.b} {
		maps.Copy(out, providerEnvironment(provider, s))
	}
	return out
}

// providerEnvironment is what the service is told of a simulated provider.
func providerEnvironment(provider string, s *simulator) map[string]string {
	return map[string]string{
		provider + "_CLIENT_ID": providerClientID, provider + "_CLIENT_SECRET": providerSecret, provider + "_URL": s.url,
	}
}

// Close ends the ledgers.
func (l *ledgers) Close() {
	l.a.Close()
	l.b.Close()
}
