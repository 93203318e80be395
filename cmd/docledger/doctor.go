package main

import (
	"fmt"
	"text/tabwriter"

	"docledger/cmd/service"
	"docledger/infrastructure/config"

	"github.com/spf13/cobra"
)

func doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check the installation and say what to do about what is wrong", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := config.FromEnvironment()
			if err != nil {
				return err
			}
			return report(c, service.Diagnose(c.Context(), cfg))
		},
	}
}

func report(c *cobra.Command, findings []service.Finding) error {
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', 0)
	var failed error
	for _, f := range findings {
		state := "ok"
		if f.Err != nil {
			state, failed = "FAILED", errSilent
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.Subject, state, f.Detail())
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return failed
}
