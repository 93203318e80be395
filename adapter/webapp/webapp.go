// Package webapp serves the web application (web/). `make web` builds it into
// the folder dist, which is embedded. A build without Node has a page instead
// that says how to get the application.
package webapp

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
)

//go:embed all:dist
var built embed.FS

//go:embed missing.html
var missing []byte

const (
	index      = "index.html"
	oneYear    = "public, max-age=31536000, immutable"
	revalidate = "no-cache"
)

// pages are the addresses of the application. An unknown address is answered by
// the service, so that API clients never receive HTML for an error.
// A test compares them with docs/api.md.
var pages = []string{
	"/", "/inbox", "/documents", "/documents/:id", "/invoices/:id", "/confirm", "/connect-assistant", "/suppliers", "/suppliers/:id", "/overview", "/integrations", "/integrations/:id", "/billing",
	"/entities", "/entities/:id", "/settings", "/settings/:id", "/members", "/api-keys", "/webhooks", "/webhooks/:id", "/account/sessions", "/account/password", "/setup",
}

// App is the web application of this build.
type App struct {
	files fs.FS
	index []byte // nil if the build has none
	tag   string
	// IdentityOrigin is the origin of the identity provider, which the
	// application may call; "" for none.
	IdentityOrigin string
}

// New returns the embedded application.
func New() (*App, error) {
	files, err := fs.Sub(built, "dist")
	if err != nil {
		return nil, fmt.Errorf("open the web application: %w", err)
	}
	return newApp(files)
}

func newApp(files fs.FS) (*App, error) {
	page, err := fs.ReadFile(files, index)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the web application: %w", err)
	}
	return &App{files: files, index: page, tag: tag(page)}, nil
}

// Available reports whether the build contains the application.
func (a *App) Available() bool { return a.index != nil }

// policy forbids everything that the application does not need: no inline
// script or style, no other host but the identity provider.
func (a *App) policy() string {
	connect := strings.TrimSpace("'self' " + a.IdentityOrigin)
	return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src " + connect +
		"; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
}

// missingPolicy is that of the page of a build without the application.
const missingPolicy = "default-src 'none'; img-src data:; frame-ancestors 'none'; base-uri 'none'"

// Register adds the pages and the files of the application.
func (a *App) Register(routes gin.IRouter) {
	for _, address := range pages {
		routes.GET(address, a.Serve)
	}
	routes.GET("/assets/*file", a.asset)
	routes.GET("/favicon.svg", a.asset)
}

// Serve sends the page of the application, which is the same at every address.
func (a *App) Serve(c *gin.Context) {
	c.Header("Cache-Control", revalidate)
	if !a.Available() && c.Request.URL.Path == "/" {
		c.Redirect(http.StatusFound, "/docs")
		return
	}
	if !a.Available() {
		c.Header("Content-Security-Policy", missingPolicy)
		c.Data(http.StatusOK, "text/html; charset=utf-8", missing)
		return
	}
	c.Header("Content-Security-Policy", a.policy())
	send(c, "text/html; charset=utf-8", a.tag, a.index)
}

// asset sends a file. The names of those in assets/ change with their content.
func (a *App) asset(c *gin.Context) {
	name := strings.TrimPrefix(path.Clean(c.Request.URL.Path), "/")
	data, packed, err := a.read(name)
	if err != nil || strings.HasSuffix(name, ".gz") {
		c.Status(http.StatusNotFound)
		return
	}
	caching := revalidate
	if strings.HasPrefix(name, "assets/") {
		caching = oneYear
	}
	c.Header("Cache-Control", caching)
	if packed {
		c.Header("Vary", "Accept-Encoding")
		if acceptsGzip(c.GetHeader("Accept-Encoding")) {
			c.Header("Content-Encoding", "gzip")
		} else if data, err = decompress(data); err != nil {
			panic(fmt.Sprintf("web application: the embedded file %s is damaged: %v", name, err))
		}
	}
	send(c, mime.TypeByExtension(path.Ext(name)), tag(data), data)
}

// read returns a file as the build contains it, and whether that is its
// compressed form.
func (a *App) read(name string) (data []byte, packed bool, err error) {
	if data, err = fs.ReadFile(a.files, name+".gz"); err == nil {
		return data, true, nil
	}
	data, err = fs.ReadFile(a.files, name)
	return data, false, err
}

func decompress(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	return data, nil
}

func send(c *gin.Context, kind, etag string, data []byte) {
	c.Header("ETag", etag)
	if c.GetHeader("If-None-Match") == etag {
		c.Status(http.StatusNotModified)
		return
	}
	c.Header("Content-Length", strconv.Itoa(len(data)))
	c.DataFromReader(http.StatusOK, int64(len(data)), kind, bytes.NewReader(data), nil)
}

func tag(data []byte) string {
	sum := sha256.Sum256(data)
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}

// acceptsGzip reads an Accept-Encoding header (RFC 9110 section 12.5.3).
func acceptsGzip(header string) bool {
	for coding := range strings.SplitSeq(header, ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if strings.EqualFold(name, "gzip") || name == "*" {
			weight, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(quality), "q="), 64)
			return err != nil || weight > 0
		}
	}
	return false
}
