package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"docledger/adapter/httpapi/edge"
	"docledger/domain/fault"
	"docledger/domain/idempotency"
	"docledger/domain/identity"
	"docledger/gen/backend"
	"docledger/usecase/documents"

	"github.com/google/uuid"
)

// outcome is a stored response: the body of a success, or the fault.
type outcome struct {
	Body  json.RawMessage `json:"body,omitempty"`
	Fault *fault.Error    `json:"fault,omitempty"`
}

// withIdempotency runs do at most once for an Idempotency-Key and returns the
// same response to repeated requests (domain D25). request identifies the
// request. do uses the given id for the record that it creates; without a key
// it is the zero UUID. may checks that the caller may still read a stored
// response, because permissions can be lost between two requests.
func withIdempotency[T any](
	ctx context.Context, s *Server, key *string, request any, may func(T) error, do func(id uuid.UUID) (T, int, error),
) (body T, etag string, err error) {
	if key == nil {
		return run(func() (T, int, error) { return do(uuid.Nil) })
	}
	text, err := json.Marshal(request)
	if err != nil {
		return body, "", fmt.Errorf("fingerprint request: %w", err)
	}
	mark := fingerprint(text)
	a, err := s.begin(ctx, *key, mark)
	if err != nil {
		return body, "", err
	}
	if a.kept != nil {
		return repeat(a.kept, mark, may)
	}
	defer a.abandon(ctx) // unless settle was called
	body, etag, err = run(func() (T, int, error) { return do(a.reserved) })
	a.settle(ctx, mark, body, etag, err)
	return body, etag, err
}

// withUploadIdempotency is withIdempotency for uploads. The fingerprint is the
// checksum of the bytes, which is known only after they were read. do needs no
// id, because bytes that are already stored create no second document.
func withUploadIdempotency(
	ctx context.Context, s *Server, key *string, in documents.UploadInput, may func(backend.Document) error,
	do func(documents.UploadInput) (backend.Document, int, error),
) (body backend.Document, etag string, err error) {
	if key == nil {
		return run(func() (backend.Document, int, error) { return do(in) })
	}
	a, err := s.begin(ctx, *key, "")
	if err != nil {
		return body, "", err
	}
	hash := sha256.New()
	markOf := func() string {
		return fingerprint([]byte(in.EntityID.String() + hex.EncodeToString(hash.Sum(nil)) + in.ExternalID))
	}
	content := io.TeeReader(in.Content, hash)
	if a.kept != nil {
		if _, err := io.Copy(io.Discard, content); err != nil {
			return body, "", fmt.Errorf("read upload: %w", err)
		}
		return repeat(a.kept, markOf(), may)
	}
	defer a.abandon(ctx) // unless settle was called
	in.Content = &working{Reader: content, attempt: a, ctx: ctx, extended: s.Clock.Now()}
	body, etag, err = run(func() (backend.Document, int, error) { return do(in) })
	if err == nil {
		// The checksum that identifies a repeated request needs all bytes.
		a.settle(ctx, markOf(), body, etag, nil)
	}
	return body, etag, err
}

func run[T any](do func() (T, int, error)) (body T, etag string, err error) {
	body, version, err := do()
	return body, edge.ETag(version), err
}

