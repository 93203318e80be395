package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"docledger/cmd/service"
	"docledger/domain/job"
	"docledger/domain/page"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func jobsCommand() *cobra.Command {
	c := &cobra.Command{Use: "jobs", Short: "Look at the work that waits, hurry it or end it"}
	c.AddCommand(jobsListCommand(), &cobra.Command{
		Use: "retry ID", Short: "Run a job now that waits, or begin anew what failed or was cancelled", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return withJob(c, args[0], func(ctx context.Context, s *service.Service, id int64) error {
				r, err := s.Work.Retry(ctx, id)
				if err != nil {
					return err
				}
				return say(c, "%s %s goes on, as soon as a worker is free.", nounOf(r), r.Subject)
			})
		},
	}, &cobra.Command{
		Use: "cancel ID", Short: "End a job that waits, with what it is for", Args: cobra.ExactArgs(1),
		Long: "Ends a job that waits, with what it is for, so that nothing begins it again by itself: a document becomes FAILED with its original kept, " +
			"an invoice SYNC_FAILED, an event of another system FAILED. Nothing that was taken in is lost, and the answer says how each goes on after all. " +
			"A bill of which the ledger was told already can't be cancelled.",
		RunE: func(c *cobra.Command, args []string) error {
			return withJob(c, args[0], func(ctx context.Context, s *service.Service, id int64) error {
				r, err := s.Work.Cancel(ctx, id)
				if err != nil {
					return err
				}
				return say(c, "Job %d is cancelled. %s", id, afterCancel(r))
			})
		},
	})
	return c
}

func withJob(c *cobra.Command, text string, do func(context.Context, *service.Service, int64) error) error {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 {
		return errors.New("ID must be one that `docledger jobs list` shows")
	}
	return withService(c, func(ctx context.Context, s *service.Service) error { return do(ctx, s, id) })
}

// nounOf names what a job is about.
func nounOf(r *job.Record) string {
	switch r.Args.(type) {
	case job.ExtractDocument:
		return "Reading document"
	case job.SyncInvoice:
		return "Booking invoice"
	case job.ProcessEvent:
		return "Event"
	case job.PollStore:
		return "Polling the place of integration"
	}
	return "Job"
}

// afterCancel says what became of what a job was for, and how it goes on.
func afterCancel(r *job.Record) string {
	switch r.Args.(type) {
	case job.ExtractDocument:
		return fmt.Sprintf("Document %s is kept and FAILED, unless it has its invoice from before: extract it with force, or retry this job, to have it read.", r.Subject)
	case job.SyncInvoice:
		return fmt.Sprintf("Invoice %s is SYNC_FAILED, and the ledger was told nothing: sync it again, or retry this job, to have it booked.", r.Subject)
	case job.ProcessEvent:
		return fmt.Sprintf("Its event is kept and FAILED: docledger events replay %s carries it out.", r.Subject)
	}
	return ""
}

func jobsListCommand() *cobra.Command {
	var f job.Filter
	var states []string
	var p page.Request
	c := &cobra.Command{
		Use: "list", Short: "List jobs, newest first; those that ended are kept for a day", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			for _, name := range states {
				state := job.State(strings.ToUpper(name))
				if !slices.Contains(job.States(), state) {
					return fmt.Errorf("--state must be one of %v", job.States())
				}
				f.States = append(f.States, state)
			}
			if p.Limit < 1 || p.Limit > page.MaxLimit {
				return fmt.Errorf("--limit must be from 1 to %d", page.MaxLimit)
			}
			return withService(c, func(ctx context.Context, s *service.Service) error { return listJobs(ctx, c, s, f, p) })
		},
	}
	c.Flags().StringVar(&f.Kind, "kind", "", "extract_document, sync_invoice, process_event, poll_store or periodic; empty for all")
	c.Flags().StringSliceVar(&states, "state", nil, "WAITING, RUNNING, RETRYING, DONE, FAILED or CANCELLED; may be repeated")
	c.Flags().IntVar(&p.Limit, "limit", page.DefaultLimit, "most jobs to list")
	c.Flags().StringVar(&p.After, "after", "", "go on where an earlier list says that there is more")
	return c
}

func listJobs(ctx context.Context, c *cobra.Command, s *service.Service, f job.Filter, p page.Request) error {
	found, err := s.Work.List(ctx, f, p)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tKIND\tSTATE\tORGANIZATION\tSUBJECT\tAGE\tDUE\tTRIES\tFAILURE")
	now := time.Now()
	for _, r := range found.Items {
		organization, due := "", ""
		if r.Organization != uuid.Nil {
			organization = r.Organization.String()
		}
		if r.State.Open() {
			due = r.DueAt.Format(time.RFC3339)
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\n", r.ID, cell(r.Kind), r.State, organization, cell(r.Subject),
			now.Sub(r.CreatedAt).Round(time.Second), due, r.Attempts, cell(r.Failure))
	}
	if err := w.Flush(); err != nil || found.Next == "" {
		return err
	}
	_, err = fmt.Fprintf(c.ErrOrStderr(), "There are more: --after %s\n", found.Next)
	return err
}
