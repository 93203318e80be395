package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"docledger/openapi"
)

// TestJoinedDocumentIsCurrent fails where a specification changed and
// `go generate ./openapi` did not run.
func TestJoinedDocumentIsCurrent(t *testing.T) {
	t.Parallel()
	for range 2 {
		data, err := Join(os.DirFS("../.."), []string{"common.yaml", "backend.yaml", "integrations.yaml", "billing.yaml", "webhooks.yaml"})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, openapi.Joined()) {
			t.Fatal("docledger.json is not what the specifications give; run go generate ./openapi")
		}
	}
}

const head = "openapi: 3.0.3\ninfo: {title: T, version: '1'}\n"

const shared = head + `paths: {}
x-rows: {a: 1}
components:
  securitySchemes:
    bearer: {type: http, scheme: bearer}
  schemas:
    Used: {type: object, properties: {more: {$ref: '#/components/schemas/Deep'}}}
    Deep: {type: string}
    Unused: {type: string}
`

func operation(path, security string) string {
	return "paths:\n  " + path + `:
    get:
      operationId: get_` + path[1:] + "\n" + security + `      responses:
        '200':
          description: d
          content:
            application/json:
              schema: {$ref: 'common.yaml#/components/schemas/Used'}
components:
  securitySchemes:
    bearer: {$ref: 'common.yaml#/components/securitySchemes/bearer'}
`
}

func TestJoin(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"common.yaml": {Data: []byte(shared)},
		"a.yaml":      {Data: []byte(head + "security: [{bearer: []}]\ntags: [{name: A}]\n" + operation("/a", ""))},
		"b.yaml":      {Data: []byte(head + "security: [{bearer: []}]\ntags: [{name: A}, {name: B}]\n" + operation("/b", "      security: []\n"))},
	}
	data, err := Join(files, []string{"common.yaml", "a.yaml", "b.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]struct {
			Get struct{ Security []map[string][]string }
		}
		Components struct {
			Schemas         map[string]any
			SecuritySchemes map[string]map[string]any
		}
		Tags []map[string]string
		Rows map[string]int `json:"x-rows"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Paths["/a"].Get.Security) != 1 || doc.Paths["/b"].Get.Security == nil || len(doc.Paths["/b"].Get.Security) != 0 {
		t.Errorf("security of the operations: %+v", doc.Paths)
	}
	if len(doc.Components.Schemas) != 2 || doc.Components.Schemas["Used"] == nil || doc.Components.Schemas["Deep"] == nil {
		t.Errorf("schemas: %v", doc.Components.Schemas)
	}
	if doc.Components.SecuritySchemes["bearer"]["scheme"] != "bearer" || len(doc.Tags) != 2 || doc.Rows["a"] != 1 {
		t.Errorf("%v %v %v", doc.Components.SecuritySchemes, doc.Tags, doc.Rows)
	}
	if strings.Contains(string(data), ".yaml") {
		t.Error("a reference leads out of the document")
	}
}

func TestJoinRefuses(t *testing.T) {
	t.Parallel()
	other := strings.Replace(shared, "Deep: {type: string}", "Deep: {type: integer}", 1)
	one := head + operation("/a", "")
	tests := map[string]struct {
		files fstest.MapFS
		want  string
	}{
		"two different schemas": {fstest.MapFS{"common.yaml": {Data: []byte(shared)}, "a.yaml": {Data: []byte(other)}}, "Deep is defined twice"},
		"two different paths": {fstest.MapFS{"common.yaml": {Data: []byte(shared)}, "a.yaml": {Data: []byte(one)},
			"b.yaml": {Data: []byte(strings.Replace(one, "operationId: get_a", "operationId: y", 1))}}, "/a is defined twice"},
		"nothing":        {fstest.MapFS{"common.yaml": {Data: []byte(shared)}}, "joined document"},
		"missing file":   {fstest.MapFS{"common.yaml": {Data: []byte(strings.Replace(shared, "#/components/schemas/Deep", "lost.yaml#/components/schemas/Deep", 1))}}, "lost.yaml"},
		"another host":   {fstest.MapFS{"common.yaml": {Data: []byte(strings.Replace(shared, "#/components/schemas/Deep", "https://example.com/x.yaml#/a", 1))}}, "is not a file of the specifications"},
		"not valid":      {fstest.MapFS{"common.yaml": {Data: []byte(shared)}, "a.yaml": {Data: []byte(strings.Replace(one, "description: d", "x-d: d", 1))}}, "joined document"},
		"dangling names": {fstest.MapFS{"common.yaml": {Data: []byte(shared)}, "a.yaml": {Data: []byte(strings.Replace(one, "schemas/Used", "schemas/Lost", 1))}}, "Lost"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			names := []string{"common.yaml"}
			for _, file := range []string{"a.yaml", "b.yaml"} {
				if test.files[file] != nil {
					names = append(names, file)
				}
			}
			if _, err := Join(test.files, names); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one about %q", err, test.want)
			}
		})
	}
}
