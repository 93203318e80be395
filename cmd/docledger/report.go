package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"docledger/cmd/service"
	"docledger/domain/organization"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func reportCommand() *cobra.Command {
	var days int
	var asJSON bool
	c := &cobra.Command{
		Use: "report ID", Short: "Show how well the processing of an organization works", Args: cobra.ExactArgs(1),
		Long: "Prints, for the documents that arrived in the last days: how many invoices were approved without a person (touchless), the time from " +
			"arrival to sync, the failures by reason, and the calls to each connected account in the longest window that its provider limits.",
		RunE: func(c *cobra.Command, args []string) error {
			id, err := uuid.Parse(args[0])
			if err != nil {
				return errors.New("ID must be an id from `docledger organization list`")
			}
			return withService(c, func(ctx context.Context, s *service.Service) error {
				o, r, err := s.Organizations.Report(ctx, id, days)
				if err != nil {
					return err
				}
				if asJSON {
					return writeReportJSON(c.OutOrStdout(), o, r)
				}
				return writeReport(c.OutOrStdout(), o, r)
			})
		},
	}
	c.Flags().IntVar(&days, "days", 30, "length of the period")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func writeReport(out io.Writer, o *organization.Organization, r *organization.Report) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintf(w, "organization\t%s\t%s\n", cell(o.Name), o.ID)
	fmt.Fprintf(w, "period\t%s\t%s\n", r.From.Format(time.RFC3339), r.To.Format(time.RFC3339))
	fmt.Fprintf(w, "documents\t%d\t%d invoices\n", r.Documents, r.Invoices)
	rate := "no invoice is decided"
	if percent, ok := r.TouchlessPercent(); ok {
		rate = fmt.Sprintf("%.1f %% of %d decided", percent, r.Decided)
	}
	fmt.Fprintf(w, "touchless\t%d\t%s\n", r.Touchless, rate)
	times := "no bill"
	if d := r.ArrivalToSync; d.Count > 0 {
		times = fmt.Sprintf("median %s, 90 %% within %s, longest %s", short(d.Median), short(d.Ninety), short(d.Longest))
	}
	fmt.Fprintf(w, "arrival to sync\t%d\t%s\n", r.ArrivalToSync.Count, times)
	for _, f := range r.Failures {
		fmt.Fprintf(w, "failed %s\t%d\t%s\n", f.Stage, f.Count, cell(f.Reason))
	}
	for _, c := range r.Calls {
		fmt.Fprintf(w, "calls %s\t%d\tin %s, account %s\n", c.Provider, c.Used, short(c.Window), cell(c.Account))
	}
	return w.Flush()
}

// short rounds a duration to what a person reads.
func short(d time.Duration) time.Duration {
	if d >= time.Minute {
		return d.Round(time.Second)
	}
	return d.Round(time.Millisecond)
}

type failureLine struct {
	Stage  organization.Stage `json:"stage"`
	Reason string             `json:"reason"`
	Count  int                `json:"count"`
}

type callsLine struct {
	Provider string  `json:"provider"`
	Account  string  `json:"account"`
	Window   float64 `json:"window_seconds"`
	Used     int     `json:"used"`
}

func writeReportJSON(out io.Writer, o *organization.Organization, r *organization.Report) error {
	line := struct {
		ID        uuid.UUID     `json:"organization_id"`
		From      time.Time     `json:"from"`
		To        time.Time     `json:"to"`
		Documents int           `json:"documents"`
		Invoices  int           `json:"invoices"`
		Decided   int           `json:"decided"`
		Touchless int           `json:"touchless"`
		Percent   *float64      `json:"touchless_percent"`
		Synced    int           `json:"synced"`
		Median    float64       `json:"arrival_to_sync_median_seconds"`
		Ninety    float64       `json:"arrival_to_sync_p90_seconds"`
		Longest   float64       `json:"arrival_to_sync_longest_seconds"`
		Failures  []failureLine `json:"failures"`
		Calls     []callsLine   `json:"calls"`
	}{
		o.ID, r.From, r.To, r.Documents, r.Invoices, r.Decided, r.Touchless, nil, r.ArrivalToSync.Count,
		r.ArrivalToSync.Median.Seconds(), r.ArrivalToSync.Ninety.Seconds(), r.ArrivalToSync.Longest.Seconds(), []failureLine{}, []callsLine{},
	}
	if percent, ok := r.TouchlessPercent(); ok {
		line.Percent = &percent
	}
	for _, f := range r.Failures {
		line.Failures = append(line.Failures, failureLine(f))
	}
	for _, c := range r.Calls {
		line.Calls = append(line.Calls, callsLine{string(c.Provider), c.Account, c.Window.Seconds(), c.Used})
	}
	return json.NewEncoder(out).Encode(line)
}
