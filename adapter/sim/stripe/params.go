package stripe

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Documented limits of metadata.
const (
	maxMetadataKeys  = 50
	maxMetadataKey   = 40
	maxMetadataValue = 500
)

// params reads one level of a form. It records the read parameters: done refuses the others, as
// the processor refuses unknown parameters.
type params struct {
	node  *node
	path  string
	read  map[string]bool
	below []*params
	first *apiError // the first error
}

func newParams(n *node, path string) *params {
	return &params{node: n, path: path, read: map[string]bool{}}
}

// done returns the error of the parameters, if any.
func (p *params) done() *apiError {
	if p.first != nil {
		return p.first
	}
	for _, key := range p.node.order {
		if !p.read[key] {
			return invalid("parameter_unknown", p.name(key), "Received unknown parameter: %s", p.name(key))
		}
	}
	for _, b := range p.below {
		if e := b.done(); e != nil {
			return e
		}
	}
	return nil
}

func (p *params) name(key string) string {
	if p.path == "" {
		return key
	}
	return p.path + "[" + key + "]"
}

func (p *params) fail(e *apiError) {
	if p.first == nil {
		p.first = e
	}
}

func (p *params) child(key string) *node {
	p.read[key] = true
	return p.node.keys[key]
}

// has reports whether a parameter is present, including as the empty string.
func (p *params) has(key string) bool { return p.node.keys[key] != nil }

// ignore accepts parameters without effect in the simulator.
func (p *params) ignore(keys ...string) {
	for _, key := range keys {
		p.read[key] = true
	}
}

// text returns a parameter. An empty one unsets a value.
func (p *params) text(key string) (value string, given bool) {
	n := p.child(key)
	if n == nil {
		return "", false
	}
	if !n.leaf {
		p.fail(invalid("parameter_invalid_string", p.name(key), "Invalid string: %s must be a value, not a group", p.name(key)))
		return "", false
	}
	return n.value, true
}

// value is text for a value that cannot be unset.
func (p *params) value(key string) (string, bool) {
	v, given := p.text(key)
	if given && v == "" {
		p.fail(invalid("parameter_invalid_empty", p.name(key),
			"You passed an empty string for '%s'. We assume empty values are an attempt to unset a parameter; however '%s' cannot be unset.",
			p.name(key), p.name(key)))
		return "", false
	}
	return v, given
}

func (p *params) required(key string) string {
	v, given := p.value(key)
	if !given {
		p.fail(invalid("parameter_missing", p.name(key), "Missing required param: %s.", p.name(key)))
	}
	return v
}

// set stores a parameter if it is present. An empty one unsets the value.
func (p *params) set(key string, into *text) {
	if v, given := p.text(key); given {
		*into = text(v)
	}
}

func (p *params) integer(key string) (int64, bool) {
	v, given := p.value(key)
	if !given {
		return 0, false
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		p.fail(invalid("parameter_invalid_integer", p.name(key), "Invalid integer: %s", v))
		return 0, false
	}
	return n, true
}

// within is integer with limits.
func (p *params) within(key string, low, high int64) (int64, bool) {
	n, given := p.integer(key)
	if given && (n < low || n > high) {
		p.fail(invalid("parameter_invalid_integer", p.name(key), "This value must be between %d and %d.", low, high))
		return 0, false
	}
	return n, given
}

var decimalText = regexp.MustCompile(`^\d{1,15}(\.\d{1,12})?$`)

// decimal is a non-negative number as text.
func (p *params) decimal(key string) (string, bool) {
	v, given := p.value(key)
	if given && !decimalText.MatchString(v) {
		p.fail(invalid("parameter_invalid_decimal", p.name(key), "Invalid decimal: %s", v))
		return "", false
	}
	return v, given
}

func (p *params) boolean(key string) (value, given bool) {
	v, given := p.value(key)
	if given && v != "true" && v != "false" {
		p.fail(invalid("parameter_invalid_boolean", p.name(key), "Invalid boolean: %s", v))
		return false, false
	}
	return v == "true", given
}

