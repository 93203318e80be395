// Package docs serves the documentation: the pages of the project, a reference
// that shows the joined specification and can send requests, and the
// specifications. No page loads anything from other hosts.
package docs

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"docledger/openapi"

	"github.com/gin-gonic/gin"
	"go.yaml.in/yaml/v4"
)

//go:embed page.html
var page []byte

//go:embed start.js
var start []byte

// The viewer has a fixed version and is stored compressed, next to its licence.
//
//go:embed scalar/scalar-1.46.4.js.gz
var viewer []byte

// policy allows the inline styles and embedded images of the viewer. It allows
// no other host.
const policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
	"worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'"

const (
	html       = "text/html; charset=utf-8"
	javaScript = "text/javascript; charset=utf-8"
	oneYear    = "public, max-age=31536000, immutable"
	revalidate = "no-cache"
)

// Register adds the pages of /docs, the reference /docs/reference, the outline
// /llms.txt and each specification at /openapi/{name}. name is the file name, such as
// backend.yaml, or docledger.yaml for the joined specification. Each
// specification is also available as JSON.
//
// Files that are converted from others are converted at the first request for
// them, because that takes a tenth of the start of the service.
func Register(routes gin.IRoutes) error {
	specs, err := loadSpecs()
	if err != nil {
		return err
	}
	outline := once(llmsAsset)
	if err := registerSite(routes); err != nil {
		return err
	}
	routes.GET("/llms.txt", func(c *gin.Context) { send(c, outline(), revalidate) })
	routes.GET("/docs/reference", func(c *gin.Context) {
		c.Header("Content-Security-Policy", policy)
		send(c, asset{html, page, tag(page)}, revalidate)
	})
	routes.GET("/docs/start.js", func(c *gin.Context) { send(c, asset{javaScript, start, tag(start)}, revalidate) })
	routes.GET("/docs/scalar-1.46.4.js", sendViewer)
	for name, spec := range specs {
		routes.GET("/openapi/"+name, func(c *gin.Context) { send(c, spec(), revalidate) })
	}
	return nil
}

// once makes an asset from embedded files at the first use. The tests make all
// of them; an error is a fault of the build.
func once(make func() (asset, error)) func() asset {
	return sync.OnceValue(func() asset {
		made, err := make()
		if err != nil {
			panic(fmt.Sprintf("docs: %v", err))
		}
		return made
	})
}

// asset is a file in memory.
type asset struct {
	mediaType string
	data      []byte
	tag       string
}

func tag(data []byte) string {
	sum := sha256.Sum256(data)
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}

func loadSpecs() (map[string]func() asset, error) {
	files := openapi.Files()
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, fmt.Errorf("list specifications: %w", err)
	}
	specs := map[string]func() asset{}
	for _, entry := range entries {
		mediaType := "application/yaml"
		if path.Ext(entry.Name()) == ".json" {
			mediaType = "application/json"
		}
		specs[entry.Name()] = once(func() (asset, error) {
			data, err := fs.ReadFile(files, entry.Name())
			return asset{mediaType, data, tag(data)}, err
		})
		if base, ok := strings.CutSuffix(entry.Name(), ".yaml"); ok {
			specs[base+".json"] = converted(entry.Name(), "application/json", toJSON)
		}
	}
	name := strings.TrimSuffix(openapi.JoinedName, ".json") + ".yaml"
	specs[name] = converted(openapi.JoinedName, "application/yaml", toYAML)
	return specs, nil
}

// converted returns a specification in another notation.
func converted(name, mediaType string, convert func([]byte) ([]byte, error)) func() asset {
	return once(func() (asset, error) {
		text, err := fs.ReadFile(openapi.Files(), name)
		if err != nil {
			return asset{}, fmt.Errorf("read specification: %w", err)
		}
		data, err := convert(text)
		if err != nil {
			return asset{}, fmt.Errorf("convert %s: %w", name, err)
		}
		return asset{mediaType, data, tag(data)}, nil
	})
}

// toYAML encodes a specification as YAML. It parses JSON as YAML, so that
// integers stay integers.
func toYAML(text []byte) ([]byte, error) {
	var spec any
	if err := yaml.Unmarshal(text, &spec); err != nil {
		return nil, err
	}
	return yaml.Marshal(spec)
}

// toJSON encodes a specification as JSON. References to other files point to
// their JSON form.
func toJSON(text []byte) ([]byte, error) {
	var spec map[string]any
	if err := yaml.Unmarshal(text, &spec); err != nil {
		return nil, err
	}
	out, err := json.Marshal(spec)
	return bytes.ReplaceAll(out, []byte(`.yaml#/`), []byte(`.json#/`)), err
}

func send(c *gin.Context, a asset, caching string) {
	c.Header("Cache-Control", caching)
	c.Header("ETag", a.tag)
	if c.GetHeader("If-None-Match") == a.tag {
		c.Status(http.StatusNotModified)
		return
	}
	c.Data(http.StatusOK, a.mediaType, a.data)
}

// sendViewer sends the compressed viewer. It decompresses the viewer for a
// client that does not accept gzip.
func sendViewer(c *gin.Context) {
	c.Writer.Header().Add("Vary", "Accept-Encoding")
	if acceptsGzip(c.GetHeader("Accept-Encoding")) {
		c.Header("Content-Encoding", "gzip")
		send(c, asset{javaScript, viewer, tag(viewer)}, oneYear)
		return
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(viewer))
	if err != nil {
		panic(fmt.Sprintf("docs: embedded viewer is corrupt: %v", err))
	}
	c.Header("Cache-Control", oneYear)
	c.Header("Content-Type", javaScript)
	c.Status(http.StatusOK)
	// A client that disconnects is not an error.
	_, _ = io.Copy(c.Writer, unpacked)
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
