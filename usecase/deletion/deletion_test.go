package deletion_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"docledger/domain/document"
	"docledger/usecase/deletion"

	"github.com/google/uuid"
)

// removals are claimed blobs.
type removals struct {
	document.Removals
	claimed []string
}

func (r *removals) Claim(_ context.Context, _ time.Time, limit int) ([]string, error) {
	return slices.Clone(r.claimed[:min(limit, len(r.claimed))]), nil
}

func (r *removals) Done(_ context.Context, sha256 string, _ time.Time) error {
	r.claimed = slices.DeleteFunc(r.claimed, func(s string) bool { return s == sha256 })
	return nil
}

func (*removals) Forget(context.Context, time.Time) error { return nil }

// blobs cannot remove one blob.
type blobs struct {
	document.Blobs
	stuck string
}

var errStuck = errors.New("access denied")

func (b blobs) Remove(_ context.Context, sha256 string) error {
	if sha256 == b.stuck {
		return errStuck
	}
	return nil
}

// TestABlobThatRemains checks that other blobs are removed, and that the run ends.
func TestABlobThatRemains(t *testing.T) {
	t.Parallel()
	r := &removals{claimed: []string{"a", "b", "c"}}
	s := &deletion.Service{Removals: r, Blobs: blobs{stuck: "a"}, Log: slog.New(slog.DiscardHandler)}
	if err := s.RemoveBlobs(t.Context(), time.Now()); !errors.Is(err, errStuck) || !slices.Equal(r.claimed, []string{"a"}) {
		t.Errorf("%v, still claimed: %v", err, r.claimed)
	}
}

// expired are old documents. Reading the lock of the organization fails for one of them.
type expired struct {
	document.Deletions
	documents []document.Document
}

func (e expired) Expired(_ context.Context, _ time.Time, after *document.Document, _ int) ([]document.Document, error) {
	if after != nil {
		return nil, nil
	}
	return e.documents, nil
}

// turns fails in one organization and records the others.
type turns struct {
	deletion.Duplicates
	failing uuid.UUID
	reached map[uuid.UUID]bool
}

func (d turns) InTurn(_ context.Context, organization uuid.UUID, _ func(context.Context) error) error {
	d.reached[organization] = true
	if organization == d.failing {
		return errStuck
	}
	return nil
}

// TestADocumentThatRemains checks that the deletion by age continues with other documents.
func TestADocumentThatRemains(t *testing.T) {
	t.Parallel()
	first, second := uuid.New(), uuid.New()
	d := turns{failing: first, reached: map[uuid.UUID]bool{}}
	s := &deletion.Service{
		RetentionYears: 10, Duplicates: d, Log: slog.New(slog.DiscardHandler),
		Deletions: expired{documents: []document.Document{{ID: uuid.New(), OrganizationID: first}, {ID: uuid.New(), OrganizationID: second}}},
	}
	if err := s.Retain(t.Context(), time.Now()); !errors.Is(err, errStuck) || !d.reached[second] {
		t.Errorf("%v, reached %v", err, d.reached)
	}
}
