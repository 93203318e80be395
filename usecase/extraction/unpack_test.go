package extraction

import (
	"testing"

	"docledger/domain/document"
	"docledger/domain/extraction"
)

// TestNamesOfContainedFiles checks that a file in a container gets the same name as one that is uploaded.
func TestNamesOfContainedFiles(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"a.pdf": "a.pdf", "in/a.pdf": "a.pdf", "in/in\u200Bvoice\U000E0041.pdf": "invoice.pdf", "in/\u3164\u200B": "document",
	} {
		got := containedIn(&document.Document{SourcePath: "b.zip"}, &extraction.Contained{Path: path})
		if got.Filename != want || got.SourcePath != "b.zip/"+path {
			t.Errorf("%+q: name %+q, path %+q", path, got.Filename, got.SourcePath)
		}
	}
}
