package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"docledger/cmd/service"
	"docledger/domain/integration"
	"docledger/infrastructure/config"

	"github.com/spf13/cobra"
)

func doctorCommand() *cobra.Command {
	var x service.DiagnoseOptions
	var party string
	c := &cobra.Command{
		Use: "doctor", Short: "Check the installation and report problems with their remedies", Args: cobra.NoArgs,
		Long: "Checks the installation from this machine: database, schema, clock, documents, keys, secrets, Redis, third parties and the PDF reader. " +
			"It changes nothing, except that it stores a few bytes with the documents. The exit status is 1 if a check fails; warnings do not change it.",
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, roles, err := configure(x.Roles)
			var problems config.Error
			if errors.As(err, &problems) {
				return misconfigured(c, problems)
			}
			if err != nil {
				return err
			}
			if party != "" {
				return diagnoseParty(c, cfg, party)
			}
			x.Roles = roles
			return report(c, service.Diagnose(c.Context(), cfg, x))
		},
	}
	c.Flags().StringSliceVar(&x.Roles, "role", nil, "check the requirements of a process with these roles: api, worker, tools; default: all")
	c.Flags().BoolVar(&x.Deep, "deep", false, "also read every document and verify its hash, and compare every invoice with the tables invoice_weeks and invoice_sources, for example after a restore")
	c.Flags().StringVar(&party, "provider", "", "make the first calls to one third party and print its own words: "+strings.Join(service.Parties(), ", "))
	return c
}

// diagnoseParty checks one third party.
func diagnoseParty(c *cobra.Command, cfg config.Config, party string) error {
	switch {
	case !slices.Contains(service.Parties(), party):
		return fmt.Errorf("there is no provider %q; the providers are %s", party, strings.Join(service.Parties(), ", "))
	case party == service.PartyPayments, party == service.PartyIdentity:
		return report(c, service.DiagnoseParty(c.Context(), cfg, party))
	}
	return withService(c, func(ctx context.Context, s *service.Service) error {
		return report(c, s.DiagnoseProvider(ctx, integration.Provider(party)))
	})
}

// misconfigured reports the configuration problems that prevent all other checks.
func misconfigured(c *cobra.Command, problems config.Error) error {
	var findings []service.Finding
	for _, p := range problems {
		findings = append(findings, service.Finding{Subject: p.Variable, Err: errors.New(p.Reason), Remedy: "see docs/configuration.md or .env.example"})
	}
	return report(c, findings)
}

func report(c *cobra.Command, findings []service.Finding) error {
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "CHECK\tSTATE\tDETAIL")
	var failed error
	var todo []service.Finding
	for _, f := range findings {
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.Subject, f.State(), f.Detail())
		if f.Err != nil {
			failed = errSilent
		}
		if f.Err != nil || f.Warning != "" {
			todo = append(todo, f)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(todo) > 0 {
		fmt.Fprintln(c.OutOrStdout(), "\nWhat to do:")
	}
	for _, f := range todo {
		if _, err := fmt.Fprintf(c.OutOrStdout(), "  %s: %s\n", f.Subject, f.Remedy); err != nil {
			return err
		}
	}
	return failed
}
