package xmltree

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// reference parses the reference at the start of b, which starts with '&'. It returns
// the character and the length of the reference, or 0 if it is invalid. Only
// character references and the five predefined entities of XML are valid.
func reference(b []byte) (rune, int) {
	semicolon := bytes.IndexByte(b[:min(len(b), 12)], ';')
	if semicolon < 2 {
		return 0, 0
	}
	body := string(b[1:semicolon])
	if body[0] != '#' {
		r, ok := predefined[body]
		if !ok {
			return 0, 0
		}
		return r, semicolon + 1
	}
	digits, base := body[1:], 10
	if strings.HasPrefix(digits, "x") {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || !isChar(rune(n)) {
		return 0, 0
	}
	return rune(n), semicolon + 1
}

var predefined = map[string]rune{"amp": '&', "lt": '<', "gt": '>', "apos": '\'', "quot": '"'}

// isChar reports whether r is allowed in a document (XML 1.0, production Char).
func isChar(r rune) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return true
	case r < 0x20 || r == 0xFFFE || r == 0xFFFF:
		return false
	}
	return utf8.ValidRune(r)
}

// decodeText resolves references in text without other markup. Parse has already
// checked them.
func decodeText(raw []byte) string {
	amp := bytes.IndexByte(raw, '&')
	if amp < 0 {
		return newlines(string(raw))
	}
	out := make([]byte, 0, len(raw))
	for amp >= 0 {
		out = append(out, raw[:amp]...)
		r, n := reference(raw[amp:])
		if n == 0 {
			r, n = '&', 1
		}
		out = utf8.AppendRune(out, r)
		raw = raw[amp+n:]
		amp = bytes.IndexByte(raw, '&')
	}
	return newlines(string(append(out, raw...)))
}

func newlines(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// withoutMarkup returns the text of element content with comments, CDATA sections and
// processing instructions but without elements.
func withoutMarkup(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for len(raw) > 0 {
		open := bytes.IndexByte(raw, '<')
		if open < 0 {
			return append(out, decodeText(raw)...)
		}
		out = append(out, decodeText(raw[:open])...)
		raw = raw[open:]
		begin, end := "<?", "?>"
		switch {
		case bytes.HasPrefix(raw, []byte("<!--")):
			begin, end = "<!--", "-->"
		case bytes.HasPrefix(raw, []byte("<![CDATA[")):
			begin, end = "<![CDATA[", "]]>"
		}
		close := bytes.Index(raw[len(begin):], []byte(end))
		if close < 0 {
			return out
		}
		if begin == "<![CDATA[" {
			out = append(out, raw[len(begin):len(begin)+close]...)
		}
		raw = raw[len(begin)+close+len(end):]
	}
	return out
}
