// Package container opens e-mails and ZIP archives and returns the files in them.
// Containers in containers are opened as well, so that all files of a container have
// one origin and share its limits. It opens no file and writes none.
//
// Its time and memory depend on content that may be hostile. The child processes of
// adapter/extract/worker therefore run it with limits.
package container

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"docledger/adapter/extract/sniff"
	"docledger/domain/extraction"
)

// Limits bound what opening a container may take.
type Limits struct {
	Entries int   // entries of archives and parts of e-mails, at all depths
	Depth   int   // containers in each other
	File    int64 // bytes of one file
	Total   int64 // bytes of all files at all depths
	Ratio   int64 // how many times the bytes of a container its files may have, beyond RatioFrom
}

// RatioFrom is the size of all files from which on their ratio to the container is
// limited. White pages and XML compress well.
const RatioFrom = 32 << 20

// DefaultLimits are those of the service.
func DefaultLimits() Limits {
	return Limits{Entries: 5000, Depth: 4, File: 48 << 20, Total: 512 << 20, Ratio: 100}
}

// MaxPath is the maximum length of a path in bytes.
const MaxPath = 500

// File is a file in a container that is not a container that can be opened.
type File struct {
	Path      string // the names of the containers around it and its own, joined by "/"
	MediaType string // detected from the bytes
	Data      []byte
	// Document reports that the file becomes a document. Files such as logos,
	// signatures and texts do not.
	Document bool
	// Readable reports that the type of the file can be extracted.
	Readable bool
}

// Can reports whether a file of this type is a container that can be opened.
func Can(t sniff.Type) bool { return t.Kind == sniff.Email || t.MediaType == zipType }

const zipType = "application/zip"

// walker opens one container.
type walker struct {
	limits  Limits
	size    int64 // of the outermost container
	entries int
	total   int64
	visit   func(*File) error
}

// Walk calls visit with each file of a container, in the order of the container. An
// error of visit ends it. A container at fault gives an *extraction.Failure. A
// container in the container that is damaged or cannot be opened is visited as a file,
// after those of its files that could be read.
func Walk(data []byte, l Limits, visit func(*File) error) error {
	w := &walker{limits: l, size: int64(len(data)), visit: visit}
	return w.open(data, sniff.Detect(data), "", 1)
}

// open opens a container at a depth, from 1.
func (w *walker) open(data []byte, t sniff.Type, path string, depth int) error {
	if depth > w.limits.Depth {
		return extraction.Fail(extraction.NestingTooDeep,
			"The file contains archives or e-mails in each other, more than %d deep. Unpack them and upload the documents.", w.limits.Depth)
	}
	if t.Kind == sniff.Email {
		return w.email(data, path, depth)
	}
	return w.archive(data, path, depth)
}

// count counts an entry of an archive or a part of an e-mail.
func (w *walker) count() error {
	if w.entries++; w.entries > w.limits.Entries {
		return extraction.Fail(extraction.TooLarge, "The file contains more than %d files. Split it and upload the parts.", w.limits.Entries)
	}
	return nil
}

// grow counts the bytes of a file that was unpacked.
func (w *walker) grow(n int64) error {
	w.total += n
	switch {
	case w.total > w.limits.Total:
		return extraction.Fail(extraction.ExpandsTooFar, "The files in the container have more than %d MiB. Split it and upload the parts.", w.limits.Total>>20)
	case w.total > RatioFrom && w.total/max(w.size, 1) > w.limits.Ratio:
		return extraction.Fail(extraction.ExpandsTooFar, "The files in the container have more than %d times its size. Unpack it and upload the documents.", w.limits.Ratio)
	}
	return nil
}

func (w *walker) tooLarge(name string) error {
	return extraction.Fail(extraction.TooLarge, "The file %q in the container has more than %d MiB. Unpack the container and upload its documents.", name, w.limits.File>>20)
}

// leaf visits a file, or opens it if it is a container.
func (w *walker) leaf(f *File, depth int) error {
	t := sniff.Detect(f.Data)
	f.MediaType = t.MediaType
	if Can(t) && !isPackage(f.Data, t) {
		return w.inside(f, t, depth)
	}
	switch t.Kind {
	case sniff.PDF, sniff.XML, sniff.Image, sniff.Signed:
		f.Readable = f.Document
	case sniff.PlainText, sniff.Web, sniff.Program:
		f.Document = false
	}
	if len(f.Data) == 0 {
		f.Document, f.Readable = false, false
	}
	return w.visit(f)
}

// inside opens a container in a container. What is wrong with it alone does not fail
// the container around it.
func (w *walker) inside(f *File, t sniff.Type, depth int) error {
	err := w.open(f.Data, t, f.Path, depth+1)
	var failure *extraction.Failure
	if errors.As(err, &failure) {
		switch failure.Reason {
		case extraction.Malformed, extraction.Encrypted, extraction.UnsupportedType:
			f.MediaType, f.Document = t.MediaType, true // its document shows the reason
			return w.visit(f)
		}
	}
	return err
}

// join returns the path of a file in a container with the given path.
func join(path, name string) string {
	if path != "" {
		name = path + "/" + name
	}
	for len(name) > MaxPath {
		// The name at the end says more than the containers around it.
		_, first := utf8.DecodeRuneInString(name)
		name = name[first:]
	}
	return name
}

// cleanName removes what cannot be shown from a name or path. It is "" if nothing is
// left.
func cleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, strings.ReplaceAll(name, `\`, "/"))
	var parts []string
	for part := range strings.SplitSeq(name, "/") {
		if part = strings.TrimSpace(part); part != "" && part != "." && part != ".." {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "/")
}

// base returns the last name of a path.
func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// errStop ends a walk early without a failure.
var errStop = errors.New("stop")

// Find returns the nth file, from 0, of those that do not become documents and have
// the name, type and size, or nil.
func Find(data []byte, l Limits, name, mediaType string, size int64, nth int) (found []byte, err error) {
	err = Walk(data, l, func(f *File) error {
		if f.Document || f.Path != name || f.MediaType != mediaType || int64(len(f.Data)) != size {
			return nil
		}
		if nth--; nth < 0 {
			found = f.Data
			return errStop
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return nil, fmt.Errorf("open container: %w", err)
	}
	return found, nil
}
