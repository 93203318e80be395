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
	c := &cobra.Command{Use: "jobs", Short: "List, retry and cancel jobs"}
	c.AddCommand(jobsListCommand(), &cobra.Command{
		Use: "retry ID", Short: "Run a waiting job now, or restart the work of a failed or cancelled job", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return withJob(c, args[0], func(ctx context.Context, s *service.Service, id int64) error {
				r, err := s.Work.Retry(ctx, id)
				if err != nil {
					return err
				}
				return say(c, "%s %s continues as soon as a worker is free.", nounOf(r), r.Subject)
			})
		},
	}, &cobra.Command{
		Use: "cancel ID", Short: "Cancel a waiting job and end its work", Args: cobra.ExactArgs(1),
		Long: "Cancels a waiting job and ends its work, so that it is not restarted automatically: a document becomes FAILED and its original is kept, " +
			"an invoice SYNC_FAILED, an event of another system FAILED. No accepted work is lost; the output states how to continue it. " +
			"A sync cannot be cancelled after its bill was sent to the ledger.",
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
		return errors.New("ID must be an id from `docledger jobs list`")
	}
	return withService(c, func(ctx context.Context, s *service.Service) error { return do(ctx, s, id) })
}

// nounOf returns the name of a job's work.
func nounOf(r *job.Record) string {
	if k, ok := job.ByName(r.Kind); ok && r.Args != nil {
		return k.Noun
	}
	return "Job"
}

// afterCancel returns the state of a job's work after cancellation and how to continue it.
func afterCancel(r *job.Record) string {
	k, ok := job.ByName(r.Kind)
	if !ok || k.Cancelled == "" {
		return ""
	}
	return fmt.Sprintf(k.Cancelled, r.Subject)
}

func jobsListCommand() *cobra.Command {
	var f job.Filter
	var states []string
	var p page.Request
	c := &cobra.Command{
		Use: "list", Short: "List jobs, newest first; ended jobs are kept for a day", Args: cobra.NoArgs,
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
	c.Flags().StringVar(&f.Kind, "kind", "", strings.Join(job.NamesOf(func(job.Kind) bool { return true }), ", ")+"; empty for all")
	c.Flags().StringSliceVar(&states, "state", nil, "WAITING, RUNNING, RETRYING, DONE, FAILED or CANCELLED; may be repeated")
	c.Flags().IntVar(&p.Limit, "limit", page.DefaultLimit, "maximum number of jobs")
	c.Flags().StringVar(&p.After, "after", "", "continue after the value printed by an earlier list")
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
