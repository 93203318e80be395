package catalog_test

import (
	"bytes"
	"testing"

	"docledger/adapter/toolserver/catalog"
	"docledger/openapi"
)

// TestToolsDoNotChangeTheSpecification protects the other readers of the
// document, which is parsed once for all of them.
func TestToolsDoNotChangeTheSpecification(t *testing.T) {
	t.Parallel()
	doc, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	before, err := doc.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := catalog.Derive(doc); err != nil {
		t.Fatal(err)
	}
	if after, err := doc.MarshalJSON(); err != nil || !bytes.Equal(before, after) {
		t.Errorf("Derive changes the document (%v)", err)
	}
}
