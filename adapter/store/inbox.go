package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"docledger/domain/inbox"
	"docledger/domain/page"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

type inboxRow struct {
	ID         uuid.UUID `gorm:"primaryKey"`
	Sender     inbox.Sender
	EventID    string
	Type       string
	Body       []byte
	OccurredAt time.Time
	ReceivedAt time.Time
	State      inbox.State
	Attempts   int
	Failure    string
	DoneAt     *time.Time
}

// TableName implements gorm's tabler.
func (inboxRow) TableName() string { return "inbox" }

func (r inboxRow) fromRow() inbox.Message {
	return inbox.Message{
		ID: r.ID, Sender: r.Sender, EventID: r.EventID, Type: r.Type, Body: r.Body,
		OccurredAt: instant(r.OccurredAt), ReceivedAt: instant(r.ReceivedAt),
		State: r.State, Attempts: r.Attempts, Failure: r.Failure, DoneAt: fromOptionalTime(r.DoneAt),
	}
}

func toInboxRow(m *inbox.Message) inboxRow {
	body := m.Body
	if body == nil {
		body = []byte{} // an event without a body; nil is NULL
	}
	return inboxRow{
		ID: m.ID, Sender: m.Sender, EventID: clean(m.EventID), Type: clean(m.Type), Body: body,
		OccurredAt: instant(m.OccurredAt), ReceivedAt: instant(m.ReceivedAt),
		State: m.State, Attempts: m.Attempts, Failure: clean(m.Failure), DoneAt: optionalTime(m.DoneAt),
	}
}

// Inbox implements inbox.Repository.
type Inbox struct{ s *Store }

// Add implements inbox.Repository.
func (r Inbox) Add(ctx context.Context, messages []*inbox.Message) (added []uuid.UUID, err error) {
	if len(messages) == 0 {
		return nil, nil
	}
	// All transactions insert events in the same order, which excludes deadlocks between them.
	messages = slices.SortedFunc(slices.Values(messages), func(a, b *inbox.Message) int {
		return cmp.Or(cmp.Compare(a.Sender, b.Sender), cmp.Compare(a.EventID, b.EventID))
	})
	const columns = 11
	values := make([]any, 0, columns*len(messages))
	for _, m := range messages {
		r.s.stamp(&m.ReceivedAt)
		row := toInboxRow(m)
		values = append(values, row.ID, row.Sender, row.EventID, row.Type, row.Body, row.OccurredAt, row.ReceivedAt,
			row.State, row.Attempts, row.Failure, row.DoneAt)
	}
	added, err = r.s.ids(ctx, `INSERT INTO inbox (id, sender, event_id, type, body, occurred_at, received_at, state, attempts, failure, done_at) VALUES `+
		placeholders(len(messages), columns)+` ON CONFLICT (sender, event_id) DO NOTHING RETURNING id`, values)
	return added, failed("keep the events", err)
}

// Get implements inbox.Repository.
func (r Inbox) Get(ctx context.Context, id uuid.UUID) (*inbox.Message, error) {
	return r.get(r.s.handle(ctx), id)
}

func (r Inbox) get(q *gorm.DB, id uuid.UUID) (*inbox.Message, error) {
	var row inboxRow
	if err := q.Take(&row, "id = ?", id).Error; err != nil {
		return nil, found("event", err)
	}
	m := row.fromRow()
	return &m, nil
}

// Update implements inbox.Repository.
func (r Inbox) Update(ctx context.Context, id uuid.UUID, change func(*inbox.Message) error) (m *inbox.Message, err error) {
	err = r.s.inOne(ctx, func(ctx context.Context) error {
		q := r.s.handle(ctx)
		if m, err = r.get(q.Clauses(lock), id); err != nil {
			return err
		}
		if err := change(m); err != nil {
			return err
		}
		row := toInboxRow(m)
		return failed("change the event", save(q, &row, "sender", "event_id", "body"))
	})
	return m, err
}

// Unfinished implements inbox.Repository.
func (r Inbox) Unfinished(ctx context.Context, before time.Time, limit int) ([]inbox.Message, error) {
	var rows []inboxRow
	err := r.s.handle(ctx).Where("state = ? AND received_at < ?", inbox.Received, instant(before)).
		Order("received_at").Limit(limit).Find(&rows).Error
	return mapped(rows, inboxRow.fromRow), failed("look for unfinished events", err)
}

// ForOperator implements inbox.Repository.
func (r Inbox) ForOperator(ctx context.Context, f inbox.Filter, p page.Request) (page.Of[inbox.Message], error) {
	b := withAll(bind("inbox", uuid.Nil).with("sender", f.Sender), "state", f.States).done()
	after, err := b.idKey(p.After)
	if err != nil {
		return page.Of[inbox.Message]{}, err
	}
	q := r.s.handle(ctx).Order("id DESC").Limit(p.Size() + 1)
	if f.Sender != "" {
		q = q.Where("sender = ?", f.Sender)
	}
	if len(f.States) > 0 {
		q = q.Where("state IN ?", f.States)
	}
	if after != uuid.Nil {
		q = q.Where("id < ?", after)
	}
	var rows []inboxRow
	if err := q.Find(&rows).Error; err != nil {
		return page.Of[inbox.Message]{}, failed("list events", err)
	}
	return pageOf(rows, p.Size(), inboxRow.fromRow, func(row inboxRow) string { return b.cursor(row.ID[:]) }), nil
}
