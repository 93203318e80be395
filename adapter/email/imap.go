package email

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"docledger/domain/email"
	"docledger/domain/fault"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

// The keywords of messages that were received or refused. Without keywords on the server, a message
// that is seen was received.
const (
	receivedKeyword imap.Flag = "$DocledgerReceived"
	refusedKeyword  imap.Flag = "$DocledgerRefused"
)

// Limits of one poll of a mailbox.
const (
	maxPolled     = 200
	pollTime      = 15 * time.Minute
	maxMailHeader = 256 << 10
	maxAddresses  = 100
	maxFailures   = 10
)

// recipientFields are the fields of a header that can name the address of an entity. Servers add the
// first ones when they deliver a message.
var recipientFields = []string{"Delivered-To", "X-Original-To", "Envelope-To", "X-Forwarded-To", "To", "Cc"}

// MailboxReceiver stores the messages of a mailbox.
type MailboxReceiver interface {
	// RecipientsOf returns the intakes of addresses; none is a NotFound fault. It is a Conflict fault if the message
	// has to wait.
	RecipientsOf(ctx context.Context, addresses []string) ([]*email.Intake, error)
	// Receive stores a message, as for Receiver.
	Receive(ctx context.Context, recipients []*email.Intake, e email.Envelope, message io.Reader) error
}

// MailboxOptions configure a Mailbox.
type MailboxOptions struct {
	Receiver MailboxReceiver
	Address  string // host and port
	StartTLS bool   // otherwise TLS from the first byte
	User     string
	Password func() string
	Name     string // of the mailbox
	MaxBytes int64  // of a message
	Every    time.Duration
	TempDir  string
	TLS      *tls.Config // nil for the usual roots
	Log      *slog.Logger
	// ConnectTime limits the connection and its encryption; 0 for 30 s.
	ConnectTime time.Duration
}

// Mailbox reads the messages of a mailbox by IMAP. Messages stay in the mailbox with a keyword. Only one
// goroutine may call Run or Poll.
type Mailbox struct {
	o      MailboxOptions
	putOff putOff
}

// NewMailbox returns a Mailbox.
func NewMailbox(o MailboxOptions) *Mailbox { return &Mailbox{o: o} }

