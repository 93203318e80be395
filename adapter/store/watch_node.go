package store

import (
	"context"
	"encoding/binary"
	"time"

	"docledger/domain/docstore"
	"docledger/domain/page"
	"docledger/domain/watch"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"
)

type watchNodeRow struct {
	IntegrationID uuid.UUID `gorm:"primaryKey"`
	ItemID        string    `gorm:"primaryKey"`
	ParentID      string
	Name          string
	Version       string
	Hash          string
	SizeBytes     int64
	MediaType     string
	WebURL        string
	ModifiedAt    *time.Time
	Folder        bool
	Top           bool
	Linked        bool
	Removed       bool
	Epoch         int64
	Listed        bool
	State         watch.State
	Reason        watch.Reason
	DoneVersion   string
	Attempts      int
	NextAt        time.Time
	SkippedAt     *time.Time
}

// TableName implements gorm's tabler.
func (watchNodeRow) TableName() string { return "watch_nodes" }

func (r watchNodeRow) fromRow() watch.Node {
	return watch.Node{
		Item: docstore.Item{
			ID: r.ItemID, Parent: r.ParentID, Name: r.Name, Version: r.Version, Hash: r.Hash, Size: r.SizeBytes, MediaType: r.MediaType,
			WebURL: r.WebURL, ModifiedAt: fromOptionalTime(r.ModifiedAt), Folder: r.Folder, Top: r.Top, Linked: r.Linked,
		},
		Removed: r.Removed, Epoch: r.Epoch, Listed: r.Listed, State: r.State, Reason: r.Reason, DoneVersion: r.DoneVersion,
		Attempts: r.Attempts, NextAt: instant(r.NextAt), SkippedAt: fromOptionalTime(r.SkippedAt),
	}
}

func toWatchNodeRow(integration uuid.UUID, n *watch.Node) watchNodeRow {
	return watchNodeRow{
		IntegrationID: integration, ItemID: clean(n.ID), ParentID: clean(n.Parent), Name: clean(n.Name), Version: clean(n.Version),
		Hash: clean(n.Hash), SizeBytes: n.Size, MediaType: clean(n.MediaType), WebURL: clean(n.WebURL), ModifiedAt: optionalTime(n.ModifiedAt),
		Folder: n.Folder, Top: n.Top, Linked: n.Linked, Removed: n.Removed, Epoch: n.Epoch, Listed: n.Listed, State: n.State, Reason: n.Reason,
		DoneVersion: clean(n.DoneVersion), Attempts: n.Attempts, NextAt: instant(n.NextAt),
		SkippedAt: optionalTime(n.SkippedAt),
	}
}

// WatchNodes implements watch.Nodes and watch.NodeSets.
type WatchNodes struct{ s *Store }

// Folders implements watch.Nodes.
func (r WatchNodes) Folders(ctx context.Context, integration uuid.UUID) ([]watch.Node, error) {
	var rows []watchNodeRow
	err := r.s.handle(ctx).Where("integration_id = ? AND folder AND NOT removed", integration).Find(&rows).Error
	return mapped(rows, watchNodeRow.fromRow), failed("read the folders", err)
}

// Some implements watch.Nodes.
func (r WatchNodes) Some(ctx context.Context, integration uuid.UUID, ids []string) (map[string]watch.Node, error) {
	found := make(map[string]watch.Node, len(ids))
	for from := 0; from < len(ids); from += batch {
		part := mapped(ids[from:min(from+batch, len(ids))], clean)
		var rows []watchNodeRow
		err := r.s.handle(ctx).Where("integration_id = ? AND item_id IN ?", integration, part).Find(&rows).Error
		if err != nil {
			return nil, failed("read items", err)
		}
		for _, row := range rows {
			found[row.ItemID] = row.fromRow()
		}
	}
	return found, nil
}

// Put implements watch.Nodes.
func (r WatchNodes) Put(ctx context.Context, integration uuid.UUID, nodes []watch.Node) error {
	if len(nodes) == 0 {
		return nil
	}
	rows := make([]watchNodeRow, len(nodes))
	for i := range nodes {
		rows[i] = toWatchNodeRow(integration, &nodes[i])
	}
	err := r.s.handle(ctx).Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "integration_id"}, {Name: "item_id"}}, UpdateAll: true,
	}).CreateInBatches(&rows, batch).Error
	return failed("store items", err)
}

