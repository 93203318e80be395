package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"docledger/cmd/service"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func organizationID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return id, errors.New("ID must be an id from `docledger organization list`")
	}
	return id, nil
}

func exportCommand() *cobra.Command {
	return &cobra.Command{
		Use: "export ID FILE", Short: "Write everything of an organization to FILE, a ZIP archive", Args: cobra.ExactArgs(2),
		Long: "Writes the records, events and originals of an organization to FILE while the installation is in use. The records are a consistent snapshot. " +
			"The archive has one file of JSON lines for each kind of record, the originals named by their SHA-256, and manifest.json. It contains no passwords, keys and tokens.",
		RunE: func(c *cobra.Command, args []string) error {
			id, err := organizationID(args[0])
			if err != nil {
				return err
			}
			cfg, err := configuredDatabase()
			if err != nil {
				return err
			}
			m, err := service.Export(c.Context(), cfg, id, args[1], version)
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', 0)
			for _, r := range m.Records {
				if r.Rows > 0 {
					fmt.Fprintf(w, "%s\t%d\n", r.Table, r.Rows)
				}
			}
			fmt.Fprintf(w, "originals\t%d\t%d bytes\n", m.Originals.Files, m.Originals.Bytes)
			if err := w.Flush(); err != nil {
				return err
			}
			if m.Originals.Missing > 0 {
				return fmt.Errorf("%s is written, but %d originals are missing in the blob store; manifest.json names the first of them", args[1], m.Originals.Missing)
			}
			return say(c, "Written to %s. It contains personal data: keep it secret.", args[1])
		},
	}
}

func eraseCommand() *cobra.Command {
	var name string
	c := &cobra.Command{
		Use: "erase ID --confirm NAME", Short: "Erase an organization with everything that belongs to it", Args: cobra.ExactArgs(1),
		Long: "Erases the records, originals, cached values and consents of an organization, and the accounts of users without another organization. " +
			"This cannot be undone: export the organization first. An erasure that was interrupted continues when the command is repeated. " +
			"A legal hold of an entity prevents it. Backups and the data at providers, the identity provider and the payment processor are not changed. See docs/runbook.md.",
		RunE: func(c *cobra.Command, args []string) error {
			id, err := organizationID(args[0])
			if err != nil {
				return err
			}
			return withService(c, func(ctx context.Context, s *service.Service) error {
				done, failure := s.Erasure.Organization(ctx, id, name)
				if done == nil {
					return failure
				}
				w := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', 0)
				for _, table := range slices.Sorted(maps.Keys(done.Counts)) {
					fmt.Fprintf(w, "%s\t%d\n", table, done.Counts[table])
				}
				if err := w.Flush(); err != nil {
					return err
				}
				for _, l := range done.Left {
					fmt.Fprintf(c.OutOrStdout(), "%s: %s. Remove the connection at the provider.\n", l.Provider, l.Reason)
				}
				if done.PaymentCustomerID != "" {
					fmt.Fprintf(c.OutOrStdout(), "The customer %s remains at the payment processor. End its subscription there.\n", done.PaymentCustomerID)
				}
				return errors.Join(failure, say(c, "Organization %s was erased by %s at %s.", id, done.Actor, done.FinishedAt.Format(time.RFC3339)))
			})
		},
	}
	c.Flags().StringVar(&name, "confirm", "", "the name of the organization")
	cobra.CheckErr(c.MarkFlagRequired("confirm"))
	return c
}

func userEraseCommand() *cobra.Command {
	var confirm string
	c := &cobra.Command{
		Use: "erase EMAIL|ID --confirm EMAIL|ID", Short: "Erase an account; events keep only its id", Args: cobra.ExactArgs(1),
		Long: "Deletes the name, address, password, memberships, roles, assignments and sessions of a user. Events keep only the id of the user. " +
			"An account of the identity provider is named by its id. Delete it at the identity provider first, or it is stored again at the next sign-in.",
		RunE: func(c *cobra.Command, args []string) error {
			return withService(c, func(ctx context.Context, s *service.Service) error {
				u, failure := s.Erasure.User(ctx, args[0], confirm)
				if u == nil {
					return failure
				}
				return errors.Join(failure, say(c, "The account %s was erased.", u.ID))
			})
		},
	}
	c.Flags().StringVar(&confirm, "confirm", "", "the e-mail address or id again")
	cobra.CheckErr(c.MarkFlagRequired("confirm"))
	return c
}
