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
		Use: "resume", Short: "Resume work after a restore", Args: cobra.NoArgs,
		Long: "Ends the pause that `docledger serve --after-restore` started. First it renews every grant, " +
			"because a provider that issued newer tokens after the backup may refuse those in it. The list shows which integrations must be connected again. " +
			"Then syncs, polls, events of other systems and charges resume in every process within seconds. " +
			"Do not run it on a copy while the original installation runs: the copy would invalidate the original's tokens and do its work twice.",
		RunE: func(c *cobra.Command, _ []string) error {
			return withService(c, func(ctx context.Context, s *service.Service) error {
				since, err := s.Restore.Since(ctx)
				if err != nil {
					return err
				}
				if since.IsZero() {
					return say(c, "Work is not paused.")
				}
				checks, err := s.Restore.Resume(ctx)
				if err != nil {
					return err
				}
				if err := showGrantChecks(c, checks); err != nil {
					return err
				}
				return say(c, "Work resumed. It was paused since %s.", since.Format(time.RFC3339))
			})
		},
	}
}

// showGrantChecks lists each integration with the result of its grant check.
func showGrantChecks(c *cobra.Command, checks []restore.GrantCheck) error {
	if len(checks) == 0 {
		return nil
	}
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "CONSENT\tPROVIDER\tORGANIZATION\tENTITY\tINTEGRATION\tRESULT\tDETAIL")
	reconnect := 0
	for _, t := range checks {
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
	return say(c, "%d grant(s) no longer work. After an administrator connects these integrations again, their waiting work resumes automatically.", reconnect)
}
