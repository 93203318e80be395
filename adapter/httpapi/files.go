package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"docledger/usecase/documents"

	"github.com/gin-gonic/gin"
)

// sentFile is a file as the response of an operation. It never changes, so its
// checksum is the entity tag.
type sentFile struct {
	documents.File
	request *http.Request
	// inline lets browsers show the file. Only files that docledger made itself
	// are inline; a document is an untrusted file.
	inline bool
}

// fileOf returns the response with a file. The caller's request selects a range.
func fileOf(ctx context.Context, f *documents.File) (sentFile, error) {
	out := sentFile{File: *f}
	if c, ok := ctx.(*gin.Context); ok {
		out.request = c.Request
	}
	if f.SHA256 != "" {
		return out, nil
	}
	sum := sha256.New()
	_, err := io.Copy(sum, f.Content)
	if err == nil {
		_, err = f.Content.Seek(0, io.SeekStart)
	}
	if err != nil {
		return out, fmt.Errorf("read file: %w", err)
	}
	out.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return out, nil
}

// send writes the response.
func (f sentFile) send(w http.ResponseWriter) error {
	defer f.Content.Close() //nolint:errcheck // it is only read
	size, err := f.Content.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = f.Content.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("read file: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", f.MediaType)
	disposition := "attachment"
	if f.inline {
		disposition = "inline"
	}
	h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": f.Name}))
	if f.Policy != "" {
		h.Set("Content-Security-Policy", f.Policy+"; frame-ancestors 'none'; sandbox")
	}
	h.Set("ETag", strconv.Quote(f.SHA256))
	h.Set("Cache-Control", "private, no-cache")
	// If a read or write fails, the response is shorter than its Content-Length,
	// which the client detects.
	http.ServeContent(w, conditional(f.request, size), "", time.Time{}, f.Content)
	return nil
}

// oneRange is a Range header with one range of bytes.
var oneRange = regexp.MustCompile(`^bytes=(\d{0,18})-(\d{0,18})$`)

// conditional returns a request with those of the headers that lead to 200, 206 or
// 304. Others lead to statuses that the API does not have; HTTP lets a server
// ignore them.
func conditional(r *http.Request, size int64) *http.Request {
	out := &http.Request{Method: http.MethodGet, Header: http.Header{}}
	if r == nil {
		return out
	}
	out.Method = r.Method
	for _, name := range []string{"If-None-Match", "If-Range"} {
		if value := r.Header.Get(name); value != "" {
			out.Header.Set(name, value)
		}
	}
	asked := strings.ReplaceAll(r.Header.Get("Range"), " ", "")
	if m := oneRange.FindStringSubmatch(asked); m != nil && satisfiable(m[1], m[2], size) {
		out.Header.Set("Range", asked)
	}
	return out
}

// satisfiable reports whether a file has bytes of a range.
func satisfiable(first, last string, size int64) bool {
	from, errFrom := strconv.ParseInt(first, 10, 64)
	to, errTo := strconv.ParseInt(last, 10, 64)
	switch {
	case first == "":
		return errTo == nil && to > 0 && size > 0 // the last bytes
	case errFrom != nil || from >= size:
		return false
	}
	return last == "" || errTo == nil && to >= from
}
