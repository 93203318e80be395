package definition

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// found collects what a value has that its type does not have, and the fields
// that are in order.
type found struct {
	d        *Definition
	form     bool // scalars are texts
	findings []string
	fields   map[string]bool
}

// value compares a decoded JSON value with a type. at names the value.
func (f *found) value(at string, t, v any) {
	if v == nil || t == "any" {
		return
	}
	switch of := t.(type) {
	case string:
		f.named(at, of, v)
	case []any:
		list, isList := v.([]any)
		if text, isText := v.(string); f.form && isText {
			list, isList = []any{text}, true // separated by commas, or one of several
		}
		if !isList {
			f.report("%s is %s and no list", at, kind(v))
			return
		}
		for _, item := range list {
			f.value(at+"[]", of[0], item)
		}
	case map[string]any:
		if options, isUnion := of["|"].([]any); isUnion && len(of) == 1 {
			f.oneOf(at, options, v)
			return
		}
		f.object(at, "", of, v)
	}
}

// named compares a value with a scalar or a type by its name.
func (f *found) named(at, name string, v any) {
	if strings.HasPrefix(name, "#") {
		of := f.d.Types[name[1:]]
		if fields, isObject := of.(map[string]any); isObject && fields["|"] == nil {
			f.object(at, name[1:], fields, v)
			return
		}
		f.value(at, of, v)
		return
	}
	if strings.HasPrefix(name, "!") {
		if _, isText := v.(string); !isText {
			f.report("%s is of type %s, which the excerpt does not have", at, name[1:])
		}
		return
	}
	if got := kind(v); got != name && !(f.form && got == "string") {
		f.report("%s is %s and not %s", at, got, name)
	}
}

// object compares the fields of an object with those of a type.
func (f *found) object(at, name string, of map[string]any, v any) {
	fields, isObject := v.(map[string]any)
	if !isObject {
		if f.form && v == "" {
			return // an empty text removes the object
		}
		f.report("%s is %s and no object", at, kind(v))
		return
	}
	if name != "" {
		at = name
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		inner, known := of[field]
		if !known && f.d.Everywhere {
			// An annotation of a field is the field's name, an @ and the annotation.
			annotation := field
			if i := strings.LastIndex(field, "@"); i > 0 {
				annotation = field[i:]
			}
			inner, known = f.d.Envelope[annotation]
		}
		rest, isMap := of["*"]
		switch {
		case known:
			f.fields[at+"."+field] = true
			f.value(at+"."+field, inner, fields[field])
		case isMap:
			f.value(at+".*", rest, fields[field])
		default:
			f.report("%s has no field %s", at, field)
		}
	}
}

// oneOf accepts a value that one of the types accepts, and else reports what
// the one with the fewest findings misses.
func (f *found) oneOf(at string, options []any, v any) {
	var best *found
	for _, option := range options {
		try := &found{d: f.d, form: f.form, fields: map[string]bool{}}
		try.value(at, option, v)
		if best == nil || len(try.findings) < len(best.findings) ||
			len(try.findings) == len(best.findings) && len(try.fields) > len(best.fields) {
			best = try
		}
	}
	f.findings = append(f.findings, best.findings...)
	maps.Copy(f.fields, best.fields)
}

func (f *found) report(format string, args ...any) {
	f.findings = append(f.findings, fmt.Sprintf(format, args...))
}

// kind names the JSON type of a value.
func kind(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "null"
}

// nested returns parameters such as a[b][0]=c as objects and lists.
func nested(values map[string][]string) map[string]any {
	root := map[string]any{}
	for name, all := range values {
		keys := strings.Split(strings.ReplaceAll(name, "]", ""), "[")
		at := root
		for _, key := range keys[:len(keys)-1] {
			inner, isObject := at[key].(map[string]any)
			if !isObject {
				inner = map[string]any{}
				at[key] = inner
			}
			at = inner
		}
		if last := keys[len(keys)-1]; len(all) > 0 {
			at[last] = all[0]
		}
	}
	return lists(root).(map[string]any)
}

// lists replaces objects by lists if all their keys are numbers or empty.
func lists(v any) any {
	object, isObject := v.(map[string]any)
	if !isObject {
		return v
	}
	list, numbered := []any{}, len(object) > 0
	for _, key := range slices.Sorted(maps.Keys(object)) {
		object[key] = lists(object[key])
		list = append(list, object[key])
		numbered = numbered && strings.Trim(key, "0123456789") == ""
	}
	if numbered {
		return list
	}
	return object
}
