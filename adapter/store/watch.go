package store

import (
	"context"
	"errors"
	"time"

	"docledger/domain/docstore"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/watch"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

type watchRow struct {
	IntegrationID  uuid.UUID `gorm:"primaryKey"`
	OrganizationID uuid.UUID
	Run            int64
	NextPollAt     time.Time
	Woken          bool
	Cursor         string
	Body           jsonOf[watchJSON]
}

// TableName implements gorm's tabler.
func (watchRow) TableName() string { return "watches" }

type watchJSON struct {
	Source       string               `json:"source"`
	SubSource    string               `json:"sub_source"`
	Directories  []watchDirectoryJSON `json:"directories,omitempty"`
	Account      string               `json:"account,omitempty"`
	Listing      watchListingJSON     `json:"listing,omitzero"`
	Epoch        int64                `json:"epoch"`
	Enumerating  bool                 `json:"enumerating,omitempty"`
	CaughtUp     bool                 `json:"caught_up,omitempty"`
	LastPollAt   time.Time            `json:"last_poll_at,omitzero"`
	UpToDateAt   time.Time            `json:"up_to_date_at,omitzero"`
	Failures     int                  `json:"failures,omitempty"`
	Pause        watch.Pause          `json:"pause,omitempty"`
	FilesSeen    int64                `json:"files_seen"`
	FilesTakenIn int64                `json:"files_taken_in"`
	SubscribeAt  time.Time            `json:"subscribe_at,omitzero"`
	Refusal      watchRefusalJSON     `json:"refusal,omitzero"`
}

type watchRefusalJSON struct {
	Code    string `json:"code"`
	Message string `json:"message,omitempty"`
	Lasting bool   `json:"lasting,omitempty"`
}

type watchListingJSON struct {
	Folder string `json:"folder"`
	Cursor string `json:"cursor"`
}

type watchDirectoryJSON struct {
	Path    string   `json:"path"`
	Folders []string `json:"folders,omitempty"`
}

func (r watchRow) fromRow() watch.Watch {
	b := r.Body.V
	return watch.Watch{
		IntegrationID: r.IntegrationID, OrganizationID: r.OrganizationID, Run: r.Run, Cursor: r.Cursor, NextPollAt: instant(r.NextPollAt),
		Woken:       r.Woken,
		Place:       docstore.Location{Source: b.Source, SubSource: b.SubSource},
		Directories: mapped(b.Directories, func(d watchDirectoryJSON) watch.Directory { return watch.Directory(d) }),
		Account:     b.Account, Listing: watch.Listing(b.Listing),
		Epoch: b.Epoch, Enumerating: b.Enumerating, CaughtUp: b.CaughtUp, LastPollAt: b.LastPollAt, UpToDateAt: b.UpToDateAt,
		Failures: b.Failures, Pause: b.Pause, FilesSeen: b.FilesSeen, FilesTakenIn: b.FilesTakenIn,
		SubscribeAt: b.SubscribeAt, Refusal: watch.Refusal(b.Refusal),
	}
}

func toWatchRow(w *watch.Watch) watchRow {
	return watchRow{
		IntegrationID: w.IntegrationID, OrganizationID: w.OrganizationID, Run: w.Run, Cursor: clean(w.Cursor), NextPollAt: instant(w.NextPollAt),
		Body: jsonOf[watchJSON]{watchJSON{
			Source: w.Place.Source, SubSource: w.Place.SubSource,
			Directories: mapped(w.Directories, func(d watch.Directory) watchDirectoryJSON { return watchDirectoryJSON(d) }),
			Account:     w.Account, Listing: watchListingJSON(w.Listing),
			Epoch: w.Epoch, Enumerating: w.Enumerating, CaughtUp: w.CaughtUp, LastPollAt: instant(w.LastPollAt), UpToDateAt: instant(w.UpToDateAt),
			Failures: w.Failures, Pause: w.Pause, FilesSeen: w.FilesSeen, FilesTakenIn: w.FilesTakenIn,
			SubscribeAt: instant(w.SubscribeAt), Refusal: watchRefusalJSON{clean(w.Refusal.Code), clean(w.Refusal.Message), w.Refusal.Lasting},
		}},
	}
}

// Watches implements watch.Repository.
type Watches struct{ s *Store }

// Get implements watch.Repository.
func (r Watches) Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*watch.Watch, error) {
	seen := r.s.within(r.s.db.Table("integrations").Select("integrations.id"), "integrations", s)
	var row watchRow
	if err := r.s.handle(ctx).Take(&row, "integration_id = ? AND integration_id IN (?)", id, seen).Error; err != nil {
		return nil, found("watch", err)
	}
	w := row.fromRow()
	return &w, nil
}

