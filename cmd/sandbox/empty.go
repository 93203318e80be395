package main

import (
	"context"
	"errors"
	"net"
	"os"
	"slices"

	"docledger/adapter/email"
	"docledger/cmd/service"
	"docledger/infrastructure/logging"
)

// runEmpty runs an installation with local accounts and without users, as it is after its first
// start. The document stores and ledgers are simulated.
func runEmpty(ctx context.Context, o options, l net.Listener) (err error) {
	baseURL := "http://" + l.Addr().String()
	providers, err := startSimulators(o.autoApprove)
	if err != nil {
		return err
	}
	defer providers.Close()
	cfg, err := configured(o, baseURL, providers, map[string]string{"BILLING": "none", "IDENTITY": "local"})
	if err != nil {
		return err
	}
	s, err := service.Open(ctx, cfg, logging.New(os.Stderr, "text", o.level()), service.Overrides{Version: "sandbox", TestKeys: true, Resolver: email.NoNames{}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan struct{})
	var runErr error
	go func() {
		defer close(ended)
		runErr = s.Run(ctx, l, true)
	}()
	if err = untilReady(ctx, baseURL, ended); err == nil {
		err = printSettings(o.envFile, slices.Concat([][2]string{{"BASE_URL", baseURL}}, providers.printed(), [][2]string{
			{"SETUP_URL", baseURL + "/setup"}, {"SETUP_CODE", s.Session.Setup.Code},
		}))
	}
	if err != nil {
		cancel()
	}
	<-ended
	return errors.Join(err, runErr)
}
