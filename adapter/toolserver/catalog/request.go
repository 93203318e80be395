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

	"github.com/getkin/kin-openapi/openapi3"
)

// Check parses the arguments of a call. null is an absent argument, because
// some clients send every argument that exists. The error states what to change
// for at most check.MaxFields arguments. Its cost is bounded for every input.
func (t Tool) Check(ctx context.Context, arguments []byte) (Object, error) {
	arguments = bytes.TrimSpace(arguments)
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = []byte("{}")
	}
	if arguments[0] != '{' || !json.Valid(arguments) {
		return nil, errors.New("the arguments must be one JSON object")
	}
	value, fields, err := check.Decode(ctx, t.takes, arguments)
	if err != nil {
		return nil, err
	}
	if len(fields) == 0 {
		dropNulls(value, t.takes)
		if fields, err = check.Value(ctx, t.takes, value, ""); err != nil {
			return nil, err
		}
	}
	if len(fields) > 0 {
		return nil, errors.New(strings.Join(reasons(fields), "; "))
	}
	object, ok := value.(Object)
	if !ok {
		return nil, errors.New("the arguments must be one JSON object")
	}
	return object, t.checkFields(object)
}

// dropNulls removes the members of objects that are null. It leaves members that
// the schema does not describe, which check.Value refuses.
func dropNulls(value any, schema *openapi3.Schema) {
	if schema == nil {
		return
	}
	switch v := value.(type) {
	case Object:
		for name, member := range v {
			described := schema.Properties[name]
			switch {
			case described == nil:
			case member == nil:
				delete(v, name)
			default:
				dropNulls(member, described.Value)
			}
		}
	case []any:
		for _, item := range v {
			if schema.Items != nil {
				dropNulls(item, schema.Items.Value)
			}
		}
	}
}

// checkFields refuses unknown names in ArgFields.
func (t Tool) checkFields(arguments Object) error {
	asked, _ := arguments[ArgFields].([]any)
	for _, name := range asked {
		if !slices.Contains(t.selects, fmt.Sprint(name)) {
			return fmt.Errorf("%s: there is no field %s; %s", ArgFields, check.Clean(fmt.Sprint(name)), t.similar(fmt.Sprint(name)))
		}
	}
	return nil
}

// similar names the members of the object that an unknown field refers to, else
// the fields without a path. The description of the argument has all of them.
func (t Tool) similar(name string) string {
	first, _, _ := strings.Cut(name, ".")
	var of, top []string
	for _, field := range t.selects {
		switch outer, _, nested := strings.Cut(field, "."); {
		case outer == first:
			of = append(of, field)
		case !nested:
			top = append(top, field)
		}
	}
	if len(of) > 0 {
		return "similar fields are " + strings.Join(of, ", ")
	}
	return "the fields are " + strings.Join(top, ", ")
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
	for name, value := range t.fixed {
		if !t.hasDoc {
			query.Set(name, value)
		}
	}
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
		for name, value := range t.fixed {
			document[name] = value
		}
		for name, value := range arguments {
			if slices.Contains(t.body, name) {
				document[name] = value
			}
		}
		if err := t.empty(document, arguments[ArgClear]); err != nil {
			return nil, err
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
