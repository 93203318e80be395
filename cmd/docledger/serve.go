package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"docledger/cmd/service"
	"docledger/infrastructure/config"
	"docledger/infrastructure/logging"

	"github.com/spf13/cobra"
)

func serveCommand() *cobra.Command {
	var roles []string
	c := &cobra.Command{
		Use: "serve", Short: "Run the service", Args: cobra.NoArgs,
		Long: "Runs the service: the API, the workers, or both. The configuration comes from environment variables; see README.",
		RunE: func(c *cobra.Command, _ []string) error { return serve(c.Context(), roles) },
	}
	c.Flags().StringSliceVar(&roles, "role", []string{service.RoleAPI, service.RoleWorker}, "what this process does: api, worker")
	return c
}

// toolsRole is what the specification calls the role of the tool server.
const toolsRole = "tools"

func checkRoles(roles []string) error {
	for _, r := range roles {
		if r == toolsRole {
			return errors.New("the role tools needs an identity provider that issues OAuth tokens, and IDENTITY is local; leave the role out")
		}
		if r != service.RoleAPI && r != service.RoleWorker {
			return fmt.Errorf("there is no role %q; choose from api, worker", r)
		}
	}
	if len(roles) == 0 {
		return errors.New("choose at least one role: api, worker")
	}
	return nil
}

func serve(ctx context.Context, roles []string) error {
	if err := checkRoles(roles); err != nil {
		return err
	}
	cfg, err := config.FromEnvironment()
	if err != nil {
		return err
	}
	log := logging.New(os.Stderr, cfg.LogFormat, cfg.LogLevel)
	s, err := service.Open(ctx, cfg, log, service.Overrides{})
	if err != nil {
		return err
	}
	defer s.Close()
	if err := hintFirstUser(ctx, s); err != nil {
		return err
	}
	var l net.Listener
	if slices.Contains(roles, service.RoleAPI) {
		if l, err = net.Listen("tcp", cfg.Listen); err != nil {
			return fmt.Errorf("listen: %w", err)
		}
	}
	log.InfoContext(ctx, "docledger is running", "version", version, "roles", strings.Join(roles, ","), "listen", cfg.Listen)
	return s.Run(ctx, l, slices.Contains(roles, service.RoleWorker))
}

// hintFirstUser prints the commands that make the first administrator while
// nobody could sign in.
func hintFirstUser(ctx context.Context, s *service.Service) error {
	any, err := s.Organizations.HasUsers(ctx)
	if err != nil || any {
		return err
	}
	_, err = fmt.Fprintln(os.Stderr, "Nobody can sign in yet. Make the first administrator, and their organization, with:\n"+
		`  docledger user add you@example.com --admin --new-organization "Your company"`)
	return err
}
