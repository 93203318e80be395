package msgraph

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
)

// contentPath is the path of the contents. The address is the only credential.
const contentPath = "/_layouts/15/download.aspx"

// content is the content of a file. A size beyond the data is filled up with zeros, so that large
// files use no memory. Such a file has no digest.
type content struct {
	data []byte
	size int64
	hash string
}

func newContent(data []byte, size int64) content {
	if size <= int64(len(data)) {
		return content{data, int64(len(data)), quickXorHash(data)}
	}
	return content{data: data, size: size}
}

// ReadAt implements io.ReaderAt.
func (c content) ReadAt(p []byte, off int64) (n int, err error) {
	if off >= c.size {
		return 0, io.EOF
	}
	if left := c.size - off; int64(len(p)) > left {
		p, err = p[:left], io.EOF
	}
	clear(p)
	if off < int64(len(c.data)) {
		copy(p, c.data[off:])
	}
	return len(p), err
}

func mediaType(name string) string {
	if media, _, err := mime.ParseMediaType(mime.TypeByExtension(path.Ext(name))); err == nil {
		return media
	}
	return "application/octet-stream"
}

// download is an address that serves a content.
type download struct {
	item    *item
	version int // of the content
	expires time.Time
}

// address returns a new address of a content. The caller holds the lock.
func (s *Server) address(i *item) string {
	secret := newSecret()
	s.identity.downloads[secret] = &download{i, i.contentVersion, s.Kit.Clock.Now().Add(s.limits.DownloadLifetime)}
	q := url.Values{"UniqueId": {strings.ToLower(i.guid)}, "Translate": {"false"}, "tempauth": {"v1." + secret}, "ApiVersion": {"2.0"}}
	return s.options.ContentOrigin + contentPath + "?" + q.Encode()
}

// content redirects to the address of the bytes.
func (s *Server) content(_ *call, i *item) answer {
	switch {
	case i.folder:
		return refusal(http.StatusBadRequest, "invalidRequest", "Folders have no content.")
	case i.infected:
		return refusal(http.StatusForbidden, "malwareDetected", "Malware was detected in the requested resource.")
	case i.locked:
		return refusal(http.StatusLocked, "resourceLocked", "The resource you are attempting to access is locked.")
	case i.uploading:
		return refusal(http.StatusConflict, "resourceModified", "The resource has changed since the caller last read it; usually an eTag mismatch")
	}
	return answer{status: http.StatusFound, header: map[string]string{"Location": s.address(i)}}
}

// serveContent serves the bytes. It refuses a request that carries an access token, as some of
// the provider's hosts do, and records it.
func (s *Server) serveContent(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	d := s.identity.downloads[strings.TrimPrefix(r.URL.Query().Get("tempauth"), "v1.")]
	if r.Header.Get("Authorization") != "" {
		s.leaked = true
		d = nil
	}
	if d == nil || !s.Kit.Clock.Now().Before(d.expires) {
		s.mu.Unlock()
		refusal(http.StatusUnauthorized, "unauthenticated", "The caller is not authenticated.").send(w)
		return
	}
	i, c, etag := d.item, d.item.content, d.item.eTag()
	name, media, modified, usable := i.name, i.media, i.modified, !i.gone() && i.contentVersion == d.version
	s.mu.Unlock()
	if !usable {
		notFound("Resource").send(w)
		return
	}
	h := w.Header()
	h.Set("Content-Type", media)
	h.Set("ETag", etag)
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename*=UTF-8''%s", url.PathEscape(name)))
	body := io.ReadSeeker(bytes.NewReader(c.data))
	if c.size > int64(len(c.data)) {
		body = io.NewSectionReader(c, 0, c.size)
	}
	http.ServeContent(w, r, name, modified, body)
}