// Wanted implements watch.Nodes.
func (r WatchNodes) Wanted(ctx context.Context, integration uuid.UUID, now time.Time, limit int) ([]watch.Node, error) {
	var rows []watchNodeRow
	// The state is a literal, so that the database can use the partial index.
	err := r.s.handle(ctx).Where("integration_id = ? AND state = 'WANTED' AND next_at <= ?", integration, instant(now)).
		Order("next_at, item_id").Limit(limit).Find(&rows).Error
	return mapped(rows, watchNodeRow.fromRow), failed("look for files to take in", err)
}

// Waiting implements watch.Nodes.
func (r WatchNodes) Waiting(ctx context.Context, integration uuid.UUID) (int, error) {
	var n int64
	err := r.s.handle(ctx).Model(&watchNodeRow{}).Where("integration_id = ? AND state = 'WANTED'", integration).Count(&n).Error
	return int(n), failed("count the files to take in", err)
}

// CountSkipped implements watch.Nodes.
func (r WatchNodes) CountSkipped(ctx context.Context, integration uuid.UUID) (int, error) {
	var n int64
	err := r.s.handle(ctx).Model(&watchNodeRow{}).Where("integration_id = ? AND state = 'SKIPPED' AND NOT removed", integration).Count(&n).Error
	return int(n), failed("count skipped files", err)
}

// Skipped implements watch.Nodes. Its cursor is the time in microseconds and the item's id.
func (r WatchNodes) Skipped(ctx context.Context, integration uuid.UUID, p page.Request) (page.Of[watch.Node], error) {
	const timeSize = 8
	b := bind("skipped files", integration).done()
	// The states are written out, so that the partial index serves.
	q := r.s.handle(ctx).Where("integration_id = ? AND state = 'SKIPPED' AND NOT removed AND skipped_at IS NOT NULL", integration)
	if p.After != "" {
		key, err := b.keyAfter(p.After, timeSize)
		if err != nil {
			return page.Of[watch.Node]{}, err
		}
		at := time.UnixMicro(int64(binary.BigEndian.Uint64(key))).UTC()
		q = q.Where("(skipped_at, item_id) < (?, ?)", instant(at), clean(string(key[timeSize:])))
	}
	var rows []watchNodeRow
	if err := q.Order("skipped_at DESC, item_id DESC").Limit(p.Size() + 1).Find(&rows).Error; err != nil {
		return page.Of[watch.Node]{}, failed("list skipped files", err)
	}
	out := page.Of[watch.Node]{}
	if len(rows) > p.Size() {
		rows = rows[:p.Size()]
		last := rows[len(rows)-1]
		out.Next = b.cursor(append(binary.BigEndian.AppendUint64(nil, uint64(last.SkippedAt.UnixMicro())), last.ItemID...))
	}
	out.Items = mapped(rows, watchNodeRow.fromRow)
	return out, nil
}

// RequeueExcluded implements watch.NodeSets.
func (r WatchNodes) RequeueExcluded(ctx context.Context, integration uuid.UUID, now time.Time) error {
	err := r.s.handle(ctx).Exec(`UPDATE watch_nodes SET state = 'WANTED', attempts = 0, next_at = ? WHERE integration_id = ? AND state = 'OUTSIDE'`,
		instant(now), integration).Error
	return failed("look at items again", err)
}

// DeleteMissing implements watch.NodeSets.
func (r WatchNodes) DeleteMissing(ctx context.Context, integration uuid.UUID, epoch int64) error {
	err := r.s.handle(ctx).Exec(`UPDATE watch_nodes SET removed = TRUE, listed = FALSE,
		reason = CASE WHEN state IN ('WANTED', 'OUTSIDE') THEN 'gone' ELSE reason END,
		state = CASE WHEN state IN ('WANTED', 'OUTSIDE') THEN 'SKIPPED' ELSE state END
		WHERE integration_id = ? AND epoch < ? AND NOT removed`, integration, epoch).Error
	return failed("remove missing nodes", err)
}

// ResetListing implements watch.NodeSets.
func (r WatchNodes) ResetListing(ctx context.Context, integration uuid.UUID) error {
	err := r.s.handle(ctx).Exec(`UPDATE watch_nodes SET listed = FALSE WHERE integration_id = ? AND listed`, integration).Error
	return failed("reset the listing of folders", err)
}

// Forget implements watch.NodeSets.
func (r WatchNodes) Forget(ctx context.Context, integration uuid.UUID) error {
	return failed("forget items", r.s.handle(ctx).Delete(&watchNodeRow{}, "integration_id = ?", integration).Error)
}
