package convert

import (
	"time"

	"docledger/domain/organization"
	"docledger/gen/backend"

	"github.com/oapi-codegen/nullable"
)

// ToAPIReport returns the record of a report. The times are null without a bill.
func ToAPIReport(r *organization.Report) backend.ProcessingReport {
	out := backend.ProcessingReport{
		From: r.From, To: r.To, Documents: r.Documents, Invoices: r.Invoices, Decided: r.Decided, Touchless: r.Touchless,
		Synced: r.ArrivalToSync.Count, Failures: []backend.ProcessingFailure{}, ProviderCalls: []backend.ProviderCalls{},
		MedianSeconds: nullable.NewNullNullable[float64](), NinetyPercentSeconds: nullable.NewNullNullable[float64](), LongestSeconds: nullable.NewNullNullable[float64](),
	}
	if d := r.ArrivalToSync; d.Count > 0 {
		out.MedianSeconds, out.NinetyPercentSeconds, out.LongestSeconds = seconds(d.Median), seconds(d.Ninety), seconds(d.Longest)
	}
	for _, f := range r.Failures {
		out.Failures = append(out.Failures, backend.ProcessingFailure{Stage: string(f.Stage), Reason: f.Reason, Count: f.Count})
	}
	for _, c := range r.Calls {
		out.ProviderCalls = append(out.ProviderCalls, backend.ProviderCalls{
			Provider: string(c.Provider), Account: c.Account, WindowSeconds: c.Window.Seconds(), Used: c.Used,
		})
	}
	return out
}

func seconds(d time.Duration) nullable.Nullable[float64] {
	return nullable.NewNullableWithValue(d.Seconds())
}
