package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"docledger/domain/extraction"
)

// unread is a document in a container that has no invoice.
type unread struct {
	File  string       `json:"file"`
	Error *answerError `json:"error"`
}

// insideFiles are the documents in a container, in a temporary folder.
type insideFiles struct {
	dir   string
	files []insideFile
}

type insideFile struct{ path, name string }

// add stores a document of a container. The names of files in a container are not
// used as names of files.
func (i *insideFiles) add(f extraction.ContainedFile) (err error) {
	if !f.Document {
		return nil
	}
	if i.dir == "" {
		if i.dir, err = os.MkdirTemp("", "docledger-extract-"); err != nil {
			return fmt.Errorf("store the files of the container: %w", err)
		}
	}
	path := filepath.Join(i.dir, fmt.Sprint(len(i.files)))
	if err := os.WriteFile(path, f.Data, 0o600); err != nil {
		return fmt.Errorf("store the files of the container: %w", err)
	}
	i.files = append(i.files, insideFile{path: path, name: f.Path})
	return nil
}

func (i *insideFiles) remove() {
	if i.dir != "" {
		_ = os.RemoveAll(i.dir) // a folder of temporary files
	}
}

// readInside extracts the documents in a container into one answer. If none has an
// invoice, the answer has the error of the first one.
func (e *extractor) readInside(ctx context.Context, path string, inside *insideFiles) *answer {
	a := &answer{File: path}
	for _, f := range inside.files {
		one := e.read(ctx, f.path)
		if one.Error != nil {
			a.Unread = append(a.Unread, unread{File: f.name, Error: one.Error})
			continue
		}
		a.invoices = append(a.invoices, one.invoices...)
		if a.Invoice == nil {
			a.Invoice = one.Invoice
		} else if one.Invoice != nil {
			a.More = append(a.More, one.Invoice)
		}
		a.More = append(a.More, one.More...)
	}
	if a.Invoice == nil && len(a.Unread) > 0 {
		a.Error = a.Unread[0].Error
	}
	return a
}
