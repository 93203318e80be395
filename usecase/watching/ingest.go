package watching

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"docledger/domain/billing"
	"docledger/domain/docstore"
	"docledger/domain/document"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/watch"

	"github.com/google/uuid"
)

const (
	// takeInBatch is the number of files that are loaded at a time.
	takeInBatch = 100
	// maxStumbles is the number of consecutive files without a valid response after which the
	// document store is considered unavailable.
	maxStumbles = 3
	// maxAbsences is how often docledger requests a file that the document store reports but does
	// not find. Document stores may be inconsistent for a short time.
	maxAbsences = 5
)

// The errors of a download.
var (
	errTooLarge   = errors.New("the file exceeds the upload limit")
	errUnfinished = errors.New("the file differs from the announced one")
	errSlow       = errors.New("the file took too long")
)

// ingest ingests the wanted files. more reports whether files are left that only wait for the next
// turn.
func (p *poll) ingest(ctx context.Context) (more bool, err error) {
	for {
		wanted, err := p.Nodes.Wanted(ctx, p.i.ID, p.Clock.Now(), takeInBatch)
		if err != nil || len(wanted) == 0 {
			return false, err
		}
		if p.late() {
			return true, nil
		}
		if err := p.loadTree(ctx); err != nil {
			return false, err
		}
		if wanted, err = p.excludeOutside(ctx, wanted); err != nil {
			return false, err
		}
		for n := range wanted {
			if p.late() {
				return true, nil
			}
			if err := p.ingestOne(ctx, &wanted[n]); err != nil {
				return false, err
			}
		}
	}
}

// excludeOutside marks files outside the watched directories and returns the others. They are
// marked in bulk, because a change of a folder requeues all excluded files.
func (p *poll) excludeOutside(ctx context.Context, wanted []watch.Node) (inside []watch.Node, err error) {
	var outside []watch.Node
	for _, n := range wanted {
		if p.tree.Watched(n.Parent) {
			inside = append(inside, n)
			continue
		}
		n.State, n.Reason = watch.Outside, ""
		outside = append(outside, n)
	}
	if len(outside) == 0 {
		return inside, nil
	}
	return inside, p.change(ctx, func(ctx context.Context, _ *watch.Watch) error {
		return p.Nodes.Put(ctx, p.i.ID, outside)
	})
}

// ingestOne ingests a file, or records why it could not be ingested. An error ends the poll.
func (p *poll) ingestOne(ctx context.Context, n *watch.Node) error {
	if reason := p.unwanted(n); reason != "" {
		n.Skip(reason, p.Clock.Now())
		return p.note(ctx, n)
	}
	kept, content, why := p.fetch(ctx, n)
	if why == nil && kept.SizeBytes > 0 {
		p.stumbles = 0
		return p.record(ctx, n, kept, content)
	}
	if !p.classifyFailure(ctx, n, why) {
		return why
	}
	if err := p.note(ctx, n); err != nil {
		return err
	}
	if n.Reason != watch.Unanswered {
		p.stumbles = 0
		return nil
	}
	if p.stumbles++; p.stumbles < maxStumbles {
		return nil
	}
	return why
}

// unwanted returns why a file is skipped without a download; "" if it is not.
func (p *poll) unwanted(n *watch.Node) watch.Reason {
	switch {
	case n.Linked:
		return watch.Linked
	case watch.IsTemporary(n.Name):
		return watch.Temporary
	case n.Size == 0:
		return watch.Empty
	case n.Size > p.MaxBytes:
		return watch.TooLarge
	}
	return ""
}

// classifyFailure records in the node why the file could not be ingested. It returns false if the
// failure is not specific to the file.
func (p *poll) classifyFailure(ctx context.Context, n *watch.Node, why error) bool {
	now, after := p.Clock.Now(), time.Duration(0)
	if f, ok := fault.As(why); ok {
		after = f.RetryAfter
	}
	switch {
	case why == nil:
		n.Skip(watch.Empty, now)
	case errors.Is(why, errTooLarge):
		n.Skip(watch.TooLarge, now)
	case errors.Is(why, errUnfinished):
		n.Retry(watch.Unfinished, 0, now)
	case errors.Is(why, docstore.ErrLocked):
		n.Retry(watch.Locked, after, now)
	case errors.Is(why, docstore.ErrDenied):
		n.Retry(watch.Denied, 0, now)
	case errors.Is(why, docstore.ErrWithheld):
		n.Skip(watch.Withheld, now)
	case fault.CodeOf(why) == fault.CodeNotFound && n.Attempts < maxAbsences:
		n.Retry(watch.Gone, 0, now)
	case fault.CodeOf(why) == fault.CodeNotFound:
		n.Skip(watch.Gone, now)
	case ctx.Err() == nil && unanswered(why):
		n.Retry(watch.Unanswered, after, now)
	default:
		return false
	}
	return true
}

