// Package definition validates what docledger sends to a vendor, and what a
// simulator answers, against an excerpt of the vendor's published definition.
// A request or an answer with an operation, a parameter or a field that the
// definition does not have is a finding. make/excerpts.py makes the excerpts.
package definition

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

//go:embed excerpts/*.json
var excerpts embed.FS

// Source is a package from which an excerpt is made.
type Source struct {
	Package string   `json:"package"`
	Licence string   `json:"licence"`
	Files   []string `json:"files"`
}

// operation is what one method and path accept and answer. Body and Answer are
// nil if there is none, or none in JSON.
type operation struct {
	Query  map[string]any `json:"query"`
	Body   any            `json:"body"`
	Answer any            `json:"answer"`

	method string
	path   []string
}

// Definition is the excerpt of one vendor. A type is the name of a scalar, "#"
// and the name of another type, a list of one type, an object by field ("*" for
// the fields of a map), or {"|": types} for alternatives. "!" and a name is a
// type outside the excerpt, which only accepts a text such as an id.
type Definition struct {
	Vendor     string                `json:"vendor"`
	Sources    []Source              `json:"sources"`
	Standards  []string              `json:"standards"`
	Brackets   bool                  `json:"brackets"`   // parameters are nested by brackets
	Everywhere bool                  `json:"everywhere"` // each object may have the fields of Envelope
	Errors     []any                 `json:"errors"`
	Envelope   map[string]any        `json:"envelope"`
	Others     map[string]any        `json:"others"`  // what is not of an operation: tokens, events
	Origins    map[string][]string   `json:"origins"` // by path of an operation; "*" for the others; "{instance}" for one that is the customer's own
	Scopes     []string              `json:"scopes"`  // empty for a vendor without scopes
	Operations map[string]*operation `json:"operations"`
	Types      map[string]any        `json:"types"`
}

// Vendors returns the vendors that have an excerpt.
func Vendors() []string {
	files, err := excerpts.ReadDir("excerpts")
	if err != nil {
		panic(err)
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = strings.TrimSuffix(f.Name(), ".json")
	}
	return names
}

// Of returns the excerpt of a vendor.
func Of(vendor string) (*Definition, error) {
	data, err := excerpts.ReadFile("excerpts/" + vendor + ".json")
	if err != nil {
		return nil, fmt.Errorf("no definition of %s: %w", vendor, err)
	}
	d := &Definition{}
	if err := json.Unmarshal(data, d); err != nil {
		return nil, fmt.Errorf("the definition of %s: %w", vendor, err)
	}
	for name, o := range d.Operations {
		method, path, _ := strings.Cut(name, " ")
		o.method, o.path = method, strings.Split(strings.TrimPrefix(path, "/"), "/")
	}
	return d, nil
}

// find returns the operation of a request. A path with the most fixed segments
// wins over one with parameters.
func (d *Definition) find(method, path string) (name string, found *operation) {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	best := -1
	for n, o := range d.Operations {
		if fixed := o.match(method, segments); fixed > best {
			best, name, found = fixed, n, o
		}
	}
	return name, found
}

// match returns how many segments of the path are equal to the fixed ones of
// the operation, and -1 if the path is another.
func (o *operation) match(method string, segments []string) int {
	if o.method != method {
		return -1
	}
	fixed, rest := 0, o.path
	if n := slices.IndexFunc(o.path, func(want string) bool { return strings.Contains(want, "...}") }); n >= 0 {
		// A path within the path. What follows it is compared from the end.
		_, after, _ := cut(o.path[n])
		tail := o.path[n+1:]
		if len(segments) <= n+len(tail) || !slices.Equal(segments[len(segments)-len(tail):], tail) ||
			!strings.HasSuffix(segments[len(segments)-len(tail)-1], after) {
			return -1
		}
		fixed, rest, segments = len(tail), o.path[:n], segments[:n]
	}
	for i, want := range rest {
		if i >= len(segments) {
			return -1
		}
		before, after, parameter := cut(want)
		switch {
		case !parameter && want == segments[i]:
			fixed++
		case !parameter, !strings.HasPrefix(segments[i], before), !strings.HasSuffix(segments[i], after), len(segments[i]) <= len(before)+len(after):
			return -1
		}
	}
	if len(segments) != len(rest) {
		return -1
	}
	return fixed
}

// cut returns the texts before and after the parameter of a segment.
func cut(segment string) (before, after string, parameter bool) {
	before, rest, found := strings.Cut(segment, "{")
	_, after, closed := strings.Cut(rest, "}")
	return before, after, found && closed
}

// Address returns why a request to an address is not in the definition; "" if
// it is.
func (d *Definition) Address(method string, address *url.URL) string {
	name, op := d.find(method, address.EscapedPath())
	if op == nil {
		return fmt.Sprintf("the definition has no operation %s %s", method, address.Path)
	}
	_, path, _ := strings.Cut(name, " ")
	origins, known := d.Origins[path]
	if !known {
		origins = d.Origins["*"]
	}
	if origin := address.Scheme + "://" + address.Host; !slices.Contains(origins, origin) && !slices.Contains(origins, instance) {
		return fmt.Sprintf("%s is at %v and not at %s", name, origins, origin)
	}
	return ""
}

// instance is the origin of an API that each customer of the vendor has.
const instance = "{instance}"

// HasParameter reports whether an operation has a parameter or a field of a form
// with this name.
func (d *Definition) HasParameter(name string) bool {
	for _, o := range d.Operations {
		if _, has := o.Query[name]; has {
			return true
		}
		if body, isObject := o.Body.(map[string]any); isObject && body[name] != nil {
			return true
		}
	}
	return false
}