func fingerprint(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// attempt is a request that owns its key.
type attempt struct {
	s        *Server
	key      idempotency.Key
	owner    uuid.UUID
	reserved uuid.UUID
	kept     *idempotency.Answer // the response of a finished request; then the key is not owned
	settled  bool
}

// begin claims the key of a request. It refuses the request while another one
// with the key is running.
func (s *Server) begin(ctx context.Context, key, mark string) (*attempt, error) {
	who := actor(ctx)
	k := idempotency.Key{OrganizationID: who.OrganizationID, Credential: string(who.Type) + ":" + who.UserID.String(), Key: key}
	if op := edge.OperationFrom(ctx); op != nil {
		k.Operation = op.ID
	}
	claim, err := s.Idempotency.Begin(ctx, k, mark, s.Clock.Now())
	if err != nil {
		return nil, fmt.Errorf("claim idempotency key: %w", err)
	}
	switch claim.State {
	case idempotency.Running:
		f := fault.New(fault.Conflict, fault.CodeConflict, "A request with this Idempotency-Key is still running. Retry it later.")
		f.RetryAfter = time.Second
		return nil, f
	case idempotency.Other:
		return nil, errOtherRequest()
	}
	return &attempt{s: s, key: k, owner: claim.Owner, reserved: claim.Reserved, kept: claim.Answer}, nil
}

func errOtherRequest() error {
	return fault.New(fault.Conflict, fault.CodeConflict,
		"This Idempotency-Key was used for another request. Use a new key for a new request.")
}

// repeat returns a stored response. It calls may with the zero body if the
// response is a fault.
func repeat[T any](kept *idempotency.Answer, mark string, may func(T) error) (body T, etag string, err error) {
	if kept.Fingerprint != mark {
		return body, "", errOtherRequest()
	}
	var o outcome
	if err := json.Unmarshal(kept.Body, &o); err != nil {
		return body, "", fmt.Errorf("read stored response: %w", err)
	}
	if o.Fault == nil {
		if err := json.Unmarshal(o.Body, &body); err != nil {
			return body, "", fmt.Errorf("read stored response: %w", err)
		}
	}
	if err := may(body); err != nil {
		var none T
		return none, "", err
	}
	if o.Fault != nil {
		return body, "", o.Fault
	}
	return body, kept.ETag, nil
}

// settle stores the response. It does not store a response that can differ on a
// retry.
func (a *attempt) settle(ctx context.Context, mark string, body any, etag string, failed error) {
	var o outcome
	if failed != nil {
		f, ok := fault.As(failed)
		if !ok || f.Kind == fault.Internal || f.Kind == fault.Unavailable || f.Kind == fault.TooMany || f.Kind == fault.Upstream {
			return
		}
		o.Fault = f
	}
	stored, err := o.encode(body)
	if err == nil {
		err = a.s.Idempotency.Finish(context.WithoutCancel(ctx), a.key, a.owner,
			idempotency.Answer{Fingerprint: mark, Body: stored, ETag: etag}, a.s.Clock.Now())
	}
	if err != nil {
		a.s.Log.ErrorContext(ctx, "idempotent response not stored", "operation", a.key.Operation, "error", err)
		return
	}
	a.settled = true
}

func (o outcome) encode(body any) ([]byte, error) {
	if o.Fault == nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		o.Body = text
	}
	return json.Marshal(o)
}

// abandon releases the key of a request that was not settled, including after a
// panic.
func (a *attempt) abandon(ctx context.Context) {
	if a.settled {
		return
	}
	if err := a.s.Idempotency.Abandon(context.WithoutCancel(ctx), a.key, a.owner); err != nil {
		a.s.Log.ErrorContext(ctx, "idempotency key not released", "operation", a.key.Operation, "error", err)
	}
}

// working extends the claim of the key while bytes are received.
type working struct {
	io.Reader
	attempt  *attempt
	ctx      context.Context
	extended time.Time
}

func (w *working) Read(p []byte) (int, error) {
	if now := w.attempt.s.Clock.Now(); now.Sub(w.extended) > idempotency.Lease/4 {
		w.extended = now
		if err := w.attempt.s.Idempotency.Extend(w.ctx, w.attempt.key, w.attempt.owner, now); err != nil {
			return 0, fmt.Errorf("extend idempotency key: %w", err)
		}
	}
	return w.Reader.Read(p)
}

// mayStill checks that the caller currently has a permission on the entities of
// a request and its stored response. It skips a zero id.
func (s *Server) mayStill(ctx context.Context, p identity.Permission, entities ...uuid.UUID) error {
	a := actor(ctx)
	for _, id := range entities {
		if id == uuid.Nil {
			continue
		}
		e, err := s.Entities.Get(ctx, a.Scope(), id)
		if err != nil {
			return err
		}
		if err := e.Require(ctx, a, p, s.Entities.Settings); err != nil {
			return err
		}
	}
	return nil
}
