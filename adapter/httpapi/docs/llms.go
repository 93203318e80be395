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

// llmsHead begins /llms.txt, an outline of the documentation for readers that
// are programs.
const llmsHead = `# docledger

> Takes invoices in, extracts their data, checks it, lets people review, correct and approve it, and carries it into accounting software, over one HTTP API.

- Authentication: POST /api/auth/login answers a token; send it as "Authorization: Bearer TOKEN".
- The usual way: upload a document, extract it, read the invoice, approve it, sync it.
- Amounts, rates and quantities are decimal strings; timestamps are RFC 3339 in UTC.
- Lists answer {"items", "next_cursor"}; pass next_cursor as the parameter cursor (in /api/events: after).
- Errors answer {"error": {"code", "message", "details"}}; the message says what to do.
- Assistants have tools at /mcp (Model Context Protocol), where an identity provider signs people in.

## Reference

- [Specification, all of it](/openapi/docledger.json): OpenAPI 3.0; [as YAML](/openapi/docledger.yaml)
- [Errors](/docs/errors): each error.code with its cause and what to do
- [Reference for people](/docs)

## Operations

`

// llmsAsset is /llms.txt: the head, then a line for each operation.
func llmsAsset() (asset, error) {
	doc, err := openapi.Load()
	if err != nil {
		return asset{}, fmt.Errorf("read the specification: %w", err)
	}
	type line struct{ path, method, summary string }
	var lines []line
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			lines = append(lines, line{path, method, summaryOf(op)})
		}
	}
	slices.SortFunc(lines, func(a, b line) int { return cmp.Or(strings.Compare(a.path, b.path), order(a.method)-order(b.method)) })
	out := bytes.NewBufferString(llmsHead)
	for _, l := range lines {
		fmt.Fprintf(out, "- %s %s: %s\n", l.method, l.path, l.summary)
	}
	return asset{"text/plain; charset=utf-8", out.Bytes(), tag(out.Bytes())}, nil
}

func summaryOf(op *openapi3.Operation) string {
	if op.Summary != "" {
		return op.Summary
	}
	return op.OperationID
}

// order is the place of a method among those of one path.
func order(method string) int {
	return slices.Index([]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, method)
}
