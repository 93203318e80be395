package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"docledger/infrastructure/httpclient"
)

// Condition is one condition of a query. A row must satisfy all conditions.
type Condition string

// Equal compares a property with a text. It quotes the text.
func Equal(property, text string) Condition {
	return Condition(property + " = " + quoted(text))
}

// AtLeast compares a property with its lowest value. It quotes the text.
func AtLeast(property, text string) Condition {
	return Condition(property + " >= " + quoted(text))
}

// OneOf compares a property with several texts.
func OneOf(property string, texts []string) Condition {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = quoted(text)
	}
	return Condition(property + " IN (" + strings.Join(all, ", ") + ")")
}

// WithInactive includes inactive objects, which a query omits otherwise.
const WithInactive Condition = "Active IN (true, false)"

// quoted returns a literal of the query language, which escapes with a backslash.
func quoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

// query returns everything that a query selects.
func query[T any](ctx context.Context, c *Client, a Access, entity string, page int, conditions ...Condition) ([]T, error) {
	out := []T{}
	err := eachPage(ctx, c, a, entity, page, conditions, func(rows []T) error {
		out = append(out, rows...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// eachPage calls take with each page of what a query selects, ordered by id. Without an order, rows
// could move between pages.
func eachPage[T any](ctx context.Context, c *Client, a Access, entity string, page int, conditions []Condition, take func([]T) error) error {
	statement := "SELECT * FROM " + entity
	for i, condition := range conditions {
		word := " AND "
		if i == 0 {
			word = " WHERE "
		}
		statement += word + string(condition)
	}
	doing := "list " + entity
	for n := range maxPages {
		request := c.request(doing, http.MethodGet, a, "query")
		request.Query.Set("query", fmt.Sprintf("%s ORDERBY Id STARTPOSITION %d MAXRESULTS %d", statement, n*page+1, page))
		rows, err := queryPage[T](ctx, c, request, entity)
		if err != nil {
			return err
		}
		if err := take(rows); err != nil || len(rows) < page {
			return err
		}
	}
	return httpclient.Broken(doing, "the list does not end")
}

// queryPage returns one page. The provider omits the list if a query selects nothing.
func queryPage[T any](ctx context.Context, c *Client, request httpclient.Request, entity string) ([]T, error) {
	var said struct {
		QueryResponse map[string]json.RawMessage
	}
	if err := c.do(ctx, request, &said); err != nil {
		return nil, err
	}
	if said.QueryResponse == nil {
		return nil, httpclient.Broken(request.Operation, "the response has no result")
	}
	var rows []T
	if raw, has := said.QueryResponse[entity]; has && json.Unmarshal(raw, &rows) != nil {
		return nil, httpclient.Broken(request.Operation, "the list in the response has an unknown format")
	}
	return rows, nil
}
