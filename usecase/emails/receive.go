package emails

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/mail"
	"net/textproto"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"docledger/domain/billing"
	"docledger/domain/document"
	"docledger/domain/email"
	"docledger/domain/entity"
	"docledger/domain/fault"
	"docledger/domain/identity"
)

const (
	// maxHeader is the maximum size of the header of a message. The service itself
	// parses the header; the rest is opened in a child process.
	maxHeader  = 256 << 10
	maxSubject = 300
)

// Lookup returns the intake of an address. It is a NotFound fault for an address of no
// entity, which includes every address in another domain.
func (s *Service) Lookup(ctx context.Context, address string) (*email.Intake, error) {
	at := strings.LastIndexByte(address, '@')
	if s.Domain == "" || at < 1 || !strings.EqualFold(address[at+1:], s.Domain) {
		return nil, fault.Missing("recipient")
	}
	token, _, _ := strings.Cut(strings.ToLower(address[:at]), "+") // senders may add a tag
	return s.ofToken(ctx, token)
}

// ofToken returns the intake with a token. It is a NotFound fault if no open entity has it.
func (s *Service) ofToken(ctx context.Context, token string) (*email.Intake, error) {
	found, owner, err := s.withToken(ctx, token)
	if err != nil {
		return nil, err
	}
	if found == nil || owner.Archived {
		return nil, fault.Missing("recipient")
	}
	return found, nil
}

// withToken returns the intake with a token, and its entity, which can be archived. Both are nil if there is none.
func (s *Service) withToken(ctx context.Context, token string) (*email.Intake, *entity.Entity, error) {
	found, err := s.Intakes.OfTokenForReceiver(ctx, token)
	if err != nil {
		return nil, nil, fmt.Errorf("find recipient: %w", err)
	}
	if found == nil {
		return nil, nil, nil
	}
	owner, err := s.Entities.Get(ctx, identity.System(found.OrganizationID).Scope(), found.EntityID)
	switch {
	case fault.CodeOf(err) == fault.CodeNotFound:
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	}
	return found, owner, nil
}

// Receive stores a message for each recipient. After it returned nil, every message is
// stored with its job. A Forbidden fault means that no recipient accepts the sender. The
// bytes of a message that an entity already has give no second document.
func (s *Service) Receive(ctx context.Context, recipients []*email.Intake, e email.Envelope, message io.Reader) error {
	file, err := s.spool(message)
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) //nolint:errcheck // it is removed already, except on Windows
	defer file.Close()           //nolint:errcheck // it is only read
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read message: %w", err)
	}
	h, err := s.headerOf(file)
	if err != nil {
		return err
	}
	var accepting []*email.Intake
	for _, r := range recipients {
		if !r.OnlySenders || r.Lists(h.from) {
			accepting = append(accepting, r)
		}
	}
	if len(accepting) == 0 {
		return fault.New(fault.Forbidden, fault.CodeForbidden, "The recipient does not accept messages of this sender.")
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read message: %w", err)
	}
	results := s.Authenticator.Authenticate(ctx, e, h.from, bufio.NewReader(file))
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read message: %w", err)
	}
	kept, err := s.Documents.StoreBlob(ctx, file)
	if err != nil {
		return err
	}
	answering := s.answering(accepting, e, h, results)
	for _, r := range accepting {
		origin := &document.Email{
			From: h.from, Subject: h.subject, SPF: string(results.SPF), DKIM: string(results.DKIM), DMARC: string(results.DMARC),
			Accepted: results.DMARC == email.Pass && r.Lists(h.from),
		}
		if err := s.ingest(ctx, r, kept, origin, h.messageID, r == answering); err != nil {
			return err
		}
	}
	return nil
}

