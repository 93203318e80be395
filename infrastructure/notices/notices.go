// Package notices holds the licences of the third-party software that is linked
// into the programs or embedded in them.
package notices

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the notices
	"io"
)

//go:generate go run ./generate

//go:embed notices.txt.gz
var compressed []byte

// Write writes all notices as text. The first part lists each component, one a
// line, and the second has the text of each licence once.
func Write(w io.Writer) error {
	z, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return err
	}
	_, err = io.Copy(w, z) //nolint:gosec // the text is our own
	return err
}
