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

// verifiable returns a reader of the message without signatures that are too long to verify. ok
// reports that its header is within the limits.
func verifiable(message io.Reader) (rest io.Reader, ok bool) {
	limited := &io.LimitedReader{R: message, N: maxHeaderBytes}
	lines := bufio.NewReader(limited)
	var header []byte
	start, signature := 0, false // of the current field
	for range maxHeaderLines {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil, false // the header is too long, or it does not end
		}
		text := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(text) == 0 {
			if signature {
				header = withoutLong(header, start)
			}
			return io.MultiReader(bytes.NewReader(append(header, line...)), lines, message), true
		}
		if text[0] != ' ' && text[0] != '\t' {
			if signature {
				header = withoutLong(header, start)
			}
			name, _, _ := bytes.Cut(text, []byte(":"))
			start, signature = len(header), strings.EqualFold(string(bytes.TrimSpace(name)), "DKIM-Signature")
		}
		header = append(header, line...)
	}
	return nil, false
}

// withoutLong removes the last field of a header, a signature, if it is too long to verify.
func withoutLong(header []byte, start int) []byte {
	if len(header)-start > maxSignatureBytes {
		return header[:start]
	}
	return header
}
