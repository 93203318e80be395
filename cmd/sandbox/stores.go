package main

import (
	"maps"
	"net/http"

	gdrivesim "docledger/adapter/sim/gdrive"
	msgraphsim "docledger/adapter/sim/msgraph"
)

// stores are the simulated document stores. A has a site "Books" with the
// library "Documents" in it, B a folder "Company" with the folder "Invoices".
type stores struct {
	a, b  *simulator
	close []func()
}

func startStores(autoApprove bool) (*stores, error) {
	s := &stores{}
	for _, start := range []func(bool) error{s.startA, s.startB} {
		if err := start(autoApprove); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

func (s *stores) startA(autoApprove bool) (err error) {
	var sim *msgraphsim.Server
	s.a, err = simulate("DOCSTORE_A", func(origin string) http.Handler {
		sim = msgraphsim.New(msgraphsim.Options{
			Origin: origin, LoopbackNotifications: true,
			Clients:  []msgraphsim.Client{{ID: providerClientID, Name: "docledger", Secret: providerSecret, LoopbackRedirects: true}},
			Settings: msgraphsim.Settings{AutoApprove: autoApprove},
		})
		return sim
	})
	if err == nil {
		s.close = append(s.close, s.a.Close, sim.Close)
	}
	return err
}

func (s *stores) startB(autoApprove bool) (err error) {
	var sim *gdrivesim.Server
	s.b, err = simulate("DOCSTORE_B", func(origin string) http.Handler {
		sim = gdrivesim.New(gdrivesim.Options{
			Origin:   origin,
			Clients:  []gdrivesim.Client{{ID: providerClientID, Name: "docledger", Secret: providerSecret, LoopbackRedirects: true}},
			Settings: gdrivesim.Settings{AutoApprove: autoApprove},
		})
		return sim
	})
	if err != nil {
		return err
	}
	s.close = append(s.close, s.b.Close, sim.Close)
	company, err := sim.AddFolder("", "Company")
	if err == nil {
		_, err = sim.AddFolder(company, "Invoices")
	}
	return err
}

// environment is what the service is configured with. Changes are looked for
// often, as whoever tries things out does not want to wait.
func (s *stores) environment() map[string]string {
	out := map[string]string{"POLL_INTERVAL": "2s"}
	maps.Copy(out, providerEnvironment("DOCSTORE_A", s.a))
	maps.Copy(out, providerEnvironment("DOCSTORE_B", s.b))
	return out
}

// Close ends the stores.
func (s *stores) Close() {
	for _, end := range s.close {
		end()
	}
}
