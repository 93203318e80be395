// Package xmltree parses an untrusted XML document into a small tree.
//
// The tree contains only names and positions. Text is decoded on demand, so that an
// attachment of many megabytes costs nothing until it is read. The parser never opens
// external resources. It refuses a document type definition with declarations before
// it parses any of them, and skips one without declarations. XInclude elements are
// ordinary elements.
package xmltree

import (
	"errors"
	"fmt"
)

// Limits of a document.
const (
	MaxBytes      = 160 << 20 // of UTF-8
	maxOtherBytes = 32 << 20  // of any other encoding, which requires a second copy
	maxDepth      = 100
	maxElements   = 2_000_000
	maxAttributes = 128       // of one element
	maxAllAttrs   = 2_000_000 // of all elements
	maxBindings   = 256       // namespace prefixes in scope
	maxNames      = 20_000
	maxText       = 256 << 10 // bytes of one text or attribute value that Text and Attr read
)

// The errors of Parse, in addition to *SyntaxError and those of the context.
var (
	ErrEmpty     = errors.New("the document is empty")
	ErrTruncated = errors.New("the document ends before its elements are closed")
	ErrDoctype   = errors.New("the document type definition declares entities or elements")
	ErrDepth     = errors.New("elements are nested too deep")
	ErrSize      = errors.New("the document is too large")
)

// SyntaxError is the location of a violation of XML 1.0.
type SyntaxError struct {
	Line    int // from 1; 0 for the whole document
	Message string
}

// Error implements error.
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Message)
}
