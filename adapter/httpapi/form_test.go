package httpapi

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"strings"
	"testing"

	"docledger/domain/fault"
)

const fuzzLimit = 1 << 16

// FuzzForm feeds arbitrary multipart bodies to the reader of uploads: it never
// panics, never yields more than the limit, and leaves no temporary file.
func FuzzForm(f *testing.F) {
	entity := "Content-Disposition: form-data; name=\"entity_id\"\r\n\r\n01936b1e-0000-7000-8000-000000000003"
	file := "Content-Disposition: form-data; name=\"file\"; filename=\"a.xml\"\r\n\r\n<a/>"
	for _, parts := range [][]string{{entity, file}, {file, entity}, {file}, {entity}, {entity, file, file}, {}} {
		f.Add([]byte("--b\r\n" + strings.Join(parts, "\r\n--b\r\n") + "\r\n--b--\r\n"))
	}
	f.Add([]byte("--b\r\n" + entity + "\r\n--b\r\n" + file))
	f.Add([]byte("--b\r\nContent-Disposition: form-data; name=\"file\"; filename*=UTF-8''%e2%82%ac\r\n\r\nx\r\n--b--"))
	dir := f.TempDir()
	s := &Server{MaxUploadBytes: fuzzLimit, TempDir: dir}
	f.Fuzz(func(t *testing.T, body []byte) {
		in, done, err := s.readForm(t.Context(), multipart.NewReader(bytes.NewReader(body), "b"))
		if err != nil {
			return
		}
		defer done()
		n, err := io.Copy(io.Discard, in.Content)
		if n > fuzzLimit {
			t.Errorf("%d bytes were read of a form, more than the limit", n)
		}
		if err != nil && n == fuzzLimit+1 {
			t.Errorf("the limit was passed before %v", err)
		}
	})
}

func TestCappedStopsAtTheLimit(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]fault.Code{9: "", 10: "", 11: fault.CodePayloadTooLarge} {
		c := &capped{r: strings.NewReader(strings.Repeat("x", size)), left: 10, limit: 10}
		_, err := io.Copy(io.Discard, c)
		if got := fault.CodeOf(err); got != want {
			t.Errorf("%d bytes of 10: %q, want %q", size, got, want)
		}
		var f *fault.Error
		if want != "" && (!errors.As(err, &f) || f.Details["limit_bytes"] != int64(10)) {
			t.Errorf("the error does not name the limit: %v", err)
		}
	}
}
