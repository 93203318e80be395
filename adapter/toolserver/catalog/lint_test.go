package catalog_test

import (
	"strings"
	"testing"

	"docledger/adapter/toolserver/catalog"
)

// TestLint gives each rule a schema that breaks it.
func TestLint(t *testing.T) {
	t.Parallel()
	type o = catalog.Object
	good := func() catalog.Tool {
		return catalog.Tool{
			Description: "Lists things of an entity.",
			Input:       o{"type": "object", "additionalProperties": false, "properties": o{"a": o{"type": "string", "description": "The a."}}},
			Output:      o{"type": "object", "properties": o{"id": o{"type": "string"}}},
		}
	}
	if err := catalog.Lint(good()); err != nil {
		t.Fatal(err)
	}
	for name, member := range map[string]o{
		"union":           {"type": []string{"string", "null"}, "description": "x"},
		"no type":         {"description": "x"},
		"format":          {"type": "string", "format": "uuid", "description": "x"},
		"keyword":         {"type": "string", "pattern": "a", "description": "x"},
		"reference":       {"$ref": "#/a", "description": "x"},
		"maximum":         {"type": "integer", "maximum": 3, "description": "x"},
		"nullable":        {"type": "string", "nullable": true, "description": "x"},
		"default":         {"type": "string", "default": "a", "description": "x"},
		"empty choice":    {"type": "string", "enum": []any{"a", ""}, "description": "x"},
		"null choice":     {"type": "string", "enum": []any{"a", nil}, "description": "x"},
		"numbers":         {"type": "integer", "enum": []any{1}, "description": "x"},
		"list of nothing": {"type": "array", "description": "x"},
		"bare object":     {"type": "object", "additionalProperties": false, "description": "x"},
		"open object":     {"type": "object", "properties": o{"b": o{"type": "string"}}, "description": "x"},
		"deep union":      {"type": "array", "items": o{"type": "object", "additionalProperties": false, "properties": o{"b": o{"type": []any{"string"}}}}, "description": "x"},
		"no description":  {"type": "string"},
		"status":          {"type": "string", "description": "Else 400."},
	} {
		tool := good()
		tool.Input["properties"].(o)["a"] = member
		if err := catalog.Lint(tool); err == nil {
			t.Errorf("%s passes", name)
		}
	}
	for _, text := range []string{"Sends a POST to the server.", "Returns 404 for others.", "Sets `status`.", "A JSON merge patch."} {
		tool := good()
		tool.Description = text
		if err := catalog.Lint(tool); err == nil {
			t.Errorf("%q passes", text)
		}
	}
	tool := good()
	tool.Output["properties"].(o)["id"] = o{"type": []string{"string", "null"}}
	if err := catalog.Lint(tool); err == nil || !strings.Contains(err.Error(), "id") {
		t.Errorf("a union in the output: %v", err)
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	tools := derive(t)
	names := func(s catalog.Selection) string {
		chosen, err := catalog.Choose(tools, s)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, tool := range chosen {
			all = append(all, tool.Name)
		}
		return " " + strings.Join(all, " ") + " "
	}
	for selection, c := range map[catalog.Selection]struct{ has, lacks string }{
		{}:                                         {"get_me upload_document approve_invoice list_accounting", "list_events"},
		{Toolsets: "all"}:                          {"get_me upload_document list_events", "login"},
		{Toolsets: "review"}:                       {"get_me approve_invoice", "upload_document list_accounting"},
		{Toolsets: " Review , LEDGER "}:            {"approve_invoice list_accounting where_to", "upload_document"},
		{Toolsets: "review", ReadOnly: true}:       {"get_me get_invoice", "approve_invoice"},
		{Toolsets: "organization,all,,"}:           {"list_events get_invoice", "login"},
		{Toolsets: "organization", ReadOnly: true}: {"list_events", "get_invoice"},
	} {
		got := names(selection)
		for name := range strings.FieldsSeq(c.has) {
			if !strings.Contains(got, " "+name+" ") {
				t.Errorf("%+v lacks %s", selection, name)
			}
		}
		for name := range strings.FieldsSeq(c.lacks) {
			if strings.Contains(got, " "+name+" ") {
				t.Errorf("%+v has %s", selection, name)
			}
		}
	}
	if _, err := catalog.Choose(tools, catalog.Selection{Toolsets: "review,payments"}); err == nil || !strings.Contains(err.Error(), "payments") {
		t.Errorf("an unknown toolset: %v", err)
	}
}
