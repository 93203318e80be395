package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"docledger/domain/event"
	"docledger/openapi"
)

// TestEventTypesAreListed verifies that event.Types lists every type of the event log.
// Webhooks accept only types that are listed. The specification lists them as well, for
// the types of the clients.
func TestEventTypesAreListed(t *testing.T) {
	t.Parallel()
	parsed, err := parser.ParseFile(token.NewFileSet(), "../../../domain/event/event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	specified, _ := doc.Components.Schemas["DeliveredEvent"].Value.Properties["type"].Value.Extensions["x-extensible-enum"].([]any)
	found := 0
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); !ok || typ.Name != "Type" {
			return true
		}
		name, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		found++
		if !slices.Contains(specified, any(name)) {
			t.Errorf("%s: the specification does not list it (DeliveredEvent)", name)
		}
		if listed := slices.Contains(event.Types(), event.Type(name)); listed == (name == string(event.WebhookTest)) {
			t.Errorf("%s: listed by event.Types is %v (domain/event/place.go)", name, listed)
		}
		return true
	})
	if found < 40 {
		t.Errorf("only %d types were found", found)
	}
}
