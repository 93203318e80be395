package main

import (
	"docledger/cmd/service"
	"docledger/infrastructure/database"

	"github.com/spf13/cobra"
)

func backupCommand() *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Copy the embedded database to FILE while it is in use", Args: cobra.ExactArgs(1),
		Long: "Copies the embedded database to FILE while it is in use. The copy is a consistent snapshot. " +
			"Copy the documents afterwards. Documents never change, so a later copy contains everything that the database refers to. Back up PostgreSQL with its own tools; see docs/runbook.md.",
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := configuredDatabase()
			if err != nil {
				return err
			}
			if err := database.BackUp(c.Context(), service.DatabaseConfig(cfg), args[0]); err != nil {
				return err
			}
			return say(c, "The database is copied. Now copy the documents, and store the keys in another location.")
		},
	}
}
