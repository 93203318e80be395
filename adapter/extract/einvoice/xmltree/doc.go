// Package xmltree reads an XML document from a stranger into a light tree.
//
// It keeps names and positions only: text stays where it is in the document
// and is decoded when asked for, so that an attachment of many megabytes costs
// nothing until someone wants it. Nothing outside the document is ever opened.
// A document type definition with declarations in it is refused before any of
// them is looked at; one without is skipped; XInclude elements are ordinary
// elements without meaning.
package xmltree

import (
	"errors"
	"fmt"
)

// Limits of a document.
const (
	MaxBytes      = 160 << 20 // of UTF-8
	maxOtherBytes = 32 << 20  // of any other encoding, which needs a second copy
	maxDepth      = 100
	maxElements   = 2_000_000
	maxAttributes = 128       // of one element
	maxAllAttrs   = 2_000_000 // of all elements
	maxBindings   = 256       // namespace prefixes in force at one place
	maxNames      = 20_000
	maxText       = 256 << 10 // bytes of one text or attribute value that Text and Attr look at
)

// The errors of Parse, beside *SyntaxError and those of the context.
var (
	ErrEmpty     = errors.New("the document is empty")
	ErrTruncated = errors.New("the document ends before its elements are closed")
	ErrDoctype   = errors.New("the document type definition declares entities or elements")
	ErrDepth     = errors.New("elements are nested too deep")
	ErrSize      = errors.New("the document is too large")
)

// SyntaxError says where a document breaks the rules of XML 1.0.
type SyntaxError struct {
	Line    int // from 1; 0 where it concerns the whole document
	Message string
}

// Error implements error.
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Message)
}
