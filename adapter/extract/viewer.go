package extract

import (
	"context"
	"io"
	"os"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/sniff"
	"docledger/adapter/extract/worker"
	"docledger/domain/extraction"
)

// Viewer implements extraction.PageViewer. It has separate child processes, so that
// users do not wait for running extractions.
type Viewer struct{ pool *worker.Pool }

var _ extraction.PageViewer = (*Viewer)(nil)

// NewViewer returns a Viewer that renders at most children pages at the same time.
// The program must call worker.ServeIfChild first in main. NewViewer starts no child;
// the first page does.
func NewViewer(children int, cacheDir string) *Viewer {
	return &Viewer{pool: worker.NewViewing(children, cacheDir)}
}

// Image implements extraction.PageViewer.
func (v *Viewer) Image(ctx context.Context, path string, page, width int) ([]byte, error) {
	view, err := v.pool.View(ctx, path, page, width)
	if err != nil {
		return nil, err
	}
	return view.PNG, nil
}

// Words implements extraction.PageViewer.
func (v *Viewer) Words(ctx context.Context, path string, page int) ([]extraction.PageWord, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, unavailable("open document", err)
	}
	defer f.Close()
	head, err := io.ReadAll(io.NewSectionReader(f, 0, sniff.HeadBytes))
	if err != nil {
		return nil, unavailable("read document", err)
	}
	if sniff.Detect(head).Kind != sniff.PDF {
		return nil, nil // an image has no text layer
	}
	read, err := v.pool.PageText(ctx, path, page, extraction.MaxPageWords)
	if err != nil {
		return nil, err
	}
	return wordsOf(read), nil
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
