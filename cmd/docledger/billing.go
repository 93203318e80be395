package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"docledger/cmd/service"
	"docledger/usecase/billing"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func billingCommand() *cobra.Command {
	c := &cobra.Command{Use: "billing", Short: "Explain the plans of organizations"}
	c.AddCommand(&cobra.Command{
		Use: "explain ORGANIZATION", Short: "Show an organization's plan, limits and usage, each with its source and event", Args: cobra.ExactArgs(1),
		Long: "Reads the organization's plan from its source. For each part, it shows the source\n" +
			"and the event of another system that caused it. It changes nothing.",
		RunE: func(c *cobra.Command, args []string) error {
			id, err := uuid.Parse(args[0])
			if err != nil {
				return errors.New("ORGANIZATION must be an id from `docledger organization list`")
			}
			return withService(c, func(ctx context.Context, s *service.Service) error {
				e, err := s.Explainer.Explain(ctx, id)
				if err != nil {
					return err
				}
				return printExplanation(c, e)
			})
		},
	})
	return c
}

func printExplanation(c *cobra.Command, e *billing.Explanation) error {
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', 0)
	fmt.Fprintf(w, "organization\t%s\t%s\n\n", cell(e.Organization.Name), e.Organization.ID)
	fmt.Fprintln(w, "WHAT\tVALUE\tSOURCE\tDETAIL\tEVENT")
	for _, f := range e.Facts {
		event := "-"
		if f.Event != nil {
			event = fmt.Sprintf("%s %s %s", plain(f.Event.Type), plain(f.Event.ID), f.Event.OccurredAt.Format(time.RFC3339))
		}
		detail := f.Detail
		if detail == "" {
			detail = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", f.Name, plain(f.Value), f.Source, plain(detail), event)
	}
	return w.Flush()
}
