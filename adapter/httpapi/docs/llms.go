package docs

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"docledger/openapi"

	"github.com/getkin/kin-openapi/openapi3"
)

// llmsHead is the head of /llms.txt, an outline of the documentation for
// programs.
const llmsHead = `# docledger

> Extracts invoices from documents, checks them, supports review, correction and approval, and syncs them to a ledger, over one HTTP API.

- Authentication: POST /api/auth/login returns a token. Send it as "Authorization: Bearer TOKEN".
- Typical workflow: upload a document, extract its invoice, get the invoice, approve it, sync it.
- Amounts, rates and quantities are decimal strings; timestamps are RFC 3339 in UTC.
- Lists return {"items", "next_cursor"}. Send next_cursor as the parameter cursor (in /api/events: after).
- Errors return {"error": {"code", "message", "details"}}. The message states what to do.
- Assistants use the tools at /mcp (Model Context Protocol). Users sign in with an identity provider.

## Reference

- [Complete specification](/openapi/docledger.json): OpenAPI 3.0; [as YAML](/openapi/docledger.yaml)
- [Errors](/docs/errors.md): each error.code with its cause and what to do
- [Reference for people](/docs/reference)
`

// llmsAsset returns /llms.txt: the head, one line for each page and one for each
// operation.
func llmsAsset() (asset, error) {
	doc, err := openapi.Shared()
	if err != nil {
		return asset{}, fmt.Errorf("read specification: %w", err)
	}
	s, err := loadSite()
	if err != nil {
		return asset{}, err
	}
	out := bytes.NewBufferString(llmsHead)
	for _, g := range contents {
		fmt.Fprintf(out, "\n## %s\n\n", g.title)
		for _, file := range g.files {
			p := s.byFile[file]
			fmt.Fprintf(out, "- [%s](%s): %s\n", p.Title, p.markdownAddress(), p.lead)
		}
	}
	out.WriteString("\n## Operations\n\n")
	for _, o := range operationsOf(doc) {
		fmt.Fprintf(out, "- %s %s: %s\n", o.method, o.path, o.summary)
	}
	return asset{"text/plain; charset=utf-8", out.Bytes(), tag(out.Bytes())}, nil
}

// operation is what lists name of an operation.
type operation struct{ path, method, summary, id, tag string }

// reference returns the address of an operation in the reference.
func (o operation) reference() string {
	return "/docs/reference#api/tag/" + strings.ReplaceAll(strings.ToLower(o.tag), " ", "-") + "/" + o.method + o.path
}

// operationsOf lists the operations of a specification by path and method.
func operationsOf(doc *openapi3.T) []operation {
	var list []operation
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			o := operation{path, method, cmp.Or(op.Summary, op.OperationID), op.OperationID, ""}
			if len(op.Tags) > 0 {
				o.tag = op.Tags[0]
			}
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b operation) int {
		return cmp.Or(strings.Compare(a.path, b.path), order(a.method)-order(b.method))
	})
	return list
}

// order returns the position of a method among the methods of a path.
func order(method string) int {
	return slices.Index([]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, method)
}