// unanswered reports whether the document store gave no valid response.
func unanswered(err error) bool {
	return fault.CodeOf(err) == fault.CodeProviderUnavailable &&
		!errors.Is(err, integration.ErrRateLimited) && !errors.Is(err, integration.ErrCircuitOpen)
}

// note stores the state of a file.
func (p *poll) note(ctx context.Context, n *watch.Node) error {
	if n.Reason != "" {
		p.Log.InfoContext(ctx, "watched file not ingested", "integration", p.i.ID, "state", n.State, "reason", n.Reason, "attempts", n.Attempts)
	}
	return p.change(ctx, func(ctx context.Context, _ *watch.Watch) error {
		return p.Nodes.Put(ctx, p.i.ID, []watch.Node{*n})
	})
}

// fetch streams a file into the blob store. FileTimeout limits it, so that a slow download does not
// block other files.
func (p *poll) fetch(ctx context.Context, n *watch.Node) (kept document.StoredBlob, content docstore.Content, err error) {
	whole := ctx
	ctx, cancel := context.WithTimeout(ctx, p.FileTimeout)
	defer cancel()
	err = p.with(ctx, func(ctx context.Context, a integration.Access) error {
		var err error
		if content, err = p.st.Open(ctx, a, p.w.Place, n.Item); err != nil {
			return err
		}
		kept, err = p.Intake.StoreBlob(ctx, &bounded{r: content.Body, left: p.MaxBytes})
		if err := errors.Join(err, content.Body.Close()); err != nil {
			return err
		}
		announced := content.Size
		if announced < 0 && content.Name == "" {
			announced = n.Size
		}
		if announced >= 0 && kept.SizeBytes != announced {
			return errUnfinished
		}
		return nil
	})
	if err != nil && ctx.Err() != nil && whole.Err() == nil {
		err = integration.Unavailable(p.i.Provider, 0, errSlow)
	}
	return kept, content, err
}

// bounded is a reader that fails with errTooLarge after too many bytes.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(buf []byte) (int, error) {
	n, err := b.r.Read(buf)
	if b.left -= int64(n); b.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// record creates a document for a version that has none and records it in the node, in one
// transaction.
func (p *poll) record(ctx context.Context, n *watch.Node, kept document.StoredBlob, content docstore.Content) error {
	version := content.Version
	if version == "" {
		version = n.Version
	}
	held, err := p.full(ctx)
	if err != nil {
		return err
	}
	path, _ := p.tree.Path(n.Parent)
	in := document.IngestInput{
		StoredBlob: kept, EntityID: p.i.EntityID, IntegrationID: p.i.ID, Filename: n.Name, SourcePath: join(path, n.Name), Held: held,
	}
	if content.Name != "" {
		in.Filename = content.Name
	}
	return p.change(ctx, func(ctx context.Context, w *watch.Watch) error {
		v := watch.Version{IntegrationID: p.i.ID, Item: n.ID, Version: version}
		there, err := p.Versions.DocumentOf(ctx, v)
		if err != nil {
			return err
		}
		n.MarkIngested(version)
		if there == uuid.Nil {
			d, _, err := p.Intake.Ingest(ctx, p.actor, in)
			if err != nil {
				return fmt.Errorf("record the document: %w", err)
			}
			if err := p.Versions.Add(ctx, v, d.ID, p.Clock.Now()); err != nil {
				return err
			}
			w.FilesTakenIn++
		}
		return p.Nodes.Put(ctx, p.i.ID, []watch.Node{*n})
	})
}

func join(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}

// full reports whether the plan has no room for another invoice this month. If many files arrive at
// once, extraction holds the documents beyond the limit.
func (p *poll) full(ctx context.Context) (bool, error) {
	plan, err := p.Plans.Of(ctx, p.i.OrganizationID)
	if err != nil || plan.MaxInvoicesPerMonth == nil {
		return false, err
	}
	used, err := p.Usage.Used(ctx, p.i.OrganizationID, billing.Invoices, billing.Month(p.Clock.Now()))
	return used >= *plan.MaxInvoicesPerMonth, err
}
