package main

import (
	"docledger/cmd/service"
	"docledger/infrastructure/database"

	"github.com/spf13/cobra"
)

func backupCommand() *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Copy the embedded database to FILE while it is used", Args: cobra.ExactArgs(1),
		Long: "Copies the embedded database to FILE, as it stands at one moment, while it is used. " +
			"Copy the documents after it: they never change, so that a later copy has all that the database names. PostgreSQL is backed up by its own tools; see docs/runbook.md.",
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := service.Configured()
			if err != nil {
				return err
			}
			if err := database.BackUp(c.Context(), service.DatabaseConfig(cfg), args[0]); err != nil {
				return err
			}
			return say(c, "The database is copied. Copy the documents now, and the keys to another place.")
		},
	}
}