// Wake implements watch.Repository.
func (r Watches) Wake(ctx context.Context, i *integration.Integration, at time.Time) error {
	err := r.s.handle(ctx).Exec(`INSERT INTO watches (integration_id, organization_id, run, next_poll_at, cursor, body) VALUES (?, ?, 0, ?, '', '{}')
		ON CONFLICT (integration_id) DO UPDATE SET woken = TRUE,
		next_poll_at = CASE WHEN watches.next_poll_at > excluded.next_poll_at THEN excluded.next_poll_at ELSE watches.next_poll_at END
		WHERE NOT watches.woken OR watches.next_poll_at > excluded.next_poll_at`,
		i.ID, i.OrganizationID, instant(at)).Error
	return failed("wake the watch", err)
}

// DueForPolling implements watch.Repository.
func (r Watches) DueForPolling(ctx context.Context, now time.Time, limit int) ([]watch.Due, error) {
	var due []watch.Due
	err := r.s.handle(ctx).Table("watches AS w").Select("w.organization_id, w.integration_id").
		Joins("JOIN integrations AS i ON i.id = w.integration_id").
		Where("w.next_poll_at <= ? AND (i.status = ? OR i.status = ? AND i.reason = ?)",
			instant(now), integration.Active, integration.Failed, integration.AccessLost).
		Order("w.next_poll_at").Limit(limit).Scan(&due).Error
	return due, failed("look for watches that are due", err)
}

// Claim implements watch.Repository.
func (r Watches) Claim(ctx context.Context, d watch.Due) (*watch.Watch, error) {
	var rows []watchRow
	err := r.s.handle(ctx).Raw(`UPDATE watches SET run = run + 1, woken = FALSE WHERE integration_id = ? AND organization_id = ? RETURNING *`,
		d.IntegrationID, d.OrganizationID).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return nil, failed("claim the watch", err)
	}
	w := rows[0].fromRow()
	return &w, nil
}

// Update implements watch.Repository.
func (r Watches) Update(ctx context.Context, d watch.Due, run int64, change func(*watch.Watch) error) (w *watch.Watch, err error) {
	err = r.s.inOne(ctx, func(ctx context.Context) error {
		var row watchRow
		err := r.s.handle(ctx).Clauses(lock).Take(&row, "integration_id = ? AND organization_id = ?", d.IntegrationID, d.OrganizationID).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return watch.ErrSuperseded
		}
		if err != nil {
			return failed("read the watch", err)
		}
		there := row.fromRow()
		if err := there.CheckFence(run); err != nil {
			return err
		}
		if err := change(&there); err != nil {
			return err
		}
		row, w = toWatchRow(&there), &there
		return failed("store the watch", save(r.s.handle(ctx), &row, "organization_id", "run", "woken"))
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

type watchVersionRow struct {
	IntegrationID uuid.UUID `gorm:"primaryKey"`
	ItemID        string    `gorm:"primaryKey"`
	Version       string    `gorm:"primaryKey"`
	DocumentID    uuid.UUID
	CreatedAt     time.Time `gorm:"autoCreateTime:false"`
}

// TableName implements gorm's tabler.
func (watchVersionRow) TableName() string { return "watch_versions" }

// WatchVersions implements watch.Versions.
type WatchVersions struct{ s *Store }

// DocumentOf implements watch.Versions.
func (r WatchVersions) DocumentOf(ctx context.Context, v watch.Version) (uuid.UUID, error) {
	var rows []watchVersionRow
	err := r.s.handle(ctx).Find(&rows, "integration_id = ? AND item_id = ? AND version = ?", v.IntegrationID, clean(v.Item), clean(v.Version)).Error
	if err != nil || len(rows) == 0 {
		return uuid.Nil, failed("look for the version", err)
	}
	return rows[0].DocumentID, nil
}

// Add implements watch.Versions.
func (r WatchVersions) Add(ctx context.Context, v watch.Version, document uuid.UUID, at time.Time) error {
	row := watchVersionRow{
		IntegrationID: v.IntegrationID, ItemID: clean(v.Item), Version: clean(v.Version), DocumentID: document, CreatedAt: instant(at),
	}
	return failed("store the version", r.s.handle(ctx).Create(&row).Error)
}
