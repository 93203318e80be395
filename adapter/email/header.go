package email

import (
	"bufio"
	"bytes"
	"io"
	"strings"
)

// The limits of the header of a message with signatures that are verified. go-msgauth copies a field
// for each of its lines, and searches all fields for each name that a signature lists.
const (
	maxHeaderBytes    = 256 << 10
	maxHeaderLines    = 2000
	maxSignatureBytes = 4 << 10
)

// verifiable returns a reader of the whole message. ok reports that its header is within the limits.
func verifiable(message io.Reader) (whole io.Reader, ok bool) {
	limited := &io.LimitedReader{R: message, N: maxHeaderBytes}
	lines := bufio.NewReader(limited)
	var header []byte
	size := 0 // of the current field, if it is a signature
	for range maxHeaderLines {
		line, err := lines.ReadBytes('\n')
		header = append(header, line...)
		if err != nil {
			return nil, false // the header is too long, or it does not end
		}
		text := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(text) == 0 {
			return io.MultiReader(bytes.NewReader(header), lines, message), true
		}
		name, _, _ := bytes.Cut(text, []byte(":"))
		switch {
		case text[0] == ' ' || text[0] == '\t':
			if size > 0 {
				size += len(line)
			}
		case strings.EqualFold(string(bytes.TrimSpace(name)), "DKIM-Signature"):
			size = len(line)
		default:
			size = 0
		}
		if size > maxSignatureBytes {
			return nil, false
		}
	}
	return nil, false
}
