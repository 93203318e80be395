package definition

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Field is a field that a connector reads or writes.
type Field struct {
	Name  string
	Folds bool    // upper and lower case are the same
	Kind  string  // "string", "number", "boolean", or "" for any
	Of    []Field // of an object, or of the objects in a list; nil for any other value
}

// Knows returns why no object of the definition has all fields; "" if one has
// them. The fields of several types count as one object if together names them; "errors" names
// those of all refusals.
func (d *Definition) Knows(fields []Field, together ...string) string {
	if len(together) > 0 {
		merged := map[string]any{}
		for _, name := range together {
			of, isObject := d.Types[name].(map[string]any)
			for _, e := range d.Errors {
				if text, isName := e.(string); isName {
					e = d.Types[strings.TrimPrefix(text, "#")]
				}
				if refusal, isFields := e.(map[string]any); isFields && name == "errors" {
					maps.Copy(merged, refusal)
					isObject = true
				}
			}
			if !isObject {
				return fmt.Sprintf("the definition has no type %s", name)
			}
			maps.Copy(merged, of)
		}
		return strings.Join(d.lacks(fields, merged), ", ")
	}
	var fewest []string
	for n, object := range d.objects() {
		lacking := d.lacks(fields, object)
		if len(lacking) == 0 {
			return ""
		}
		if n == 0 || len(lacking) < len(fewest) {
			fewest = lacking
		}
	}
	return strings.Join(fewest, ", ")
}

// objects returns all objects of the definition.
func (d *Definition) objects() []map[string]any {
	var all []map[string]any
	var collect func(t any)
	collect = func(t any) {
		switch t := t.(type) {
		case []any:
			for _, of := range t {
				collect(of)
			}
		case map[string]any:
			if t["|"] == nil {
				all = append(all, t)
			}
			for _, field := range slices.Sorted(maps.Keys(t)) {
				collect(t[field])
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Operations)) {
		collect(d.Operations[name].Body)
		collect(d.Operations[name].Answer)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Types)) {
		collect(d.Types[name])
	}
	collect(any(d.Others))
	for _, e := range d.Errors {
		collect(e)
	}
	return all
}

// lacks returns the fields that an object does not have, or has with another
// type.
func (d *Definition) lacks(fields []Field, object map[string]any) (lacking []string) {
	for _, f := range fields {
		t, has := object[f.Name]
		if !has && f.Folds {
			for name, of := range object {
				if strings.EqualFold(name, f.Name) {
					t, has = of, true
				}
			}
		}
		if !has && d.Envelope != nil {
			t, has = d.Envelope[f.Name]
		}
		if !has {
			lacking = append(lacking, f.Name)
			continue
		}
		if why := d.fits(f, t); why != "" {
			lacking = append(lacking, f.Name+" ("+why+")")
		}
	}
	return lacking
}

// fits returns why a field cannot be of a type; "" if it can.
func (d *Definition) fits(f Field, t any) string {
	switch of := t.(type) {
	case string:
		switch {
		case of == "any" || strings.HasPrefix(of, "!"):
			return ""
		case strings.HasPrefix(of, "#"):
			return d.fits(f, d.Types[of[1:]])
		case f.Of != nil || f.Kind != "" && f.Kind != of:
			return "it is a " + of
		}
		return ""
	case []any:
		return d.fits(f, of[0])
	case map[string]any:
		if options, isUnion := of["|"].([]any); isUnion {
			var why string
			for _, option := range options {
				if why = d.fits(f, option); why == "" {
					return ""
				}
			}
			return why
		}
		if f.Kind != "" {
			return "it is an object"
		}
		return strings.Join(d.lacks(f.Of, of), ", ")
	}
	return "it has no type"
}
