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

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Validator holds arguments against what a tool takes.
type Validator struct{ schema *jsonschema.Schema }

// Validator compiles what the tool takes.
func (t Tool) Validator() (Validator, error) { return compile(t.Name, t.Input) }

func compile(name string, schema Object) (Validator, error) {
	data, err := json.Marshal(schema)
	if err != nil {
		return Validator{}, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return Validator{}, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource(name, doc); err != nil {
		return Validator{}, err
	}
	compiled, err := c.Compile(name)
	return Validator{compiled}, err
}

// Check reads the arguments of a call. The error says in words what to change.
func (v Validator) Check(arguments []byte) (Object, error) {
	if len(bytes.TrimSpace(arguments)) == 0 || string(bytes.TrimSpace(arguments)) == "null" {
		arguments = []byte("{}")
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(arguments))
	if err != nil {
		return nil, errors.New("the arguments are not one JSON object")
	}
	if err := v.schema.Validate(parsed); err != nil {
		var invalid *jsonschema.ValidationError
		if errors.As(err, &invalid) {
			return nil, errors.New(strings.Join(reasons(invalid), "; "))
		}
		return nil, err
	}
	return parsed.(Object), nil
}

var english = message.NewPrinter(language.English)

// reasons lists the innermost causes, which are what the caller can change.
func reasons(e *jsonschema.ValidationError) []string {
	if len(e.Causes) == 0 {
		where := strings.Join(e.InstanceLocation, ".")
		if where == "" {
			where = "arguments"
		}
		return []string{where + ": " + e.ErrorKind.LocalizedString(english)}
	}
	var all []string
	for _, cause := range e.Causes {
		all = append(all, reasons(cause)...)
	}
	return all
}

// Request makes the operation's request from checked arguments. backend is
// where the operations are.
func (t Tool) Request(ctx context.Context, backend *url.URL, arguments Object) (*http.Request, error) {
	path := t.path
	for _, name := range t.inPath {
		value := scalar(arguments[name])
		// A segment that is dots alone would be resolved against the path, and one
		// with a slash, escaped or not, be read as several: as another operation.
		if strings.Trim(value, ".") == "" || strings.ContainsAny(value, `/\`) {
			return nil, fmt.Errorf("%s: names nothing", name)
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

// scalar writes a value as parameters are written, lists with commas.
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
