package everyday

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"docledger/test/suites/assistant"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// waitLimit is how long the seed waits for background work.
const waitLimit = time.Minute

// client calls tools for one task and measures the calls.
type client struct {
	*world
	calls, bytes int
	listed       map[string]int // items that a list returned in this task
}

// failure ends a task that the tools cannot do.
type failure struct{ reason string }

// call calls a tool that must succeed.
func (c *client) call(tool string, arguments object) object {
	out, err := c.try(tool, arguments)
	if err != nil {
		panic(failure{err.Error()})
	}
	return out
}

func (c *client) try(tool string, arguments object) (object, error) {
	c.calls++
	result, err := c.session.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return nil, err
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		return nil, fmt.Errorf("%s: no text", tool)
	}
	c.bytes += len(text.Text)
	if result.IsError {
		return nil, fmt.Errorf("%s: %w: %s", tool, assistant.ErrRefused, text.Text)
	}
	out := object{}
	if err := decode(text.Text, &out); err != nil {
		return nil, err
	}
	if items, ok := out["items"].([]any); ok && strings.HasPrefix(tool, "list_") {
		kind := fmt.Sprint(tool, " ", arguments["kind"])
		c.listed[kind] += len(items)
		if all := c.total(tool, arguments); all > smallList && c.listed[kind] >= all {
			return nil, fmt.Errorf("%s lists everything", tool)
		}
	}
	return out, nil
}

// smallList is the length of lists that a person reads whole, such as the
// companies of the user. Longer lists must be searched.
const smallList = 5

// total returns how many records a list has without filters; 0 for lists that
// belong to one record.
func (c *client) total(tool string, arguments object) int {
	path, ok := map[string]string{
		"list_invoices": "/api/invoices?limit=200", "list_documents": "/api/documents?limit=200", "list_suppliers": "/api/suppliers?limit=200",
		"list_events": "/api/events?limit=200", "list_entities": "/api/entities?limit=200", "list_members": "/api/organization/members?limit=200",
	}[tool]
	if tool == "list_accounting" {
		kind := strings.ReplaceAll(fmt.Sprint(arguments["kind"]), "_", "-")
		path, ok = fmt.Sprintf("/api/v1/integrations/%v/accounting-%s", arguments["integrationId"], kind), true
	}
	if !ok {
		return 0
	}
	return c.Do(http.MethodGet, path, c.person, nil).OK().Len("items")
}

// find returns the only invoice that a search finds, with the given fields.
func (c *client) find(q string, fields ...string) object {
	return c.only(c.call("list_invoices", object{"q": q, "fields": fields}))
}

// only returns the only item of a list.
func (c *client) only(list object) object {
	items := itemsOf(list)
	if len(items) != 1 {
		panic(failure{fmt.Sprintf("%d items", len(items))})
	}
	return items[0]
}

func itemsOf(list object) (out []object) {
	items, _ := list["items"].([]any)
	for _, item := range items {
		if o, ok := item.(object); ok {
			out = append(out, o)
		}
	}
	return out
}

// values returns a field of every item, sorted.
func values(list object, field string) string {
	var out []string
	for _, item := range itemsOf(list) {
		out = append(out, text(item, field))
	}
	return joined(out)
}

// suppliers returns the suppliers of a list of invoices, each once.
func suppliers(list object) string {
	var out []string
	for _, item := range itemsOf(list) {
		if name := text(item, "seller.name"); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return joined(out)
}

// text returns a member by its path.
func text(o object, path string) string {
	var at any = o
	for name := range strings.SplitSeq(path, ".") {
		member, ok := at.(object)
		if !ok {
			return ""
		}
		at = member[name]
	}
	return fmt.Sprint(at)
}

// versions returns the id and the version of every item, as a bulk change needs
// them.
func versions(list object) (out []object) {
	for _, item := range itemsOf(list) {
		out = append(out, object{"id": item["id"], "version": item["version"]})
	}
	return out
}

// confirmed opens the page of a refusal as the user and confirms everything, as
// the page does.
func (c *client) confirmed(page string) string {
	u, err := url.Parse(page)
	if err != nil || !strings.HasPrefix(page, c.URL+"/confirm?") {
		panic(failure{"the page is " + page})
	}
	var items []object
	for item := range strings.SplitSeq(u.Query().Get("items"), ".") {
		raw, err := base64.RawURLEncoding.DecodeString(item)
		id, err2 := uuid.FromBytes(raw)
		if err := errors.Join(err, err2); err != nil {
			panic(failure{err.Error()})
		}
		inv := c.Do(http.MethodGet, "/api/invoices/"+id.String(), c.person, nil).OK()
		items = append(items, object{"id": id, "version": inv.Number("version")})
	}
	c.Do(http.MethodPost, "/api/invoices/bulk", c.person, object{"action": u.Query().Get("action"), "items": items}).OK()
	return fmt.Sprint(len(items), " confirmed")
}
