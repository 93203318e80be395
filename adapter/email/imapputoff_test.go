package email_test

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
)

// badMessages makes a server fail for some messages.
type badMessages struct {
	mutex sync.Mutex
	fails func(imap.UID) string // what fails for a message: "", "fetch", "connection", "bytes", "gone" or "store"
}

func (b *badMessages) set(fails func(imap.UID) string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.fails = fails
}

func (b *badMessages) of(set imap.NumSet) (imap.UID, string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	uids, _ := set.(imap.UIDSet)
	nums, ok := uids.Nums()
	if !ok || len(nums) != 1 || b.fails == nil {
		return 0, ""
	}
	return nums[0], b.fails(nums[0])
}

func (b *badMessages) session(c *imapserver.Conn, s imapserver.Session) imapserver.Session {
	return &badSession{s, c, b}
}

type badSession struct {
	imapserver.Session
	conn *imapserver.Conn
	bad  *badMessages
}

var errRefused = &imap.Error{Type: imap.StatusResponseTypeNo, Text: "the message is damaged"}

// Fetch implements imapserver.Session.
func (s *badSession) Fetch(w *imapserver.FetchWriter, set imap.NumSet, o *imap.FetchOptions) error {
	uid, fails := s.bad.of(set)
	switch {
	case fails == "fetch":
		return errRefused
	case fails == "connection":
		return s.conn.NetConn().Close()
	case fails == "gone":
		return nil
	case fails == "bytes" && len(o.BodySection) > 0:
		m := w.CreateMessage(1)
		m.WriteUID(uid)
		return m.Close()
	}
	return s.Session.Fetch(w, set, o)
}

// Store implements imapserver.Session.
func (s *badSession) Store(w *imapserver.FetchWriter, set imap.NumSet, flags *imap.StoreFlags, o *imap.StoreOptions) error {
	if _, fails := s.bad.of(set); fails == "store" {
		return errRefused
	}
	return s.Session.Store(w, set, flags, o)
}

// TestMailboxWithBadMessages verifies that messages that fail in each poll do not keep later ones from being
// received, that each poll reports them, and that they are received when the server returns them.
func TestMailboxWithBadMessages(t *testing.T) {
	t.Parallel()
	for _, fails := range []string{"fetch", "connection", "bytes", "gone", "store"} {
		t.Run(fails, func(t *testing.T) {
			t.Parallel()
			const bad = 12 // more than a poll accepts
			b, r := &badMessages{}, &read{}
			b.set(func(uid imap.UID) string {
				if uid <= bad {
					return fails
				}
				return ""
			})
			s := newMailServer(t, false, b.session)
			m := s.mailbox(t, r, false, io.Discard)
			for n := range bad + 3 {
				s.put(t, mailTo("invoices+token@example.com", fmt.Sprintf("number %d.", n+1)))
			}
			received := func(n int) bool {
				return slices.ContainsFunc(r.messages, func(text string) bool { return strings.Contains(text, fmt.Sprintf("number %d.", n)) })
			}
			reported := 0
			for range bad + 2 {
				if err := m.Poll(t.Context()); err != nil {
					reported++
				}
			}
			if reported < bad {
				t.Errorf("%d polls reported an error", reported)
			}
			for n := bad + 1; n <= bad+3; n++ {
				if !received(n) {
					t.Errorf("message %d was not received", n)
				}
			}
			s.put(t, mailTo("invoices+token@example.com", "number 99."))
			_ = m.Poll(t.Context())
			if !received(99) {
				t.Error("a new message was not received in the next poll")
			}
			b.set(nil)
			r.messages = nil
			for range 2 {
				if err := m.Poll(t.Context()); err != nil {
					t.Error(err)
				}
			}
			if len(r.messages) != bad {
				t.Errorf("%d messages received afterwards", len(r.messages))
			}
		})
	}
}

// TestMailboxWaits verifies that messages for an archived entity keep no others from being received, and are
// received when the entity is restored.
func TestMailboxWaits(t *testing.T) {
	t.Parallel()
	s, r := newMailServer(t, false), &read{}
	var log bytes.Buffer
	m := s.mailbox(t, r, false, &log)
	const waiting = 15 // more than a poll accepts failures
	for n := range waiting {
		s.put(t, mailTo("archived@example.com", fmt.Sprint(n)))
	}
	s.put(t, mailTo("invoices+token@example.com", "last"))
	for range 2 {
		if err := m.Poll(t.Context()); err == nil || !strings.Contains(err.Error(), "archived") {
			t.Errorf("reported: %v", err)
		}
		if len(r.messages) != 1 {
			t.Fatalf("received %q", r.messages)
		}
	}
	r.restored = true
	if err := m.Poll(t.Context()); err != nil || len(r.messages) != waiting+1 {
		t.Errorf("%d messages received, %v", len(r.messages), err)
	}
	if strings.Contains(log.String(), "refused") {
		t.Errorf("refused: %s", log.String())
	}
}

// readOnlySession is a session of a server that opens mailboxes for reading only.
type readOnlySession struct{ imapserver.Session }

// Select implements imapserver.Session.
func (s readOnlySession) Select(string, *imap.SelectOptions) (*imap.SelectData, error) {
	return nil, &imap.Error{Type: imap.StatusResponseTypeOK, Code: "READ-ONLY", Text: "opened"}
}

// TestMailboxIsReadOnly verifies that a mailbox in which no message can be marked is an error of the check and of a
// poll.
func TestMailboxIsReadOnly(t *testing.T) {
	t.Parallel()
	for name, startTLS := range map[string]bool{"TLS": false, "STARTTLS": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newMailServer(t, startTLS, func(_ *imapserver.Conn, s imapserver.Session) imapserver.Session { return readOnlySession{s} })
			m := s.mailbox(t, &read{}, startTLS, io.Discard)
			for name, err := range map[string]error{"check": m.Check(t.Context()), "poll": m.Poll(t.Context())} {
				if err == nil || !strings.Contains(err.Error(), "read-only") {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}
