package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"docledger/cmd/service"
	"docledger/infrastructure/config"
	"docledger/infrastructure/logging"
	"docledger/infrastructure/memlimit"

	"github.com/spf13/cobra"
)

func serveCommand() *cobra.Command {
	var roles []string
	var afterRestore bool
	c := &cobra.Command{
		Use: "serve", Short: "Run the service", Args: cobra.NoArgs,
		Long: "Runs the service: the API, the workers, the tools for assistants, or any of them. The configuration comes from environment variables; see docs/configuration.md.",
		RunE: func(c *cobra.Command, _ []string) error { return serve(c.Context(), roles, afterRestore) },
	}
	c.Flags().StringSliceVar(&roles, "role", nil, "roles of this process: api, worker, tools; default: all, the tools only if BASE_URL has no path or with an identity provider")
	c.Flags().BoolVar(&afterRestore, "after-restore", false,
		"the database was restored from a backup: nothing is synced, polled or charged, in any process and after any restart, until docledger resume")
	return c
}

func checkRoles(roles []string) error {
	for _, r := range roles {
		if r != service.RoleAPI && r != service.RoleWorker && r != service.RoleTools {
			return fmt.Errorf("unknown role %q; the roles are api, worker and tools", r)
		}
	}
	return nil
}

// configure reads the configuration for the roles. Without roles, the process has every role. Only
// the tools are left out where they would be no resource of OAuth: with own accounts and a BASE_URL
// with a path.
func configure(roles []string) (config.Config, []string, error) {
	if err := checkRoles(roles); err != nil {
		return config.Config{}, nil, err
	}
	if len(roles) > 0 {
		cfg, err := service.ConfiguredFor(roles)
		return cfg, roles, err
	}
	cfg, err := service.Configured()
	roles = []string{service.RoleAPI, service.RoleWorker}
	if base, _ := url.Parse(cfg.BaseURL); cfg.Identity.External() || base != nil && base.Path == "" {
		roles = append(roles, service.RoleTools)
	}
	return cfg, roles, err
}

// controlGroups is where the limit of the container is read. A test replaces it.
var controlGroups = memlimit.Root

func serve(ctx context.Context, roles []string, afterRestore bool) error {
	cfg, roles, err := configure(roles)
	if err != nil {
		return err
	}
	log := logging.New(os.Stderr, cfg.LogFormat, cfg.LogLevel)
	api, work, tools := slices.Contains(roles, service.RoleAPI), slices.Contains(roles, service.RoleWorker), slices.Contains(roles, service.RoleTools)
	service.LimitMemory(cfg, controlGroups, work, log)
	started := func() {
		log.InfoContext(ctx, "docledger is running", "version", version, "roles", strings.Join(roles, ","), "listen", cfg.Listen)
		// The start needs several times the memory that remains in use. Without this call, the
		// operating system gets it back only after minutes.
		go debug.FreeOSMemory()
	}
	if tools && !api && !work {
		if afterRestore {
			return errors.New("the role tools has no database to pause; start a process with the role api or worker with --after-restore first")
		}
		return serveTools(ctx, cfg, log, started)
	}
	s, err := service.Open(ctx, cfg, log, service.Overrides{Version: version})
	if err != nil {
		return err
	}
	defer s.Close()
	if err := pauseWork(ctx, s, log, afterRestore); err != nil {
		return err
	}
	if tools {
		if err := s.ServeTools(version, api); err != nil {
			return err
		}
	}
	if err := listenMetrics(cfg, s.ListenMetrics); err != nil {
		return err
	}
	if api && cfg.Email.Listen != "" {
		if _, err := s.ListenEmail(cfg.Email.Listen); err != nil {
			return err
		}
	}
	var l net.Listener
	switch {
	case api || tools:
		l, err = listen("LISTEN", cfg.Listen)
	case cfg.HealthAt != "":
		s.ServeHealth()
		l, err = listen("HEALTH_LISTEN", cfg.HealthAt)
	}
	if err != nil {
		return err
	}
	if api {
		if err := hintFirstUser(ctx, os.Stderr, s, cfg); err != nil {
			return errors.Join(err, l.Close())
		}
	}
	started()
	return s.Run(ctx, l, work)
}

// pauseWork pauses work after a restore, before any work is done, and logs the pause.
func pauseWork(ctx context.Context, s *service.Service, log *slog.Logger, afterRestore bool) error {
	if afterRestore {
		if err := s.Restore.Hold(ctx); err != nil {
			return err
		}
	}
	since, err := s.Restore.Since(ctx)
	if err == nil && !since.IsZero() {
		log.WarnContext(ctx, "work paused after a restore; run docledger resume", "since", since)
	}
	return err
}

// listen opens the address of a configuration variable.
func listen(variable, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variable, err)
	}
	return l, nil
}

func listenMetrics(cfg config.Config, at func(string) (net.Addr, error)) error {
	if cfg.MetricsListen == "" {
		return nil
	}
	_, err := at(cfg.MetricsListen)
	return err
}

// serveTools runs only the tool server.
func serveTools(ctx context.Context, cfg config.Config, log *slog.Logger, started func()) error {
	t, err := service.OpenTools(cfg, log, version)
	if err != nil {
		return err
	}
	if err := listenMetrics(cfg, t.ListenMetrics); err != nil {
		return err
	}
	l, err := listen("LISTEN", cfg.Listen)
	if err != nil {
		return err
	}
	started()
	return t.Run(ctx, l)
}

// hintFirstUser prints how to create the first administrator if no user exists yet: with the
// setup code in the web application, or with a command.
func hintFirstUser(ctx context.Context, w io.Writer, s *service.Service, cfg config.Config) error {
	open, err := s.Session.SetupOpen(ctx)
	if err != nil || !open {
		return err
	}
	_, err = fmt.Fprintf(w, "No user can sign in yet. Create the first administrator and their organization at\n"+
		"  %s/setup\nwith the setup code\n  %s\nor with the command\n"+
		"  docledger user add you@example.com --admin --new-organization \"Your company\"\n", cfg.BaseURL, s.Session.Setup.Code)
	return err
}
