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
	"docledger/gen/backend"
	"docledger/usecase/documents"
)

// outcome is how a kept answer is stored: the body of a success, or the fault.
type outcome struct {
	Body  json.RawMessage `json:"body,omitempty"`
	Fault *fault.Error    `json:"fault,omitempty"`
}

// once runs do at most once for an Idempotency-Key and answers repetitions of
// the same request alike (records D25). request is what tells whether it is
// the same one.
func once[T any](ctx context.Context, s *Server, key *string, request any, do func() (T, int, error)) (body T, etag string, err error) {
	if key == nil {
		return run(do)
	}
	sum, err := json.Marshal(request)
	if err != nil {
		return body, "", fmt.Errorf("fingerprint request: %w", err)
	}
	mark := fingerprint(sum)
	k := s.idempotencyKey(ctx, *key)
	kept, err := s.begin(ctx, k)
	if err != nil {
		return body, "", err
	}
	if kept != nil {
		return repeat[T](kept, mark)
	}
	body, etag, err = run(do)
	s.settle(ctx, k, mark, body, etag, err)
	return body, etag, err
}

// onceUploaded is once for uploads, whose fingerprint is the checksum of bytes
// that are known only after they were read.
func onceUploaded(
	ctx context.Context, s *Server, key *string, in documents.UploadInput,
	do func(documents.UploadInput) (backend.Document, int, error),
) (body backend.Document, etag string, err error) {
	if key == nil {
		return run(func() (backend.Document, int, error) { return do(in) })
	}
	k := s.idempotencyKey(ctx, *key)
	kept, err := s.begin(ctx, k)
	if err != nil {
		return body, "", err
	}
	hash := sha256.New()
	markOf := func() string {
		return fingerprint([]byte(in.EntityID.String() + hex.EncodeToString(hash.Sum(nil))))
	}
	content := io.TeeReader(in.Content, hash)
	if kept != nil {
		if _, err := io.Copy(io.Discard, content); err != nil {
			return body, "", fmt.Errorf("read upload: %w", err)
		}
		return repeat[backend.Document](kept, markOf())
	}
	in.Content = content
	body, etag, err = run(func() (backend.Document, int, error) { return do(in) })
	if err != nil {
		// Without all the bytes a repetition could not be told to be one.
		s.abandon(ctx, k)
		return body, etag, err
	}
	s.settle(ctx, k, markOf(), body, etag, nil)
	return body, etag, nil
}

func run[T any](do func() (T, int, error)) (body T, etag string, err error) {
	body, version, err := do()
	return body, edge.ETag(version), err
}

func fingerprint(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func (s *Server) idempotencyKey(ctx context.Context, key string) idempotency.Key {
	a := actor(ctx)
	k := idempotency.Key{OrganizationID: a.OrganizationID, Credential: string(a.Type) + ":" + a.UserID.String(), Key: key}
	if op := edge.OperationFrom(ctx); op != nil {
		k.Operation = op.ID
	}
	return k
}

// begin claims the key; it returns the kept answer of a request that has
// ended, and refuses while one is running.
func (s *Server) begin(ctx context.Context, k idempotency.Key) (*idempotency.Answer, error) {
	state, kept, err := s.Idempotency.Begin(ctx, k, s.Clock.Now())
	if err != nil {
		return nil, fmt.Errorf("claim idempotency key: %w", err)
	}
	switch state {
	case idempotency.Running:
		f := fault.New(fault.Conflict, fault.CodeConflict, "A request with this Idempotency-Key is still running. Send it again in a moment.")
		f.RetryAfter = time.Second
		return nil, f
	case idempotency.Finished:
		return kept, nil
	}
	return nil, nil
}

func repeat[T any](kept *idempotency.Answer, mark string) (body T, etag string, err error) {
	if kept.Fingerprint != mark {
		return body, "", fault.New(fault.Conflict, fault.CodeConflict,
			"This Idempotency-Key was used for another request. Use a new key for a new request.")
	}
	var o outcome
	if err := json.Unmarshal(kept.Body, &o); err != nil {
		return body, "", fmt.Errorf("read kept answer: %w", err)
	}
	if o.Fault != nil {
		return body, "", o.Fault
	}
	if err := json.Unmarshal(o.Body, &body); err != nil {
		return body, "", fmt.Errorf("read kept answer: %w", err)
	}
	return body, kept.ETag, nil
}

// settle keeps the answer, or frees the key where the answer may be another
// one next time.
func (s *Server) settle(ctx context.Context, k idempotency.Key, mark string, body any, etag string, failed error) {
	var o outcome
	if failed != nil {
		f, ok := fault.As(failed)
		if !ok || f.Kind == fault.Internal || f.Kind == fault.Unavailable || f.Kind == fault.TooMany || f.Kind == fault.Upstream {
			s.abandon(ctx, k)
			return
		}
		o.Fault = f
	}
	var err error
	if failed == nil {
		o.Body, err = json.Marshal(body)
	}
	if err == nil {
		var stored []byte
		if stored, err = json.Marshal(o); err == nil {
			err = s.Idempotency.Finish(context.WithoutCancel(ctx), k,
				idempotency.Answer{Fingerprint: mark, Body: stored, ETag: etag}, s.Clock.Now())
		}
	}
	if err != nil {
		s.Log.ErrorContext(ctx, "idempotent answer not kept", "operation", k.Operation, "error", err)
	}
}

func (s *Server) abandon(ctx context.Context, k idempotency.Key) {
	if err := s.Idempotency.Abandon(context.WithoutCancel(ctx), k); err != nil {
		s.Log.ErrorContext(ctx, "idempotency key not freed", "operation", k.Operation, "error", err)
	}
}
