package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/riverqueue/river/riverdriver"
)

// NotificationTable is the table of River's notifications on SQLite. Config.Committed signals the
// commits that wrote to it.
const NotificationTable = "river_notification"

const (
	// unsignalledPoll is the interval at which notifications of other processes are found. A queue is
	// read as often without a notification.
	unsignalledPoll = time.Second
	// notificationBatch limits one read.
	notificationBatch = 256
)

// signalledListener delivers the notifications that are stored after Connect. It reads them when a
// commit of this process stored one. River's listener, which keeps the state of the connection, reads
// them 20 times each second. This was a third of the work of an idle service.
type signalledListener struct {
	riverdriver.Listener
	sql       *sql.DB
	committed func() <-chan struct{}
	poll      time.Duration // the interval of reads without a signal

	mu      sync.Mutex
	last    int64            // the last notification that was read
	topics  map[string]int64 // the last notification before Listen
	pending []notification
}

type notification struct {
	id             int64
	topic, payload string
}

// Connect implements riverdriver.Listener.
func (l *signalledListener) Connect(ctx context.Context) error {
	if err := l.Listener.Connect(ctx); err != nil {
		return err
	}
	last, err := l.newest(ctx)
	if err != nil {
		return errors.Join(err, l.Listener.Close(ctx))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last, l.topics, l.pending = last, map[string]int64{}, nil
	return nil
}

// Listen implements riverdriver.Listener.
func (l *signalledListener) Listen(ctx context.Context, topic string) error {
	if err := l.Listener.Listen(ctx, topic); err != nil {
		return err
	}
	last, err := l.newest(ctx)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.topics[topic]; !ok {
		l.topics[topic] = last
	}
	return nil
}

// Unlisten implements riverdriver.Listener.
func (l *signalledListener) Unlisten(ctx context.Context, topic string) error {
	l.mu.Lock()
	delete(l.topics, topic)
	l.mu.Unlock()
	return l.Listener.Unlisten(ctx, topic)
}

// WaitForNotification implements riverdriver.Listener.
func (l *signalledListener) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
	poll := time.NewTimer(l.poll)
	defer poll.Stop()
	for {
		committed := l.committed() // before the read, so that no commit is missed
		found, err := l.read(ctx)
		if found != nil || err != nil {
			return found, err
		}
		poll.Reset(l.poll)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-committed:
		case <-poll.C:
		}
	}
}

// read returns the next notification; nil for none.
func (l *signalledListener) read(ctx context.Context) (*riverdriver.Notification, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		if len(l.pending) == 0 {
			if err := l.fetch(ctx); err != nil {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				return nil, fmt.Errorf("read the notifications of the queue: %w", err)
			}
		}
		full := len(l.pending) == notificationBatch
		for len(l.pending) > 0 {
			n := l.pending[0]
			l.pending = l.pending[1:]
			if before, ok := l.topics[n.topic]; ok && n.id > before {
				return &riverdriver.Notification{Topic: n.topic, Payload: n.payload}, nil
			}
		}
		if !full {
			return nil, nil // all are read; after a full batch, no commit may signal the others
		}
	}
}

// fetch reads the notifications after the last one. SQLite runs one writing transaction at a time, so
// that ids grow in the order of the commits.
func (l *signalledListener) fetch(ctx context.Context) error {
	rows, err := l.sql.QueryContext(ctx, "SELECT id, topic, payload FROM "+NotificationTable+" WHERE id > $1 ORDER BY id LIMIT $2", l.last, notificationBatch)
	if err != nil {
		return err
	}
	defer rows.Close()
	var found []notification
	for rows.Next() {
		var n notification
		if err := rows.Scan(&n.id, &n.topic, &n.payload); err != nil {
			return err
		}
		found = append(found, n)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if len(found) > 0 {
		l.pending, l.last = found, found[len(found)-1].id
	}
	return nil
}

// newest returns the id of the last notification; 0 for none.
func (l *signalledListener) newest(ctx context.Context) (id int64, err error) {
	err = l.sql.QueryRowContext(ctx, "SELECT COALESCE(MAX(id), 0) FROM "+NotificationTable).Scan(&id)
	if err != nil {
		return 0, fmt.Errorf("read the last notification of the queue: %w", err)
	}
	return id, nil
}
