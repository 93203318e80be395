package store

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"docledger/domain/integration"
)

// Workload describes the waiting work and its age over all organizations. It contains no ids.
type Workload struct {
	Watches      []WatchCount
	Integrations []IntegrationCount
	Grants       []GrantCount
	Inbox        []InboxCount
	// Held is the number of seconds since work was paused after a restore; 0 if it is not paused.
	Held float64
	// Meters are the recently used rate trackers by provider.
	Meters map[integration.Provider][]integration.RateTracker
}

// WatchCount counts the watched locations of a provider. Lag is the time since the least current
// one was up to date.
type WatchCount struct {
	Provider string
	Count    int
	Lag      float64 // seconds
}

// IntegrationCount counts the integrations of a provider in a status.
type IntegrationCount struct {
	Provider, Status string
	Count            int
}

// GrantCount counts the active grants of a provider. Idle is the time since the renewal of the
// oldest tokens. Expires is the time until the first access token expires, negative if one has
// expired.
type GrantCount struct {
	Provider      string
	Count         int
	Idle, Expires float64 // seconds
}

// InboxCount counts the messages of a sender that wait or failed. Age is that of the oldest.
type InboxCount struct {
	Sender, State string
	Count         int
	Age           float64 // seconds
}

// meterLife is how long a rate tracker counts as recently used; mostMeters limits the number of
// trackers that are read.
const (
	meterLife  = 10 * time.Minute
	mostMeters = 1000
)

// since is the SQL expression for the seconds from a time until its first placeholder.
func (s *Store) since(t string) string {
	if s.postgres {
		return "EXTRACT(EPOCH FROM CAST(? AS timestamptz) - " + t + ")::float8"
	}
	return "(julianday(?) - julianday(" + t + ")) * 86400"
}

// WorkloadForOperator reads the amount of waiting work.
func (s *Store) WorkloadForOperator(ctx context.Context) (w Workload, err error) {
	now := instant(s.now())
	upToDate := "w.body->>'up_to_date_at'"
	if s.postgres {
		upToDate = "CAST(w.body->>'up_to_date_at' AS timestamptz)"
	}
	for _, q := range []struct {
		into   any
		sql    string
		values []any
	}{
		{&w.Watches, "SELECT i.provider, count(*) AS count, COALESCE(max(" + s.since("COALESCE("+upToDate+", i.created_at)") + "), 0) AS lag" +
			" FROM watches AS w JOIN integrations AS i ON i.id = w.integration_id WHERE i.status = 'ACTIVE' AND w.body->>'pause' IS NULL GROUP BY i.provider", []any{now}},
		{&w.Integrations, "SELECT provider, status, count(*) AS count FROM integrations WHERE status <> 'DISCONNECTED' GROUP BY provider, status", nil},
		{&w.Grants, "SELECT provider, count(*) AS count, " + s.since("min(updated_at)") + " AS idle, -(" + s.since("min(access_expires_at)") + ") AS expires" +
			" FROM grants WHERE NOT ended GROUP BY provider", []any{now, now}},
		{&w.Inbox, "SELECT sender, state, count(*) AS count, " + s.since("min(received_at)") + " AS age FROM inbox WHERE state IN ('RECEIVED', 'FAILED') GROUP BY sender, state",
			[]any{now}},
	} {
		if err := s.handle(ctx).Raw(q.sql, q.values...).Scan(q.into).Error; err != nil {
			return Workload{}, failed("count the work", err)
		}
	}
	since, err := s.Holds().Since(ctx)
	if err != nil {
		return Workload{}, err
	}
	if !since.IsZero() {
		w.Held = max(now.Sub(since).Seconds(), 1)
	}
	w.Meters, err = s.metersInUse(ctx, now)
	return w, err
}

func (s *Store) metersInUse(ctx context.Context, now time.Time) (map[integration.Provider][]integration.RateTracker, error) {
	var rows []meterRow
	err := s.handle(ctx).Where("updated_at > ?", now.Add(-meterLife)).Order("updated_at DESC").Limit(mostMeters).Find(&rows).Error
	if err != nil {
		return nil, failed("read the meters", err)
	}
	out := map[integration.Provider][]integration.RateTracker{}
	for _, row := range rows {
		var m integration.RateTracker
		if err := json.Unmarshal([]byte(row.Body), &m); err != nil {
			return nil, failed("read a meter", err)
		}
		provider, _, _ := strings.Cut(row.Name, "|")
		out[integration.Provider(provider)] = append(out[integration.Provider(provider)], m)
	}
	return out, nil
}
