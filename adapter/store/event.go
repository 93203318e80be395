package store

import (
	"context"
	"math"
	"time"

	"docledger/domain/event"
	"docledger/domain/identity"
	"docledger/domain/page"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// batch limits the rows of one INSERT, because both databases limit its parameters.
const batch = 500

// A reader waits at most this long for transactions that are older than events that it could
// already return. Thus a caller that has just changed something finds the event in the log.
const (
	defaultSettleTimeout = 500 * time.Millisecond
	settlePoll           = 5 * time.Millisecond
)

type eventRow struct {
	Seq            int64 `gorm:"primaryKey"`
	Position       int64
	ID             uuid.UUID
	Type           event.Type
	OrganizationID uuid.UUID
	EntityID       *uuid.UUID
	SubjectType    event.SubjectType
	SubjectID      uuid.UUID
	SubjectVersion int
	ActorType      identity.ActorType
	ActorID        *uuid.UUID
	ClientID       string
	RequestID      string
	CreatedAt      time.Time `gorm:"autoCreateTime:false"`
	Changes        *jsonOf[[]changeJSON]
	Data           *jsonOf[map[string]string]
}

// TableName implements gorm's tabler.
func (eventRow) TableName() string { return "events" }

type changeJSON struct {
	Field string `json:"field"`
	From  string `json:"from,omitempty"`
	To    string `json:"to,omitempty"`
}

func (r eventRow) fromRow() event.Event {
	e := event.Event{
		ID: r.ID, Type: r.Type, OrganizationID: r.OrganizationID, EntityID: fromOptionalID(r.EntityID),
		Subject:   event.Subject{Type: r.SubjectType, ID: r.SubjectID, Version: r.SubjectVersion},
		ActorType: r.ActorType, ActorID: fromOptionalID(r.ActorID), ClientID: r.ClientID, RequestID: r.RequestID,
		CreatedAt: instant(r.CreatedAt),
	}
	if r.Changes != nil {
		e.Changes = mapped(r.Changes.V, func(c changeJSON) event.Change { return event.Change(c) })
	}
	if r.Data != nil {
		e.Data = r.Data.V
	}
	return e
}

func toEventRow(e event.Event) eventRow {
	row := eventRow{
		ID: e.ID, Type: e.Type, OrganizationID: e.OrganizationID, EntityID: optionalID(e.EntityID),
		SubjectType: e.Subject.Type, SubjectID: e.Subject.ID, SubjectVersion: e.Subject.Version,
		ActorType: e.ActorType, ActorID: optionalID(e.ActorID), ClientID: clean(e.ClientID), RequestID: clean(e.RequestID),
		CreatedAt: e.CreatedAt,
	}
	if len(e.Changes) > 0 {
		row.Changes = &jsonOf[[]changeJSON]{mapped(e.Changes, func(c event.Change) changeJSON { return changeJSON(c) })}
	}
	if len(e.Data) > 0 {
		row.Data = &jsonOf[map[string]string]{e.Data}
	}
	return row
}

// Events implements event.Log.
//
// An event has the position of the transaction that wrote it. Readers do not read beyond the
// horizon: the oldest open transaction. Therefore no reader misses an event of a transaction that
// commits late. SQLite has one writer at a time and needs no horizon: all its events have the
// position of the last event that was moved there from PostgreSQL.
type Events struct{ s *Store }

// Append implements event.Log.
func (r Events) Append(ctx context.Context, events ...event.Event) error {
	if len(events) == 0 {
		return nil
	}
	rows := make([]eventRow, len(events))
	for i, e := range events {
		if e.ID == uuid.Nil {
			id, err := uuid.NewV7()
			if err != nil {
				return failed("make an id", err)
			}
			e.ID = id
		}
		r.s.stamp(&e.CreatedAt)
		rows[i] = toEventRow(e)
		rows[i].Position = r.s.position
	}
	given := []string{"seq"}
	if r.s.postgres {
		given = append(given, "position")
	}
	in, err := insertionOf(ctx, r.s, rows, given...)
	if err == nil {
		_, err = r.s.insert(ctx, in)
	}
	return failed("write events", err)
}

// List implements event.Log.
func (r Events) List(ctx context.Context, s identity.Scope, f event.Filter, p page.Request) (page.Of[event.Event], error) {
	b := withAll(bind("events", s.OrganizationID).with("entity", f.EntityID), "type", f.Types)
	b = withAll(b, "subject", mapped(f.SubjectIDs, uuid.UUID.String)).
		with("actor", f.ActorID).with("actor type", f.ActorType).with("from", f.CreatedFrom).with("to", f.CreatedTo)
	if f.NewestFirst {
		b = b.with("order", "newest first")
	}
	bound := b.done()
	after, err := bound.numbersOf(p.After, 2)
	if err != nil {
		return page.Of[event.Event]{}, err
	}
	if f.NewestFirst {
		rows, err := r.read(ctx, s, f, after, p.Size()+1)
		if err != nil {
			return page.Of[event.Event]{}, failed("list events", err)
		}
		return pageOf(rows, p.Size(), eventRow.fromRow, func(last eventRow) string {
			return bound.cursor(numbersKey(last.Position, last.Seq))
		}), nil
	}
	rows, err := r.settled(ctx, func() ([]eventRow, error) { return r.read(ctx, s, f, after, p.Size()) })
	if err != nil {
		return page.Of[event.Event]{}, failed("list events", err)
	}
	out := page.Of[event.Event]{Items: mapped(rows, eventRow.fromRow), Next: p.After}
	if len(rows) > 0 {
		last := rows[len(rows)-1]
		out.Next = bound.cursor(numbersKey(last.Position, last.Seq))
	}
	return out, nil
}

// Find implements event.Log.
func (r Events) Find(ctx context.Context, organization, id uuid.UUID) (*event.Event, error) {
	var row eventRow
	if err := r.s.handle(ctx).Where("organization_id = ? AND id = ?", organization, id).Take(&row).Error; err != nil {
		return nil, found("event", err)
	}
	e := row.fromRow()
	return &e, nil
}

// read returns the committed rows after a position, ordered by position and sequence. With
// NewestFirst it returns the preceding rows, and the start means the end of the log.
func (r Events) read(ctx context.Context, s identity.Scope, f event.Filter, after []int64, limit int) ([]eventRow, error) {
	rows := make([]eventRow, 0, limit)
	order, beyond := "%s.position, %s.seq", ">"
	if f.NewestFirst {
		order, beyond = "%s.position DESC, %s.seq DESC", "<"
	}
	err := r.s.list(r.s.handle(ctx), listing{
		table: "events", key: "seq", order: order, scope: s, withoutEntity: true, entity: f.EntityID, limit: limit,
		narrow: func(q *gorm.DB, t string) *gorm.DB {
			if beyond == ">" || after[0] != 0 || after[1] != 0 {
				q = q.Where("("+t+".position, "+t+".seq) "+beyond+" (?, ?)", after[0], after[1])
			}
			if len(f.Types) > 0 {
				q = q.Where(t+".type IN ?", f.Types)
			}
			if len(f.SubjectIDs) > 0 {
				q = q.Where(t+".subject_id IN ?", f.SubjectIDs)
			}
			if f.ActorID != uuid.Nil {
				q = q.Where(t+".actor_id = ?", f.ActorID)
			}
			if f.ActorType != "" {
				q = q.Where(t+".actor_type = ?", f.ActorType)
			}
			if !f.CreatedFrom.IsZero() {
				q = q.Where(t+".created_at >= ?", instant(f.CreatedFrom))
			}
			if !f.CreatedTo.IsZero() {
				q = q.Where(t+".created_at < ?", instant(f.CreatedTo))
			}
			return q
		},
	}).Find(&rows).Error
	return rows, err
}

// settled returns the rows before the horizon. If there are later rows, it waits a short time for
// the open transactions. Inside a transaction it does not wait, because that transaction may
// define the horizon.
func (r Events) settled(ctx context.Context, read func() ([]eventRow, error)) ([]eventRow, error) {
	horizon, err := r.horizon(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := read()
	if err != nil || len(rows) == 0 || rows[len(rows)-1].Position < horizon || r.s.inTx(ctx) {
		return before(horizon, rows), err
	}
	seen := rows[len(rows)-1].Position
	tick := time.NewTicker(settlePoll)
	defer tick.Stop()
	timeout := time.NewTimer(r.s.settleTimeout)
	defer timeout.Stop()
	for horizon <= seen {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timeout.C:
			seen = math.MinInt64
		case <-tick.C:
		}
		if horizon, err = r.horizon(ctx); err != nil {
			return nil, err
		}
	}
	rows, err = read()
	return before(horizon, rows), err
}

func before(horizon int64, rows []eventRow) []eventRow {
	for i, row := range rows {
		if row.Position >= horizon {
			return rows[:i]
		}
	}
	return rows
}

// horizon must be read before the rows. Transactions before it have ended, so every later
// snapshot contains either all or none of their rows.
func (r Events) horizon(ctx context.Context) (int64, error) {
	if !r.s.postgres {
		return math.MaxInt64, nil
	}
	var horizon int64
	err := r.s.handle(ctx).Raw("SELECT event_horizon()").Scan(&horizon).Error
	return horizon, err
}

// alignEvents keeps positions increasing after the database was restored into a cluster with
// lower transaction ids, or moved to SQLite.
func (s *Store) alignEvents(ctx context.Context) error {
	if !s.postgres {
		return s.db.WithContext(ctx).Raw(`SELECT coalesce(max(position), 0) FROM
			(SELECT position FROM events ORDER BY seq DESC LIMIT 10000) AS newest`).Scan(&s.position).Error
	}
	// Positions increase with seq, except for concurrent transactions.
	return s.db.WithContext(ctx).Exec(`UPDATE event_clock SET base = base + last.position - event_horizon() + 1
		FROM (SELECT max(position) AS position FROM
			(SELECT position FROM events ORDER BY seq DESC LIMIT 10000) AS newest) AS last
		WHERE last.position > pg_snapshot_xmax(pg_current_snapshot())::text::bigint + base`).Error
}
