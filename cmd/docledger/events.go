package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"docledger/cmd/service"
	"docledger/domain/inbox"
	"docledger/domain/page"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func eventsCommand() *cobra.Command {
	c := &cobra.Command{Use: "events", Short: "List and replay events of other systems"}
	c.AddCommand(eventsListCommand(), &cobra.Command{
		Use: "replay ID", Short: "Process an event again, regardless of its state", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			id, err := uuid.Parse(args[0])
			if err != nil {
				return errors.New("ID must be an id from `docledger events list`")
			}
			return withService(c, func(ctx context.Context, s *service.Service) error {
				if err := s.Inbox.Replay(ctx, id); err != nil {
					return err
				}
				return say(c, "A worker will process event %s again.", id)
			})
		},
	})
	return c
}

func eventsListCommand() *cobra.Command {
	var sender, after string
	var states []string
	p := page.Request{}
	c := &cobra.Command{
		Use: "list", Short: "List events, newest first", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := eventFilter(sender, states)
			if err != nil {
				return err
			}
			if p.Limit < 1 || p.Limit > page.MaxLimit {
				return fmt.Errorf("--limit must be from 1 to %d", page.MaxLimit)
			}
			p.After = after
			return withService(c, func(ctx context.Context, s *service.Service) error { return listEvents(ctx, c, s, f, p) })
		},
	}
	c.Flags().StringVar(&sender, "sender", "", "payments or identity; empty for both")
	c.Flags().StringSliceVar(&states, "state", nil, "RECEIVED, DONE, IGNORED or FAILED; may be repeated")
	c.Flags().IntVar(&p.Limit, "limit", page.MaxLimit, "maximum number of events")
	c.Flags().StringVar(&after, "after", "", "continue after the value printed by an earlier list")
	return c
}

func eventFilter(sender string, states []string) (inbox.Filter, error) {
	f := inbox.Filter{Sender: inbox.Sender(sender)}
	if sender != "" && !f.Sender.Valid() {
		return f, errors.New("--sender must be payments or identity")
	}
	for _, name := range states {
		state := inbox.State(strings.ToUpper(name))
		switch state {
		case inbox.Received, inbox.Done, inbox.Ignored, inbox.Failed:
		default:
			return f, errors.New("--state must be RECEIVED, DONE, IGNORED or FAILED")
		}
		f.States = append(f.States, state)
	}
	return f, nil
}

func listEvents(ctx context.Context, c *cobra.Command, s *service.Service, f inbox.Filter, p page.Request) error {
	found, err := s.Inbox.List(ctx, f, p)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tSENDER\tEVENT\tTYPE\tRECEIVED\tSTATE\tTRIES\tFAILURE")
	for _, m := range found.Items {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\n", m.ID, m.Sender, cell(m.EventID), cell(m.Type),
			m.ReceivedAt.Format(time.RFC3339), m.State, m.Attempts, cell(m.Failure))
	}
	if err := w.Flush(); err != nil || found.Next == "" {
		return err
	}
	_, err = fmt.Fprintf(c.ErrOrStderr(), "There are more: --after %s\n", found.Next)
	return err
}
