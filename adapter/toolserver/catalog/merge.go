package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// argKind is the argument of a merged tool that selects its operation.
const argKind = "kind"

// merge joins the operations that name the same tool in x-tool. The tool has
// the arguments of all of them and the argument argKind. All of them must read,
// because a client shows one set of hints for the tool.
func merge(tools []Tool) ([]Tool, error) {
	var out []Tool
	merged := map[string]*Tool{}
	for _, t := range tools {
		if t.of == "" {
			out = append(out, t)
			continue
		}
		if !t.ReadOnly {
			return nil, fmt.Errorf("%s: only reading operations can share a tool", t.Name)
		}
		m := merged[t.of]
		if m == nil {
			first := t
			first.Name, first.kinds = t.of, map[string]Tool{}
			first.Title = strings.ToUpper(t.of[:1]) + strings.ReplaceAll(t.of[1:], "_", " ")
			first.Input = Object{"type": "object", "additionalProperties": false, "properties": Object{}}
			first.selects = nil
			m = &first
			merged[t.of] = m
		}
		if m.kinds[t.kind].Name != "" {
			return nil, fmt.Errorf("%s: two operations have the kind %s", t.of, t.kind)
		}
		m.kinds[t.kind] = t
	}
	for _, name := range slices.Sorted(maps.Keys(merged)) {
		m := merged[name]
		if err := m.unite(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// unite builds the arguments, the description and the fields of a merged tool.
func (t *Tool) unite() error {
	properties := t.Input["properties"].(Object)
	closed := false
	t.takes = &openapi3.Schema{
		Type: &openapi3.Types{openapi3.TypeObject}, Properties: openapi3.Schemas{},
		AdditionalProperties: openapi3.AdditionalProperties{Has: &closed},
	}
	kinds := slices.Sorted(maps.Keys(t.kinds))
	var required []string
	var text []string
	for i, kind := range kinds {
		one := t.kinds[kind]
		text = append(text, kind+": "+one.Description)
		t.OpenWorld = t.OpenWorld || one.OpenWorld
		t.selects = append(t.selects, one.selects...)
		needs, _ := one.Input["required"].([]string)
		if i == 0 {
			required = needs
		}
		// An argument that some kind does not need is optional for the tool.
		required = slices.DeleteFunc(slices.Clone(required), func(name string) bool { return !slices.Contains(needs, name) })
		for name, p := range one.Input["properties"].(Object) {
			if name != ArgFields && name != ArgMaxTokens {
				properties[name] = p
				t.takes.Properties[name] = one.takes.Properties[name]
			}
		}
	}
	if properties[argKind] != nil {
		return fmt.Errorf("an operation already has the argument %s", argKind)
	}
	slices.Sort(t.selects)
	t.selects = slices.Compact(t.selects)
	t.Description = strings.Join(text, " ")
	choices := make([]any, len(kinds))
	for i, kind := range kinds {
		choices[i] = kind
	}
	properties[argKind] = Object{"type": "string", "enum": choices, "description": "What to list."}
	t.takes.Properties[argKind] = openapi3.NewStringSchema().WithEnum(choices...).NewRef()
	t.takes.Required = slices.Sorted(slices.Values(append(required, argKind)))
	t.Input["required"] = t.takes.Required
	return t.addOwn()
}

// Operation returns the operation of a merged tool for checked arguments and
// removes argKind from them. A tool of one operation returns itself.
func (t Tool) Operation(arguments Object) (Tool, error) {
	if t.kinds == nil {
		return t, nil
	}
	kind, _ := arguments[argKind].(string)
	one, ok := t.kinds[kind]
	if !ok {
		return Tool{}, fmt.Errorf("%s: must be one of %s", argKind, strings.Join(slices.Sorted(maps.Keys(t.kinds)), ", "))
	}
	delete(arguments, argKind)
	for name := range arguments {
		if one.takes.Properties[name] == nil && name != ArgFields && name != ArgMaxTokens {
			return Tool{}, fmt.Errorf("%s: does not apply to %s", name, kind)
		}
	}
	one.Name = t.Name
	return one, nil
}
