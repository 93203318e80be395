package documents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"docledger/domain/document"
	"docledger/domain/extraction"
	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

// The widths of page images in pixels.
const (
	MaxPageWidth     = 2000
	DefaultPageWidth = 1000
	// keptWidth is the step of the widths that are kept. Other widths are rendered for each request,
	// so that a caller cannot fill the blob store with one page.
	keptWidth = 100
)

// viewTimeout limits how long a request waits for the image of a page.
const viewTimeout = 25 * time.Second

// viewVersion is part of the name of each page image. It increases if the same page is rendered
// differently.
const viewVersion = 1

// File is a derived file that a response contains. The caller closes Content.
type File struct {
	SHA256    string // "" if it is not kept
	MediaType string
	Policy    string // the Content-Security-Policy; "" for the usual one
	Name      string
	Content   io.ReadSeekCloser
}

// memoryFile is a file in memory.
type memoryFile struct{ *bytes.Reader }

// Close implements io.Closer.
func (memoryFile) Close() error { return nil }

// PageImage returns the image of a page, from 1, at most width pixels wide (domain D29). Page 1 of a
// part of a file is the first page of the part.
func (s *Service) PageImage(ctx context.Context, a identity.Actor, id uuid.UUID, number, width int) (*File, error) {
	d, err := s.Documents.Get(ctx, a.Scope(), id)
	if err != nil {
		return nil, err
	}
	if err := s.requirePages(ctx, d); err != nil {
		return nil, err
	}
	number, err = pageOfFile(d, number)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("page/%d/%d/%d/%d", viewVersion, partOf(d), number, width)
	f, err := s.derived(ctx, d, name, width%keptWidth == 0, func(ctx context.Context, v extraction.Viewed) ([]byte, error) {
		return s.Viewer.Image(ctx, v, number, width)
	})
	if err != nil {
		return nil, err
	}
	f.MediaType, f.Name = "image/png", fmt.Sprintf("page-%d.png", number)
	return f, nil
}

// partOf returns which invoice of its file a document is, from 1; 0 means the whole file. Parts that
// are ranges of pages are files of pages, not of invoices.
func partOf(d *document.Document) int {
	if d.Pages != nil {
		return 0
	}
	return d.Part
}

// pageOfFile returns the number of a document's page in its file.
func pageOfFile(d *document.Document, number int) (int, error) {
	if d.Pages == nil {
		return number, nil
	}
	if number > d.Pages.To-d.Pages.From+1 {
		return 0, errNoPage(d)
	}
	return d.Pages.From + number - 1, nil
}

func errNoPage(d *document.Document) error {
	if d.PageCount > 0 {
		return fault.New(fault.NotFound, fault.CodeNotFound, "The document has no such page. Its last page is %d.", d.PageCount)
	}
	return fault.New(fault.NotFound, fault.CodeNotFound, "The document has no such page.")
}

// derived returns a file derived from the original: the stored one, or what derive returns, which is
// stored if keep is true.
func (s *Service) derived(ctx context.Context, d *document.Document, name string, keep bool, derive func(context.Context, extraction.Viewed) ([]byte, error)) (*File, error) {
	if keep {
		f, err := s.stored(ctx, d, name)
		if err != nil || f != nil {
			return f, err
		}
	}
	waiting, cancel := context.WithTimeout(ctx, viewTimeout)
	defer cancel()
	data, err := s.onOriginal(waiting, d, derive)
	if err != nil {
		return nil, viewFault(ctx, d, err)
	}
	f := &File{Content: memoryFile{bytes.NewReader(data)}}
	if !keep {
		return f, nil
	}
	// A file that cannot be stored is returned nevertheless; the next request derives it again.
	sha256, size, err := s.Blobs.Put(ctx, bytes.NewReader(data))
	if err == nil {
		err = document.KeepBlob(ctx, s.Blobs, s.Removals, sha256, s.Clock.Now().Add(s.BlobGrace))
	}
	if err == nil {
		r := document.Rendition{Source: d.SHA256, Name: name, SHA256: sha256, SizeBytes: size, CreatedAt: s.Clock.Now()}
		stored, err := s.Renditions.Put(ctx, r)
		if err == nil && !stored { // the document was deleted in the meantime
			// If this fails, the bytes remain without a reference, as after an interrupted upload.
			_ = s.Removals.Schedule(ctx, d.OrganizationID, []string{sha256}, s.Clock.Now().Add(s.BlobGrace))
		}
		if stored {
			f.SHA256 = sha256
			if len(data) > maxInMemory {
				if file, err := s.stored(ctx, d, name); err == nil && file != nil {
					return file, nil
				}
			}
		}
	}
	return f, nil
}

