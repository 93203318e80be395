package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"docledger/openapi/check"
)

// Check parses the arguments of a call. The error states what to change for at
// most check.MaxFields arguments. Its cost is bounded for every input.
func (t Tool) Check(ctx context.Context, arguments []byte) (Object, error) {
	arguments = bytes.TrimSpace(arguments)
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = []byte("{}")
	}
	if arguments[0] != '{' || !json.Valid(arguments) {
		return nil, errors.New("the arguments must be one JSON object")
	}
	value, fields, err := check.Body(ctx, t.takes, arguments)
	if err != nil {
		return nil, err
	}
	if len(fields) > 0 {
		return nil, errors.New(strings.Join(reasons(fields), "; "))
	}
	return value.(Object), nil
}

func reasons(fields []check.Field) []string {
	var all []string
	for _, f := range fields[:min(len(fields), check.MaxFields)] {
		if f.Field == "" {
			f.Field = "arguments"
		}
		all = append(all, f.Field+": "+f.Reason)
	}
	if len(fields) > check.MaxFields {
		all = append(all, "and further arguments")
	}
	return all
}

// Request creates the API request from validated arguments. backend is the
// origin of the API.
func (t Tool) Request(ctx context.Context, backend *url.URL, arguments Object) (*http.Request, error) {
	path := t.path
	for _, name := range t.inPath {
		value := scalar(arguments[name])
		// A segment of dots would be resolved against the path. A segment with
		// a slash, escaped or not, could be parsed as several segments and call
		// another operation.
		if strings.Trim(value, ".") == "" || strings.ContainsAny(value, `/\`) {
			return nil, fmt.Errorf("%s: must not be a path segment of dots or contain a slash", name)
		}
		path = strings.Replace(path, "{"+name+"}", url.PathEscape(value), 1)
	}
	query := url.Values{}
	for _, name := range t.query {
		value, there := arguments[name]
		switch values, several := value.([]any); {
		case !there || value == nil:
		case several && slices.Contains(t.repeated, name):
			for _, v := range values {
				query.Add(name, scalar(v))
			}
		default:
			query.Set(name, scalar(value))
		}
	}
	var body []byte
	if t.hasDoc {
		document := Object{}
		for name, value := range arguments {
			if slices.Contains(t.body, name) {
				document[name] = value
			}
		}
		var err error
		if body, err = json.Marshal(document); err != nil {
			return nil, err
		}
	}
	target := backend.String() + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, t.method, target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", jsonType)
	if t.hasDoc {
		req.Header.Set("Content-Type", jsonType)
	}
	return req, nil
}

// scalar formats a parameter value; lists are separated by commas.
func scalar(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		parts := make([]string, len(v))
		for i, part := range v {
			parts[i] = scalar(part)
		}
		return strings.Join(parts, ",")
	}
	return fmt.Sprint(value)
}
