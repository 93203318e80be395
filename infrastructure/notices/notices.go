// Package notices contains the licences of the third-party software that the programs
// link or embed.
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

// Write writes all notices as text. The first part lists the components, one on each
// line. The second part contains the text of each licence once.
func Write(w io.Writer) error {
	z, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return err
	}
	_, err = io.Copy(w, z) //nolint:gosec // the text is embedded in this program
	return err
}
