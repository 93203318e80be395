package catalog

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// Keywords that every client accepts in the schema of arguments. The sources
// are the documents of the vendors in docs/assistants.md ("Schemas").
var inputKeywords = []string{"type", "description", "enum", "format", "properties", "required", "items", "additionalProperties"}

// kinds are the types of a value.
var kinds = []string{"string", "integer", "number", "boolean", "array", "object"}

// Limits of OpenAI for strict function schemas.
const (
	maxLevels     = 10
	maxProperties = 5000
)

// wire matches words of the HTTP interface, which mean nothing to a model.
var wire = regexp.MustCompile("\\b(HTTP|GET|POST|PUT|PATCH|DELETE|[45][0-9][0-9])\\b|`|(?i:query parameter|status code|request header|merge patch)")

// Lint returns an error for a tool that a client refuses or that its model
// cannot use: a keyword outside the subset that Gemini, OpenAI and Anthropic
// share, an argument without a description, and words of the HTTP interface.
func Lint(t Tool) error {
	count := 0
	if err := lintInput(t.Input, "", 1, &count); err != nil {
		return err
	}
	properties, _ := t.Input["properties"].(Object)
	for name, p := range properties {
		if text, _ := p.(Object)["description"].(string); text == "" {
			return fmt.Errorf("%s has no description", name)
		}
	}
	if word := wire.FindString(t.Description); word != "" {
		return fmt.Errorf("the description contains %q; set x-tool.description", word)
	}
	return lintOutput(t.Output)
}

func lintInput(s Object, path string, level int, count *int) error {
	fail := func(format string, a ...any) error { return fmt.Errorf("%s: "+format, append([]any{path}, a...)...) }
	for keyword := range s {
		if !slices.Contains(inputKeywords, keyword) {
			return fail("the keyword %s is not accepted by every client", keyword)
		}
	}
	kind, ok := s["type"].(string)
	if !ok || !slices.Contains(kinds, kind) {
		return fail("the type must be one of %v", kinds)
	}
	if format, ok := s["format"]; ok && (format != "date-time" || kind != "string") {
		return fail("the format %v is not accepted by every client", format)
	}
	if text, _ := s["description"].(string); wire.MatchString(text) {
		return fail("the description contains %q", wire.FindString(text))
	}
	if err := lintEnum(s, kind); err != nil {
		return fail("%w", err)
	}
	if *count++; level > maxLevels || *count > maxProperties {
		return fail("the schema is too large")
	}
	switch kind {
	case "array":
		items, ok := s["items"].(Object)
		if !ok {
			return fail("an array needs items")
		}
		return lintInput(items, path+"[]", level+1, count)
	case "object":
		properties, _ := s["properties"].(Object)
		if s["additionalProperties"] != false || len(properties) == 0 && level > 1 {
			return fail("an object needs properties and no additional ones")
		}
		for name, p := range properties {
			if err := lintInput(p.(Object), path+"."+name, level+1, count); err != nil {
				return err
			}
		}
	}
	return nil
}

func lintEnum(s Object, kind string) error {
	switch values := s["enum"].(type) {
	case nil:
		return nil
	case []string:
		return nil
	case []any:
		for _, v := range values {
			if text, ok := v.(string); !ok || text == "" || kind != "string" {
				return errors.New("an enum must have texts only, and no empty one")
			}
		}
		return nil
	}
	return errors.New("an enum must be a list")
}

// lintOutput refuses unions of types, which some clients cannot represent.
func lintOutput(s Object) error {
	if kind, ok := s["type"]; ok {
		if text, single := kind.(string); !single || !slices.Contains(kinds, text) {
			return fmt.Errorf("the output has the type %v", kind)
		}
	}
	properties, _ := s["properties"].(Object)
	for name, p := range properties {
		if err := lintOutput(p.(Object)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if items, ok := s["items"].(Object); ok {
		return lintOutput(items)
	}
	return nil
}
