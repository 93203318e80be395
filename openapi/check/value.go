package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
)

// Body decodes data and validates it against schema. It returns the errors of
// both in the order of the paths, and one error for each path. prepare may
// change the decoded value before it is validated. The error is that of ctx.
func Body(ctx context.Context, schema *openapi3.Schema, data []byte, prepare func(value any)) (fields []Field, err error) {
	value, fields, err := read(ctx, schema, data)
	if err != nil || value == nil && len(fields) > 0 {
		return fields, err
	}
	prepare(value)
	wrong, err := Value(ctx, schema, value, "")
	if err != nil {
		return nil, err
	}
	for _, f := range wrong {
		if !slices.ContainsFunc(fields, func(other Field) bool { return other.Field == f.Field }) {
			fields = append(fields, f)
		}
	}
	sortFields(fields)
	return fields[:min(len(fields), MaxFields+1)], nil
}

func sortFields(fields []Field) {
	slices.SortFunc(fields, func(a, b Field) int {
		return strings.Compare(a.Field+"\x00"+a.Reason, b.Field+"\x00"+b.Reason)
	})
}

// Value returns where value does not conform to the schema of a request, in
// the order of the paths, and at most MaxFields+1 errors. name is the path of
// the value itself. The error is that of ctx.
func Value(ctx context.Context, schema *openapi3.Schema, value any, name string) ([]Field, error) {
	v := &validator{ctx: ctx}
	if name != "" {
		v.path.key(name)
	}
	err := v.check(schema, value)
	sortFields(v.fields)
	if err == errEnough {
		err = nil
	}
	return v.fields, err
}

// validator walks arrays and objects itself, since the library collects every
// error or stops at the first one. Scalars are the library's.
type validator struct {
	ctx    context.Context
	values int
	path   path
	fields []Field
}

func (v *validator) refuse(reason string) error {
	f := Field{v.path.String(), reason}
	if slices.Contains(v.fields, f) {
		return nil
	}
	if v.fields = append(v.fields, f); len(v.fields) > MaxFields {
		return errEnough
	}
	return nil
}

func (v *validator) check(schema *openapi3.Schema, value any) error {
	if v.values++; v.values%ctxEvery == 0 && v.ctx.Err() != nil {
		return v.ctx.Err()
	}
	if composed(schema) {
		return v.library(schema, value)
	}
	switch value := value.(type) {
	case []any:
		if schema.Type.Is(openapi3.TypeArray) {
			return v.array(schema, value)
		}
	case map[string]any:
		if schema.Type.Is(openapi3.TypeObject) {
			return v.object(schema, value)
		}
	case string:
		if reason := tooLong(schema, value); reason != "" {
			return v.refuse(reason)
		}
	}
	return v.library(schema, value)
}

func composed(schema *openapi3.Schema) bool {
	return len(schema.AllOf)+len(schema.AnyOf)+len(schema.OneOf) > 0 || schema.Not != nil
}

// tooLong refuses a text by its length before a pattern is matched against it.
func tooLong(schema *openapi3.Schema, text string) string {
	if schema.MaxLength == nil || uint64(len(text)) <= *schema.MaxLength {
		return ""
	}
	if uint64(utf8.RuneCountInString(text)) <= *schema.MaxLength {
		return ""
	}
	return reason(&openapi3.SchemaError{Schema: schema, SchemaField: "maxLength"})
}

func (v *validator) array(schema *openapi3.Schema, array []any) error {
	switch {
	case uint64(len(array)) < schema.MinItems:
		return v.refuse(reason(&openapi3.SchemaError{Schema: schema, SchemaField: "minItems"}))
	case schema.MaxItems != nil && uint64(len(array)) > *schema.MaxItems:
		return v.refuse(reason(&openapi3.SchemaError{Schema: schema, SchemaField: "maxItems"}))
	case schema.Items == nil:
		return nil
	}
	for i, item := range array {
		v.path.index(i)
		if err := v.check(schema.Items.Value, item); err != nil {
			return err
		}
		v.path.pop()
	}
	if schema.UniqueItems && repeats(array) {
		return v.refuse(reason(&openapi3.SchemaError{Schema: schema, SchemaField: "uniqueItems"}))
	}
	return v.unique(schema, array)
}

// repeats reports whether two items of an array are equal.
func repeats(array []any) bool {
	seen := map[string]bool{}
	for _, item := range array {
		text, err := json.Marshal(item)
		if err != nil {
			continue // its type is refused
		}
		if seen[string(text)] {
			return true
		}
		seen[string(text)] = true
	}
	return false
}

// unique refuses the items of an array whose keys have the values of an earlier
// item. x-unique-by of the schema lists the keys.
func (v *validator) unique(schema *openapi3.Schema, array []any) error {
	keys, _ := schema.Extensions["x-unique-by"].([]any)
	if len(keys) == 0 {
		return nil
	}
	first := map[string]bool{}
	for i, item := range array {
		object, _ := item.(map[string]any)
		values := make([]any, len(keys))
		for k, key := range keys {
			name, _ := key.(string)
			values[k] = object[name]
		}
		id, err := json.Marshal(values)
		if err != nil || object == nil {
			continue // its type is refused
		}
		if first[string(id)] {
			v.path.index(i)
			if err := v.refuse("repeats the " + keysText(keys) + " of an earlier item"); err != nil {
				return err
			}
			v.path.pop()
		}
		first[string(id)] = true
	}
	return nil
}

func keysText(keys []any) string {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = fmt.Sprint(key)
	}
	return strings.Join(names, " and ")
}

func (v *validator) object(schema *openapi3.Schema, object map[string]any) error {
	for _, key := range schema.Required {
		if _, there := object[key]; there {
			continue
		}
		v.path.key(key)
		if err := v.refuse("is required"); err != nil {
			return err
		}
		v.path.pop()
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		member, described := memberOf(schema, key)
		v.path.key(key)
		var err error
		switch {
		case !described:
			err = v.refuse("is not a known field")
		case member != nil:
			err = v.check(member, object[key])
		}
		if err != nil {
			return err
		}
		v.path.pop()
	}
	return nil
}

// library validates a value that is small, or whose schema has alternatives.
func (v *validator) library(schema *openapi3.Schema, value any) error {
	err := schema.VisitJSON(value, openapi3.VisitAsRequest(), openapi3.MultiErrors(), openapi3.WithStringFormatValidators(formats))
	if err == nil {
		return nil
	}
	return v.collect(value, err)
}

// collect turns the library's errors about value into fields. It descends into
// those that contain others: several at once, or the alternatives of a union.
func (v *validator) collect(value any, err error) error {
	// errors.As would match the first member of a collection, so a collection is
	// looked for first.
	if several, ok := err.(openapi3.MultiError); ok {
		for _, e := range several {
			if err := v.collect(value, e); err != nil {
				return err
			}
		}
		return nil
	}
	var single *openapi3.SchemaError
	if !errors.As(err, &single) {
		return v.refuse("is not valid")
	}
	if parts := alternatives(single); len(parts) > 0 {
		return v.collect(value, parts)
	}
	depth := len(v.path.segments)
	for _, segment := range single.JSONPointer() {
		value = v.path.enter(value, segment)
	}
	err = v.refuse(reason(single))
	v.path.segments = v.path.segments[:depth]
	return err
}

// alternatives returns why each part of a oneOf or allOf did not fit.
func alternatives(err *openapi3.SchemaError) openapi3.MultiError {
	for origin := err.Origin; origin != nil; origin = errors.Unwrap(origin) {
		if several, ok := origin.(openapi3.MultiError); ok {
			return several
		}
	}
	return nil
}
