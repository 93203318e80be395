package extract

import (
	"context"
	"io"
	"os"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/readable"
	"docledger/adapter/extract/sniff"
	"docledger/adapter/extract/worker"
	"docledger/domain/document"
	"docledger/domain/extraction"
)

// Viewer implements extraction.PageViewer. It has separate child processes, so that
// users do not wait for running extractions.
type Viewer struct{ pool *worker.Pool }

var (
	_ extraction.PageViewer = (*Viewer)(nil)
	_ extraction.Merger     = (*Viewer)(nil)
)

// NewViewer returns a Viewer that renders at most children pages at the same time.
// The program must call worker.ServeIfChild first in main. NewViewer starts no child;
// the first page does.
func NewViewer(children int, cacheDir string) *Viewer {
	return &Viewer{pool: worker.NewViewing(children, cacheDir)}
}

// Image implements extraction.PageViewer.
func (v *Viewer) Image(ctx context.Context, d extraction.Viewed, page, width int) ([]byte, error) {
	view, err := v.pool.View(ctx, d.Path, page, width, worker.Shown{Part: d.Part})
	if err != nil {
		return nil, err
	}
	return view.PNG, nil
}

// Words implements extraction.PageViewer.
func (v *Viewer) Words(ctx context.Context, d extraction.Viewed, page int) ([]extraction.PageWord, error) {
	f, err := os.Open(d.Path)
	if err != nil {
		return nil, unavailable("open document", err)
	}
	defer f.Close()
	head, err := io.ReadAll(io.NewSectionReader(f, 0, sniff.HeadBytes))
	if err != nil {
		return nil, unavailable("read document", err)
	}
	kind := sniff.Detect(head).Kind
	if kind != sniff.PDF && kind != sniff.XML && kind != sniff.Signed {
		return nil, nil // an image has no text layer
	}
	read, err := v.pool.PageText(ctx, d.Path, page, extraction.MaxPageWords, worker.Shown{Part: d.Part, PDF: kind != sniff.PDF})
	if err != nil {
		return nil, err
	}
	return wordsOf(read), nil
}

// HTML implements extraction.PageViewer.
func (v *Viewer) HTML(ctx context.Context, d extraction.Viewed) (html []byte, policy string, err error) {
	html, err = v.pool.Show(ctx, d.Path, worker.Shown{Part: d.Part})
	return html, readable.Policy, err
}

// PDF implements extraction.PageViewer.
func (v *Viewer) PDF(ctx context.Context, d extraction.Viewed) ([]byte, error) {
	return v.pool.Show(ctx, d.Path, worker.Shown{Part: d.Part, PDF: true})
}

// Attachment implements extraction.PageViewer.
func (v *Viewer) Attachment(ctx context.Context, d extraction.Viewed, a document.Attachment, nth int) ([]byte, error) {
	return v.pool.Attachment(ctx, d.Path, a, nth)
}

// Merge implements extraction.Merger.
func (v *Viewer) Merge(ctx context.Context, files []extraction.MergedFile) (pdf []byte, pages int, err error) {
	return v.pool.Merge(ctx, files)
}

// Close ends the child processes.
func (v *Viewer) Close() error { return v.pool.Close() }

func wordsOf(page *layout.Page) []extraction.PageWord {
	words := make([]extraction.PageWord, 0, min(len(page.Words), extraction.MaxPageWords))
	for i := range page.Words[:min(len(page.Words), extraction.MaxPageWords)] {
		words = append(words, extraction.PageWord{Text: page.Words[i].Text, Box: page.Words[i].Shown()})
	}
	return words
}

// onPage passes recognized words to the source.
func onPage(s extraction.Source) func(*layout.Page) {
	if s.OnWords == nil {
		return nil
	}
	return func(page *layout.Page) { s.OnWords(page.Number, wordsOf(page)) }
}
