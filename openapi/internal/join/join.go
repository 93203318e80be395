package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// object is a JSON object.
type object = map[string]any

// fileRef is a reference into another specification; what follows the file name
// is valid in the joined document as it is, because component names are unique
// over all files.
var fileRef = regexp.MustCompile(`"[a-z_]+\.yaml#/components/`)

// Join merges the named specifications of fsys. Names of paths and components
// stay as they are: two different things under one name are an error. Each
// operation gets its file's security, unused components are left out, and the
// same input always gives the same bytes. Title and description are those of
// the first file that has paths.
func Join(fsys fs.FS, names []string) ([]byte, error) {
	joined := object{"openapi": "3.0.3", "paths": object{}, "components": object{}}
	for _, name := range names {
		part, err := load(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := merge(joined, part); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	prune(joined)

	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(joined); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return buf.Bytes(), validate(buf.Bytes())
}

func load(fsys fs.FS, name string) (object, error) {
	loader := openapi3.NewLoader()
	loader.ReadFromURIFunc = func(_ *openapi3.Loader, location *url.URL) ([]byte, error) {
		if location.IsAbs() {
			return nil, fmt.Errorf("%s is not a file of the specifications", location)
		}
		return fs.ReadFile(fsys, path.Clean(location.Path))
	}
	doc, err := loader.LoadFromURI(&url.URL{Path: name})
	if err != nil {
		return nil, err
	}
	for _, item := range doc.Paths.Map() {
		for _, operation := range item.Operations() {
			if operation.Security == nil {
				operation.Security = &doc.Security
			}
		}
	}
	data, err := doc.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var part object
	err = json.Unmarshal(fileRef.ReplaceAll(data, []byte(`"#/components/`)), &part)
	return part, err
}

func merge(joined, part object) error {
	paths, _ := part["paths"].(object)
	if len(paths) > 0 && joined["info"] == nil {
		joined["info"], joined["servers"] = part["info"], part["servers"]
	}
	if err := mergeNamed(joined["paths"].(object), paths); err != nil {
		return err
	}
	components := joined["components"].(object)
	sections, _ := part["components"].(object)
	for _, section := range slices.Sorted(maps.Keys(sections)) {
		if components[section] == nil {
			components[section] = object{}
		}
		named := sections[section].(object)
		dropAliases(section, named)
		if err := mergeNamed(components[section].(object), named); err != nil {
			return fmt.Errorf("%s: %w", section, err)
		}
	}
	for key, value := range part {
		if strings.HasPrefix(key, "x-") {
			joined[key] = value
		}
	}
	mergeTags(joined, part)
	return nil
}

// dropAliases removes components that only point at the component of the same
// name in another file: joined, they would point at themselves.
func dropAliases(section string, named object) {
	for name, value := range named {
		component, _ := value.(object)
		if component["$ref"] == "#/components/"+section+"/"+name {
			delete(named, name)
		}
	}
}

func mergeNamed(into, from object) error {
	for _, name := range slices.Sorted(maps.Keys(from)) {
		if present, ok := into[name]; ok && !reflect.DeepEqual(present, from[name]) {
			return fmt.Errorf("%s is defined twice and differently", name)
		}
		into[name] = from[name]
	}
	return nil
}

func mergeTags(joined, part object) {
	present, _ := joined["tags"].([]any)
	added, _ := part["tags"].([]any)
	for _, tag := range added {
		if !slices.ContainsFunc(present, func(t any) bool { return reflect.DeepEqual(t, tag) }) {
			present = append(present, tag)
		}
	}
	if len(present) > 0 {
		joined["tags"] = present
	}
}

// prune keeps only the components that the paths need, and every security
// scheme, since those are named without a reference.
func prune(joined object) {
	components := joined["components"].(object)
	used := object{}
	var visit func(value any)
	visit = func(value any) {
		switch value := value.(type) {
		case object:
			if ref, ok := value["$ref"].(string); ok {
				section, name, _ := strings.Cut(strings.TrimPrefix(ref, "#/components/"), "/")
				named, _ := components[section].(object)
				if used[ref] == nil && named[name] != nil {
					used[ref] = true
					visit(named[name])
				}
				return
			}
			for _, member := range value {
				visit(member)
			}
		case []any:
			for _, item := range value {
				visit(item)
			}
		}
	}
	visit(joined["paths"])
	for section, value := range components {
		if section == "securitySchemes" {
			continue
		}
		maps.DeleteFunc(value.(object), func(name string, _ any) bool {
			return used["#/components/"+section+"/"+name] == nil
		})
	}
	maps.DeleteFunc(components, func(_ string, value any) bool { return len(value.(object)) == 0 })
}

func validate(data []byte) error {
	doc, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		return fmt.Errorf("the joined document: %w", err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		return fmt.Errorf("the joined document: %w", err)
	}
	if doc.Paths.Len() == 0 {
		return errors.New("the joined document has no paths")
	}
	return nil
}
