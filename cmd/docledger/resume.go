package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"docledger/cmd/service"
	"docledger/usecase/restore"

	"github.com/spf13/cobra"
)

func resumeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "resume", Short: "Let work go on after a restore", Args: cobra.NoArgs,
		Long: "Ends what `docledger serve --after-restore` began. First every consent of a provider's account is renewed, " +
			"since a provider that has given newer tokens after the backup may refuse those in it: the list says which integrations must be connected again. " +
			"Then bookings, watched places, events of other systems and charges go on, in every process, within seconds. " +
			"Don't run it on a copy beside the installation that the backup is of: it would take that one's tokens away and do its work twice.",
		RunE: func(c *cobra.Command, _ []string) error {
			return withService(c, func(ctx context.Context, s *service.Service) error {
				since, err := s.Restore.Since(ctx)
				if err != nil {
					return err
				}
				if since.IsZero() {
					return say(c, "Nothing is held: work goes on as it is.")
				}
				trials, err := s.Restore.Resume(ctx)
				if err != nil {
					return err
				}
				if err := showTrials(c, trials); err != nil {
					return err
				}
				return say(c, "Work goes on. It was held since %s.", since.Format(time.RFC3339))
			})
		},
	}
}

// showTrials lists each integration with what became of its consent.
func showTrials(c *cobra.Command, trials []restore.GrantCheck) error {
	if len(trials) == 0 {
		return nil
	}
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "CONSENT\tPROVIDER\tORGANIZATION\tENTITY\tINTEGRATION\tRESULT\tDETAIL")
	reconnect := 0
	for _, t := range trials {
		if t.Outcome != restore.Works && t.Outcome != restore.Unreachable {
			reconnect++
		}
		for _, i := range t.Integrations {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", t.Grant.ID, t.Grant.Provider, t.Grant.OrganizationID, i.EntityID, i.ID, t.Outcome, plain(t.Detail))
		}
		if len(t.Integrations) == 0 {
			fmt.Fprintf(w, "%s\t%s\t%s\t\t\t%s\t%s\n", t.Grant.ID, t.Grant.Provider, t.Grant.OrganizationID, t.Outcome, plain(t.Detail))
		}
	}
	if err := w.Flush(); err != nil || reconnect == 0 {
		return err
	}
	return say(c, "%d consent(s) no longer work: an administrator connects these integrations again, and what waits for them goes on by itself.", reconnect)
}
