package documents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"docledger/domain/document"
	"docledger/domain/extraction"
)

// pagesVersion is part of the name of the file of a part's pages. It increases if the same pages are
// copied differently.
const pagesVersion = 1

// Original opens what the readers of a document may have of its original, and describes it in a copy of
// the document. It is the bytes as received. Of a part in another entity than its file it is a PDF of
// the part only, because the other parts belong to people of other entities (domain D12). The caller
// closes it. If it cannot be opened, Original returns the document with the error.
func (s *Service) Original(ctx context.Context, d *document.Document) (*document.Document, io.ReadSeekCloser, error) {
	elsewhere, err := document.Elsewhere(ctx, s.Documents, d)
	if err != nil {
		return d, nil, err
	}
	if !elsewhere {
		r, err := s.Blobs.Open(ctx, d.SHA256)
		if err != nil {
			return d, nil, fmt.Errorf("open blob: %w", err)
		}
		return d, r, nil
	}
	f, err := s.ownPart(ctx, d)
	if err != nil {
		return d, nil, err
	}
	size, err := f.Content.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = f.Content.Seek(0, io.SeekStart)
	}
	if err != nil {
		return d, nil, errors.Join(fmt.Errorf("read part: %w", err), f.Content.Close())
	}
	own := *d
	own.Filename, own.MediaType, own.SizeBytes, own.SHA256 = baseOf(d.Filename)+".pdf", "application/pdf", size, f.SHA256
	return &own, f.Content, nil
}

// ownPart returns a PDF of a part without the rest of its file: its pages, or the data of its invoice.
func (s *Service) ownPart(ctx context.Context, d *document.Document) (*File, error) {
	switch {
	case d.Pages != nil:
		name := fmt.Sprintf("pages/%d/%d/%d", pagesVersion, d.Pages.From, d.Pages.To)
		return s.derived(ctx, d, name, true, func(ctx context.Context, v extraction.Viewed) ([]byte, error) {
			file := extraction.MergedFile{Path: v.Path, Name: d.Filename}
			for n := d.Pages.From; n <= d.Pages.To; n++ {
				file.Pages = append(file.Pages, extraction.MergedPage{Number: n})
			}
			data, _, err := s.Merger.Merge(ctx, []extraction.MergedFile{file})
			return data, err
		})
	case ofPages(d):
		return nil, document.ErrOfOthers(d)
	}
	return s.derived(ctx, d, fmt.Sprintf("part/%d/%d", pagesVersion, d.Part), true, func(ctx context.Context, v extraction.Viewed) ([]byte, error) {
		return s.Viewer.PDF(ctx, v)
	})
}

// ofPages reports whether the file of a document has pages, which are not those of one invoice only.
func ofPages(d *document.Document) bool {
	return d.MediaType == "application/pdf" || strings.HasPrefix(d.MediaType, "image/")
}

// requirePages returns a fault if pages of the document cannot be separated from those of other parts.
func (s *Service) requirePages(ctx context.Context, d *document.Document) error {
	if d.Pages != nil || !ofPages(d) {
		return nil
	}
	return s.requireWhole(ctx, d)
}

// requireWhole returns a fault if the readers of the document may not have the whole file. It is for
// what belongs to the file, such as its attachments.
func (s *Service) requireWhole(ctx context.Context, d *document.Document) error {
	elsewhere, err := document.Elsewhere(ctx, s.Documents, d)
	if err == nil && elsewhere {
		err = document.ErrOfOthers(d)
	}
	return err
}