func (p *params) setBool(key string, into *bool) {
	if v, given := p.boolean(key); given {
		*into = v
	}
}

// one is a parameter from a closed list.
func (p *params) one(key string, of ...string) (string, bool) {
	v, given := p.value(key)
	if given && !slices.Contains(of, v) {
		p.fail(invalid("", p.name(key), "Invalid %s: must be one of %s", p.name(key), strings.Join(of, ", ")))
		return "", false
	}
	return v, given
}

func (p *params) oneOr(key, otherwise string, of ...string) string {
	if v, given := p.one(key, of...); given {
		return v
	}
	return otherwise
}

// group is the level below. An absent group has no parameters.
func (p *params) group(key string) *params {
	n := p.child(key)
	if n == nil || n.leaf {
		if n != nil && n.value != "" {
			p.fail(invalid("parameter_invalid_object", p.name(key), "Invalid object: %s", p.name(key)))
		}
		return newParams(&node{}, p.name(key))
	}
	g := newParams(n, p.name(key))
	p.below = append(p.below, g)
	return g
}

// groups is a list of groups.
func (p *params) groups(key string) []*params {
	n := p.child(key)
	if n == nil {
		return nil
	}
	if n.leaf {
		if n.value != "" {
			p.fail(invalid("parameter_invalid_array", p.name(key), "Invalid array"))
		}
		return nil
	}
	var out []*params
	for _, index := range n.order {
		g := newParams(n.keys[index], p.name(key)+"["+index+"]")
		if n.keys[index].leaf {
			p.fail(invalid("parameter_invalid_object", g.path, "Invalid object: %s", g.path))
			continue
		}
		p.below = append(p.below, g)
		out = append(out, g)
	}
	return out
}

// texts is a list of values.
func (p *params) texts(key string) (values []string, given bool) {
	n := p.child(key)
	if n == nil {
		return nil, false
	}
	if n.leaf {
		if n.value != "" {
			p.fail(invalid("parameter_invalid_array", p.name(key), "Invalid array"))
		}
		return nil, true
	}
	for _, index := range n.order {
		if element := n.keys[index]; element.leaf {
			values = append(values, element.value)
		} else {
			p.fail(invalid("parameter_invalid_string", p.name(key), "Invalid string: %s[%s]", p.name(key), index))
		}
	}
	return values, true
}

// metadata merges metadata: an empty value removes a key, an empty metadata removes all.
func (p *params) metadata(into *map[string]string) {
	merged := map[string]string{}
	for k, v := range *into {
		merged[k] = v
	}
	n := p.child("metadata")
	if n != nil && n.leaf {
		merged = map[string]string{}
		if n.value != "" {
			p.fail(invalid("", p.name("metadata"), "Invalid metadata: must be a hash"))
		}
	} else if n != nil {
		for _, key := range n.order {
			p.metadataEntry(merged, key, n.keys[key])
		}
	}
	if len(merged) > maxMetadataKeys {
		p.fail(invalid("", p.name("metadata"), "You can only have up to %d metadata keys.", maxMetadataKeys))
	}
	*into = merged
}

func (p *params) metadataEntry(into map[string]string, key string, n *node) {
	at := fmt.Sprintf("%s[%s]", p.name("metadata"), key)
	switch {
	case !n.leaf:
		p.fail(invalid("", at, "Metadata values must be strings, but for key '%s' you passed in a value of type hash", key))
	case len(key) > maxMetadataKey:
		p.fail(invalid("", at, "Metadata keys can be up to %d characters long.", maxMetadataKey))
	case len([]rune(n.value)) > maxMetadataValue:
		p.fail(invalid("", at, "Metadata values can have up to %d characters.", maxMetadataValue))
	case n.value == "":
		delete(into, key)
	default:
		into[key] = n.value
	}
}
