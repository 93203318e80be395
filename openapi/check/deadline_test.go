package check

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestValidationEndsWithItsContext decodes and validates a body for a
// request that has ended.
func TestValidationEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	schema := openapi3.NewArraySchema().WithItems(openapi3.NewStringSchema()).WithMaxItems(ctxEvery * 2)
	data := []byte("[" + strings.Repeat(`"x",`, ctxEvery+10) + `"x"]`)
	if value, _, err := Decode(ended, schema, data); value != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("Decode: %v", err)
	}
	value, fields, err := Decode(t.Context(), schema, data)
	if err != nil || len(fields) > 0 {
		t.Fatal(err, fields)
	}
	if _, err := Value(ended, schema, value, "list"); !errors.Is(err, context.Canceled) {
		t.Errorf("Value: %v", err)
	}
}
