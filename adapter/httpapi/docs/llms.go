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
- [Errors](/docs/errors): each error.code with its cause and what to do
- [Reference for people](/docs)

## Operations

`

// llmsAsset returns /llms.txt: the head and one line for each operation.
func llmsAsset() (asset, error) {
	doc, err := openapi.Load()
	if err != nil {
		return asset{}, fmt.Errorf("read specification: %w", err)
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

// order returns the position of a method among the methods of a path.
func order(method string) int {
	return slices.Index([]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, method)
}
