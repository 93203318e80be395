package readable

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"
)

//go:embed page.html
var page string

//go:embed page.css
var style string

// Policy is the Content-Security-Policy of the HTML: only its own style applies.
var Policy = fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'", styleHash())

func styleHash() string {
	sum := sha256.Sum256([]byte(style))
	return base64.StdEncoding.EncodeToString(sum[:])
}

var parsed = template.Must(template.New("page").Parse(page))

// HTML renders a document as a page without scripts, links, images or forms.
func HTML(d Document) ([]byte, error) {
	var out bytes.Buffer
	err := parsed.Execute(&out, struct {
		view
		Style  template.CSS
		Policy string
	}{viewOf(d), template.CSS(style), Policy}) //nolint:gosec // the style is our own file
	if err != nil {
		return nil, fmt.Errorf("render HTML: %w", err)
	}
	return out.Bytes(), nil
}

// Align returns the class of a column.
func (t table) Align(column int) string {
	if column >= t.Right && column != t.unitColumn() {
		return "right"
	}
	return ""
}

// unitColumn is the column of units, which is text between numbers.
func (t table) unitColumn() int {
	for i, h := range t.Head {
		if strings.EqualFold(h, "unit") {
			return i
		}
	}
	return -1
}
