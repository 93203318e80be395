package service

import (
	"docledger/adapter/extract"
	"docledger/domain/extraction"
)

// viewers is the number of pages that a process renders concurrently for users, and of originals
// that it reads again for them.
const viewers = 2

// viewer returns the renderer of documents for users. Close ends it.
func (s *Service) viewer() *extract.Viewer {
	if s.pages == nil {
		s.pages = extract.NewViewer(viewers, s.cfg.CompileCacheDir)
		s.closers = append(s.closers, s.pages.Close)
	}
	return s.pages
}

// originals returns the reader of originals for interactive requests. It has separate child
// processes, so that these requests never use those of the jobs. A reader that replaces the
// pipeline reads the originals too.
func (s *Service) originals(replaced extraction.Reader) extraction.Reader {
	if s.pipeline == nil {
		return replaced
	}
	p := extract.New(extract.Options{Children: viewers, Deadline: s.cfg.ExtractDeadline, CacheDir: s.cfg.CompileCacheDir})
	s.closers = append(s.closers, p.Close)
	return measured{p, s.metrics}
}