// spool writes a message to a temporary file.
func (s *Service) spool(message io.Reader) (*os.File, error) {
	file, err := os.CreateTemp(s.TempDir, "email-*")
	if err != nil {
		return nil, fmt.Errorf("store message: %w", err)
	}
	_ = os.Remove(file.Name()) // the open file stays readable, and a killed process leaves nothing
	if _, err := io.Copy(file, message); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// ingest records a message as a document of an entity. With answer, a new document gets the answer to its sender.
func (s *Service) ingest(ctx context.Context, r *email.Intake, kept document.StoredBlob, origin *document.Email, messageID string, answer bool) error {
	held, err := billing.IsFull(ctx, s.Plans, s.Usage, r.OrganizationID, s.Clock.Now())
	if err != nil {
		return err
	}
	return s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		d, fresh, err := s.Documents.Ingest(ctx, identity.System(r.OrganizationID), document.IngestInput{
			StoredBlob: kept, EntityID: r.EntityID, Filename: nameOf(origin.Subject), Held: held, Origin: document.FromEmail, Email: origin,
		})
		if err != nil || !fresh || !answer {
			return err
		}
		return s.addAnswer(ctx, r, d, messageID)
	})
}

// heading is what the header of a message states.
type heading struct {
	from      string // "" unless there is exactly one address in exactly one field, or if the header is damaged
	subject   string
	messageID string // with its brackets; "" if it has none that an answer can name
	// fields are those that were read; nil unless all were read.
	fields textproto.MIMEHeader
}

// headerOf returns the header of a message. The character set of a name next to an address does not matter.
func (s *Service) headerOf(r io.Reader) (h heading, err error) {
	limited := &io.LimitedReader{R: r, N: maxHeader}
	header, err := textproto.NewReader(bufio.NewReader(limited)).ReadMIMEHeader()
	if len(header) == 0 || limited.N == 0 && err != nil {
		return heading{}, fault.New(fault.Invalid, fault.CodeInvalidRequest, "The message has no header, or one of more than %d bytes.", maxHeader)
	}
	damaged := err != nil && !errors.Is(err, io.EOF)
	if err == nil {
		h.fields = trimmed(header)
	}
	decoder := &mime.WordDecoder{CharsetReader: s.CharsetReader}
	if decoder.CharsetReader == nil {
		decoder.CharsetReader = func(_ string, text io.Reader) (io.Reader, error) { return text, nil }
	}
	if h.subject, err = decoder.DecodeHeader(header.Get("Subject")); err != nil {
		h.subject = header.Get("Subject")
	}
	h.subject, h.messageID = shown(h.subject), messageIDOf(trimmed(header))
	fields := trimmed(header)["From"]
	// The verification of signatures reads the whole header, and takes the last From field.
	if damaged || len(fields) != 1 {
		return h, nil
	}
	// Some programs write names without encoding. An address with such bytes stays different from all others.
	field := strings.ToValidUTF8(fields[0], string(utf8.RuneError))
	list, err := (&mail.AddressParser{WordDecoder: decoder}).ParseList(field)
	if err == nil && len(list) == 1 {
		h.from = strings.ToLower(list[0].Address)
	}
	return h, nil
}

// trimmed returns a header in which names have no space before the colon. Verification of signatures ignores it, too.
func trimmed(header textproto.MIMEHeader) textproto.MIMEHeader {
	out := make(textproto.MIMEHeader, len(header))
	for name, values := range header {
		name = textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name))
		out[name] = append(out[name], values...)
	}
	return out
}

// shown removes what cannot be shown from a text, and what is too long.
func shown(text string) string {
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, text))
	if runes := []rune(text); len(runes) > maxSubject {
		text = string(runes[:maxSubject])
	}
	return text
}

// nameOf returns the name of the file of a message.
func nameOf(subject string) string {
	subject = strings.NewReplacer("/", "-", `\`, "-").Replace(subject)
	if subject == "" {
		subject = "message"
	}
	for len(subject) > 200 {
		_, last := utf8.DecodeLastRuneInString(subject)
		subject = subject[:len(subject)-last]
	}
	return subject + ".eml"
}
