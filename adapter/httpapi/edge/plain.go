package edge

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
)

// mediaJSON is the media type of every JSON response, of successes and errors.
const mediaJSON = "application/json"

// plainJSON writes JSON responses without the escapes for HTML that the encoder
// makes of &, < and >. No client shows a response as a page, and every escape
// makes a text harder to read.
func plainJSON(c *gin.Context) {
	c.Writer = &plainWriter{c.Writer}
	c.Next()
}

type plainWriter struct{ gin.ResponseWriter }

// Write implements http.ResponseWriter. The encoders write a response in one
// call, so that no escape is divided.
func (w *plainWriter) Write(p []byte) (int, error) {
	if !bytes.Contains(p, escapePrefix) || !w.encoded() {
		return w.ResponseWriter.Write(p)
	}
	if _, err := w.ResponseWriter.Write(unescapeHTML(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// encoded reports whether the response is a record that an encoder wrote. A file
// has its length or a disposition, and its bytes must not change.
func (w *plainWriter) encoded() bool {
	h := w.Header()
	return strings.HasPrefix(h.Get("Content-Type"), mediaJSON) && h.Get("Content-Length") == "" && h.Get("Content-Disposition") == ""
}

// Unwrap lets http.ResponseController reach the connection.
func (w *plainWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

var escapePrefix = []byte(`\u00`)

// unescapeHTML replaces \u0026, \u003c and \u003e in a JSON text by their
// characters. A backslash that is itself escaped begins no escape.
func unescapeHTML(p []byte) []byte {
	out := make([]byte, 0, len(p))
	for i := 0; i < len(p); i++ {
		if p[i] != '\\' || i+1 == len(p) {
			out = append(out, p[i])
			continue
		}
		if i+6 <= len(p) && p[i+1] == 'u' {
			switch string(p[i+2 : i+6]) {
			case "0026":
				out, i = append(out, '&'), i+5
				continue
			case "003c":
				out, i = append(out, '<'), i+5
				continue
			case "003e":
				out, i = append(out, '>'), i+5
				continue
			}
		}
		out = append(out, p[i], p[i+1])
		i++
	}
	return out
}
