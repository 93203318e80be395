package edge_test

import (
	"bytes"
	"testing"

	"docledger/adapter/httpapi/edge"
	"docledger/openapi"
)

// TestOperationsDoNotChangeTheSpecification protects the other readers of the
// document, which is parsed once for all of them.
func TestOperationsDoNotChangeTheSpecification(t *testing.T) {
	t.Parallel()
	doc, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	before, err := doc.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := edge.NewOperations(doc); err != nil {
		t.Fatal(err)
	}
	if after, err := doc.MarshalJSON(); err != nil || !bytes.Equal(before, after) {
		t.Errorf("NewOperations changes the document (%v)", err)
	}
}
