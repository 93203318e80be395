package spectest

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// bodyCases makes the cases of one JSON media type.
func (b *builder) bodyCases(mediaType string, schema *openapi3.Schema) {
	schema = notNull(schema)
	raw := func(kind Kind, name, contentType, body string) {
		b.add(kind, mediaType+": "+name, func(c *Case, _ url.Values) {
			c.Body = []byte(body)
			c.Header.Set("Content-Type", contentType)
			if contentType == "" {
				c.Header.Del("Content-Type")
			}
		})
	}
	if b.operation.bodyRequired() {
		raw(Fault, "no body", mediaType, "")
	}
	raw(Fault, "no content type", "", `{}`)
	raw(Fault, "foreign content type", "text/plain", `{}`)
	raw(Fault, "foreign charset", mediaType+"; charset=utf-16", `{}`)
	raw(Fault, "cut off", mediaType, `{"a":`)
	raw(Fault, "two values", mediaType, `{}{}`)
	raw(Fault, "a key twice", mediaType, `{"a":1,"a":1}`)
	raw(Fault, "invalid UTF-8", mediaType, "{\"a\":\"\xff\"}")
	raw(Fault, "nested deep", mediaType, strings.Repeat("[", 100)+strings.Repeat("]", 100))
	raw(Fault, "null", mediaType, `null`)
	raw(Fault, "a list", mediaType, `[]`)
	b.propertyCases(mediaType, schema, "", func(value any) any { return value })
}

// maxLevel is how deep the cases go into a body.
const maxLevel = 4

// propertyCases makes the cases of an object's keys. wrap puts an object made
// for this schema into its place in a body that is valid otherwise.
func (b *builder) propertyCases(mediaType string, schema *openapi3.Schema, path string, wrap func(any) any) {
	send := func(kind Kind, name string, object map[string]any) {
		b.add(kind, strings.TrimPrefix(path+": "+name, ": "), func(c *Case, _ url.Values) { b.setJSON(c, mediaType, wrap(object)) })
	}
	with := func(key string, value any) map[string]any {
		object := b.object(schema, least)
		object[key] = value
		return object
	}
	if has := schema.AdditionalProperties.Has; has != nil && !*has {
		send(Fault, "unknown key", with("no_such_key", 1))
	}
	for _, key := range schema.Required {
		object := b.object(schema, all)
		delete(object, key)
		send(Fault, key+" is missing", object)
	}
	for _, key := range slices.Sorted(maps.Keys(schema.Properties)) {
		property := schema.Properties[key].Value
		for _, bound := range b.inside(property, key) {
			send(Boundary, fmt.Sprintf("%s is %s", key, bound.what), with(key, bound.value))
		}
		for _, wrong := range b.outside(property, key) {
			send(Fault, fmt.Sprintf("%s is %s", key, wrong.what), with(key, wrong.value))
		}
		b.nestedCases(mediaType, property, strings.TrimPrefix(path+"."+key, "."), func(value any) any { return wrap(with(key, value)) })
	}
}

// nestedCases goes into an object, or into the objects of a list.
func (b *builder) nestedCases(mediaType string, schema *openapi3.Schema, path string, wrap func(any) any) {
	if strings.Count(path, ".")+1 >= maxLevel {
		return
	}
	switch {
	case schema.Type.Is(openapi3.TypeObject):
		b.propertyCases(mediaType, schema, path, wrap)
	case schema.Type.Is(openapi3.TypeArray) && schema.Items.Value.Type.Is(openapi3.TypeObject):
		b.propertyCases(mediaType, schema.Items.Value, path+"[0]", func(value any) any { return wrap([]any{value}) })
	case schema.Type.Is(openapi3.TypeArray):
		for _, wrong := range b.outside(schema.Items.Value, path) {
			b.add(Fault, fmt.Sprintf("%s[0] is %s", path, wrong.what), func(c *Case, _ url.Values) {
				b.setJSON(c, mediaType, wrap([]any{wrong.value}))
			})
		}
	}
}