// stored returns a stored rendition, or nil.
func (s *Service) stored(ctx context.Context, d *document.Document, name string) (*File, error) {
	r, err := s.Renditions.Find(ctx, d.SHA256, name)
	if err != nil || r == nil {
		return nil, err
	}
	content, err := s.Blobs.Open(ctx, r.SHA256)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return nil, nil // a restored database can name files that are gone
	}
	if err != nil {
		return nil, fmt.Errorf("open blob: %w", err)
	}
	return &File{SHA256: r.SHA256, Content: content}, nil
}

// maxInMemory is the size above which a derived file is sent from the blob store, because a slow
// client would keep it in memory.
const maxInMemory = 1 << 20

// onOriginal calls derive with a local file of the original bytes.
func (s *Service) onOriginal(ctx context.Context, d *document.Document, derive func(context.Context, extraction.Viewed) ([]byte, error)) ([]byte, error) {
	// One organization renders one file at a time, so that hostile documents of one delay no other.
	done, err := s.turns.Take(ctx, d.OrganizationID)
	if err != nil {
		return nil, err
	}
	defer done()
	path, release, err := s.Blobs.Local(ctx, d.SHA256)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return nil, extraction.Fail(extraction.ContentMissing, "The stored original is missing. Upload the document again and inform the operator.")
	}
	if err != nil {
		return nil, fmt.Errorf("fetch blob: %w", err)
	}
	defer release()
	return derive(ctx, extraction.Viewed{Path: path, Part: partOf(d)})
}

// viewFault converts the error of a viewer. ctx is that of the request.
func viewFault(ctx context.Context, d *document.Document, err error) error {
	var failure *extraction.Failure
	switch {
	case errors.Is(err, extraction.ErrNoPage):
		return errNoPage(d)
	case errors.As(err, &failure):
		return fault.New(fault.Invalid, fault.CodeUnreadableDocument, "The document cannot be shown: %s", failure.Message).
			With("document_id", d.ID.String()).
			With("failure", map[string]any{"code": failure.Code(), "message": failure.Message}).
			With("reason", failure.Code())
	case errors.Is(err, extraction.ErrUnavailable), errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		f := fault.New(fault.Unavailable, fault.CodeUnavailable, "Pages cannot be shown at the moment. Try again later.").WithCause(err)
		f.RetryAfter = viewRetry
		return f
	}
	return err
}

// viewRetry is when a caller may try again.
const viewRetry = 5 * time.Second

// PageWords returns the words of a page, from 1 (domain D29). Those of a scan were recognized when
// it was extracted; until then it has none.
func (s *Service) PageWords(ctx context.Context, a identity.Actor, id uuid.UUID, number int) ([]extraction.PageWord, error) {
	d, err := s.Documents.Get(ctx, a.Scope(), id)
	if err != nil {
		return nil, err
	}
	if err := s.requirePages(ctx, d); err != nil {
		return nil, err
	}
	number, err = pageOfFile(d, number)
	if err != nil {
		return nil, err
	}
	recognized, err := s.stored(ctx, d, extraction.WordsName(number))
	if err != nil {
		return nil, err
	}
	if recognized != nil {
		defer recognized.Content.Close() //nolint:errcheck // it is only read
		data, err := io.ReadAll(recognized.Content)
		if err != nil {
			return nil, fmt.Errorf("read words: %w", err)
		}
		return extraction.DecodeWords(data)
	}
	waiting, cancel := context.WithTimeout(ctx, viewTimeout)
	defer cancel()
	var words []extraction.PageWord
	_, err = s.onOriginal(waiting, d, func(ctx context.Context, v extraction.Viewed) (_ []byte, err error) {
		words, err = s.Viewer.Words(ctx, v, number)
		return nil, err
	})
	if err != nil {
		return nil, viewFault(ctx, d, err)
	}
	return words, nil
}