// Run reads new messages until ctx ends.
func (m *Mailbox) Run(ctx context.Context) {
	ticker := time.NewTicker(m.o.Every)
	defer ticker.Stop()
	for {
		if err := m.Poll(ctx); err != nil && ctx.Err() == nil {
			m.o.Log.Warn("mailbox not read, it is tried again", "host", m.o.Address, "mailbox", m.o.Name, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Check signs in and opens the mailbox. A mailbox in which no message can be marked is an error.
func (m *Mailbox) Check(ctx context.Context) error {
	return m.with(ctx, func(*imapclient.Client, *imap.SelectData) error { return nil })
}

// with signs in and opens the mailbox. The connection ends with ctx.
func (m *Mailbox) with(ctx context.Context, do func(*imapclient.Client, *imap.SelectData) error) error {
	answers := &readOnlyAnswers{}
	c, err := m.dial(ctx, answers)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	defer c.Close()
	if err := c.Login(m.o.User, m.o.Password()).Wait(); err != nil {
		return fmt.Errorf("sign in: %w", err)
	}
	answers.start()
	selected, err := c.Select(m.o.Name, nil).Wait()
	if err != nil {
		return fmt.Errorf("open mailbox: %w", err)
	}
	if answers.end() {
		return errReadOnly
	}
	if err := do(c, selected); err != nil {
		return err
	}
	_ = c.Logout().Wait() // the connection ends anyway
	return nil
}

// Poll reads the messages that were not received before. Those that failed in an earlier poll are read after all
// others. A message is marked only after it is stored: a
// process that is killed before reads it again, and the same bytes are one document.
func (m *Mailbox) Poll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pollTime)
	defer cancel()
	return m.with(ctx, func(c *imapclient.Client, selected *imap.SelectData) error {
		// Servers without keywords get only the flag for seen messages.
		keywords := slices.Contains(selected.PermanentFlags, imap.FlagWildcard) || slices.Contains(selected.PermanentFlags, receivedKeyword)
		unread := &imap.SearchCriteria{NotFlag: []imap.Flag{imap.FlagDeleted, imap.FlagDraft}}
		if keywords {
			unread.NotFlag = append(unread.NotFlag, receivedKeyword, refusedKeyword)
		} else {
			unread.NotFlag = append(unread.NotFlag, imap.FlagSeen)
		}
		found, err := c.UIDSearch(unread, nil).Wait()
		if err != nil {
			return fmt.Errorf("search: %w", err)
		}
		fresh, again := m.putOff.order(selected.UIDValidity, found.AllUIDs())
		fresh = fresh[:min(len(fresh), maxPolled)]
		again = again[:min(len(again), maxPolled-len(fresh))]
		failures := 0
		var failed []error
		for n, uid := range slices.Concat(fresh, again) {
			err := m.take(ctx, c, uid, keywords)
			if err == nil {
				m.putOff.remove(uid)
				continue
			}
			// One message must not keep the others from being received.
			m.putOff.add(uid)
			if errors.Is(err, errGone) && n < len(fresh) {
				continue // unless the next search finds it again
			}
			if len(failed) < maxFailures {
				failed = append(failed, fmt.Errorf("message %d: %w", uid, err))
			}
			if f, ok := fault.As(err); !ok || f.Kind != fault.Conflict || n >= len(fresh) {
				failures++
			}
			if failures >= maxFailures || ctx.Err() != nil || c.Noop().Wait() != nil {
				break // the connection may have ended
			}
		}
		return errors.Join(failed...)
	})
}

// take receives a message and marks it as received or refused. After an error the message has no mark.
func (m *Mailbox) take(ctx context.Context, c *imapclient.Client, uid imap.UID, keywords bool) error {
	err := m.receive(ctx, c, uid)
	flags := []imap.Flag{imap.FlagSeen}
	switch refused, isRefused := refusalOf(err); {
	case isRefused:
		m.o.Log.Warn("message of the mailbox refused, it stays there", "mailbox", m.o.Name, "uid", uint32(uid), "reason", refused)
		flags = append(flags, refusedKeyword)
	case err != nil:
		return err
	default:
		flags = append(flags, receivedKeyword)
	}
	if !keywords {
		flags = flags[:1]
	}
	mark := &imap.StoreFlags{Op: imap.StoreFlagsAdd, Silent: true, Flags: flags}
	if err := c.Store(imap.UIDSetNum(uid), mark, nil).Close(); err != nil {
		return fmt.Errorf("mark message: %w", err)
	}
	return nil
}

var (
	errGone     = errors.New("the server did not return the message")
	errNoBytes  = errors.New("the server returned no bytes of the message")
	errReadOnly = errors.New("the mailbox is read-only, so that no message can be marked as received")
	errTooLarge = fault.New(fault.Invalid, fault.CodeInvalidRequest, "The message is larger than EMAIL_MAX_BYTES.")
)

// refusalOf returns why a message is refused, and is not tried again.
func refusalOf(err error) (reason string, ok bool) {
	f, isFault := fault.As(err)
	if !isFault || f.Kind != fault.Forbidden && f.Kind != fault.Invalid && f.Kind != fault.NotFound {
		return "", false
	}
	return f.Message, true
}

// receive stores one message for its recipients.
func (m *Mailbox) receive(ctx context.Context, c *imapclient.Client, uid imap.UID) error {
	sizes, err := c.Fetch(imap.UIDSetNum(uid), &imap.FetchOptions{UID: true, RFC822Size: true}).Collect()
	if err != nil {
		return fmt.Errorf("read size: %w", err)
	}
	if len(sizes) == 0 {
		return errGone
	}
	if sizes[0].RFC822Size > m.o.MaxBytes {
		return errTooLarge
	}
	file, err := os.CreateTemp(m.o.TempDir, "imap-*")
	if err != nil {
		return fmt.Errorf("store message: %w", err)
	}
	defer os.Remove(file.Name()) //nolint:errcheck // it is removed already, except on Windows
	defer file.Close()
	_ = os.Remove(file.Name()) // the open file stays readable, and a killed process leaves nothing
	if err := m.fetch(c, uid, file); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read message: %w", err)
	}
	addresses := addressesOf(file)
	recipients, err := m.o.Receiver.RecipientsOf(ctx, addresses)
	if err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read message: %w", err)
	}
	return m.o.Receiver.Receive(ctx, recipients, email.Envelope{Mailbox: true}, file)
}

// fetch writes a message into a file, without the flag that it was seen.
func (m *Mailbox) fetch(c *imapclient.Client, uid imap.UID, file *os.File) (err error) {
	command := c.Fetch(imap.UIDSetNum(uid), &imap.FetchOptions{UID: true, BodySection: []*imap.FetchItemBodySection{{Peek: true}}})
	exists, written := false, false
	for message := command.Next(); message != nil; message = command.Next() {
		exists = true
		for item := message.Next(); item != nil; item = message.Next() {
			body, ok := item.(imapclient.FetchItemDataBodySection)
			if !ok || body.Literal == nil || written || err != nil {
				continue
			}
			if body.Literal.Size() > m.o.MaxBytes {
				err = errTooLarge
				continue
			}
			written = true
			if _, failed := io.Copy(file, body.Literal); failed != nil {
				err = fmt.Errorf("read message: %w", failed)
			}
		}
	}
	if failed := command.Close(); failed != nil && err == nil {
		err = fmt.Errorf("read message: %w", failed)
	}
	switch {
	case err != nil || written:
		return err
	case exists:
		return errNoBytes
	}
	return errGone
}
