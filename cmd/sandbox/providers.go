package main

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"time"

	gdrivesim "docledger/adapter/sim/gdrive"
	msgraphsim "docledger/adapter/sim/msgraph"
	quickbookssim "docledger/adapter/sim/quickbooks"
	xerosim "docledger/adapter/sim/xero"
)

// providerClientID and providerSecret are the OAuth client of the service at every
// simulator. All of them are on the loopback address alone.
const (
	providerClientID = "docledger-sandbox"
	providerSecret   = "sandbox-secret"
)

// simulated lists the simulators of providers of integrations: the code of the
// provider, the name under which the sandbox prints the address, and the function
// that makes the simulator. end may be nil.
var simulated = []struct {
	code, printed string
	make          func(origin string, autoApprove bool) (handler http.Handler, end func(), err error)
}{
	{"ACCOUNTING_A", "XERO_URL", simulateXero},
	{"ACCOUNTING_B", "QUICKBOOKS_URL", simulateQuickbooks},
	{"DOCSTORE_A", "MSGRAPH_URL", simulateMsgraph},
	{"DOCSTORE_B", "GDRIVE_URL", simulateGdrive},
}

// simulateXero has two organizations.
func simulateXero(origin string, autoApprove bool) (http.Handler, func(), error) {
	return xerosim.New(xerosim.Options{
		Origin:   origin,
		Clients:  []xerosim.Client{{ID: providerClientID, Name: "docledger", Secret: providerSecret, LoopbackRedirects: true}},
		Settings: xerosim.Settings{AutoApprove: autoApprove},
	}), nil, nil
}

// simulateQuickbooks has two companies.
func simulateQuickbooks(origin string, autoApprove bool) (http.Handler, func(), error) {
	return quickbookssim.New(quickbookssim.Options{
		Origin:   origin,
		Clients:  []quickbookssim.Client{{ID: providerClientID, Name: "docledger", Secret: providerSecret, LoopbackRedirects: true}},
		Settings: quickbookssim.Settings{AutoApprove: autoApprove},
	}), nil, nil
}

// simulateMsgraph has a site "Books" with the library "Documents".
func simulateMsgraph(origin string, autoApprove bool) (http.Handler, func(), error) {
	sim := msgraphsim.New(msgraphsim.Options{
		Origin: origin, LoopbackNotifications: true,
		Clients:  []msgraphsim.Client{{ID: providerClientID, Name: "docledger", Secret: providerSecret, LoopbackRedirects: true}},
		Settings: msgraphsim.Settings{AutoApprove: autoApprove, ReadOnlySubscriptions: true},
	})
	return sim, sim.Close, nil
}

// simulateGdrive has a folder "Company" with the folder "Invoices".
func simulateGdrive(origin string, autoApprove bool) (http.Handler, func(), error) {
	sim := gdrivesim.New(gdrivesim.Options{
		Origin:   origin,
		Clients:  []gdrivesim.Client{{ID: providerClientID, Name: "docledger", Secret: providerSecret, LoopbackRedirects: true}},
		Settings: gdrivesim.Settings{AutoApprove: autoApprove},
	})
	company, err := sim.AddFolder("", "Company")
	if err == nil {
		_, err = sim.AddFolder(company, "Invoices")
	}
	return sim, sim.Close, err
}

// simulators are the running simulators. They keep nothing of an earlier run.
type simulators struct {
	urls map[string]string // by the provider's code
	ends []func()
}

func startSimulators(autoApprove bool) (*simulators, error) {
	s := &simulators{urls: map[string]string{}}
	for _, p := range simulated {
		if err := s.start(p.code, autoApprove, p.make); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// start serves a simulator, which knows its own address.
func (s *simulators) start(code string, autoApprove bool, make func(string, bool) (http.Handler, func(), error)) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for %s: %w", code, err)
	}
	s.urls[code] = "http://" + l.Addr().String()
	handler, end, err := make(s.urls[code], autoApprove)
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	s.ends = append(s.ends, func() { _ = server.Close() })
	if end != nil {
		s.ends = append(s.ends, end)
	}
	if err != nil {
		_ = l.Close()
		return fmt.Errorf("simulate %s: %w", code, err)
	}
	go func() { _ = server.Serve(l) }() // ends with Close
	return nil
}

// environment configures the service. It polls document stores often, because
// people who try it do not want to wait.
func (s *simulators) environment() map[string]string {
	out := map[string]string{"POLL_INTERVAL": "2s"}
	for code, url := range s.urls {
		maps.Copy(out, map[string]string{code + "_CLIENT_ID": providerClientID, code + "_CLIENT_SECRET": providerSecret, code + "_URL": url})
	}
	return out
}

// printed lists the addresses by the names under which the sandbox prints them.
func (s *simulators) printed() (out [][2]string) {
	for _, p := range simulated {
		out = append(out, [2]string{p.printed, s.urls[p.code]})
	}
	return out
}

// Close ends the simulators at once.
func (s *simulators) Close() {
	for _, end := range s.ends {
		end()
	}
}
