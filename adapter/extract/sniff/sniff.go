// Package sniff detects the type of a file from its first bytes. It ignores names and
// declared types, because they are not reliable.
package sniff

import (
	"bytes"
	"encoding/base64"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// HeadBytes is the number of bytes that Detect needs.
const HeadBytes = 4096

// Kind groups media types by how they are processed.
type Kind uint8

// The kinds.
const (
	Unknown Kind = iota
	PDF
	XML
	Image
	Archive
	Email
	Signed // a CMS envelope, as of an invoice signed in CAdES
	Office
	Web // HTML
	Program
	PlainText
	EDI // EDIFACT and X12 interchanges
)

// Type is the type of a file.
type Type struct {
	Kind      Kind
	MediaType string // without parameters
}

// pdfWindow is the maximum offset of a PDF header that viewers accept (ISO 32000-1,
// annex H.3, note 13).
const pdfWindow = 1024

// Detect returns the type of a file that starts with head.
func Detect(head []byte) Type {
	if len(head) > HeadBytes {
		head = head[:HeadBytes]
	}
	if t, ok := markup(head); ok {
		return t
	}
	if bytes.HasPrefix(head, []byte("MZ")) {
		return Type{Program, "application/vnd.microsoft.portable-executable"}
	}
	if isSignedData(head) {
		return Type{Signed, "application/pkcs7-mime"}
	}
	if isBase64Signed(head) || isSignedMIME(head) {
		return Type{Signed, "application/pkcs7-mime"}
	}
	if media := interchange(head); media != "" {
		return Type{EDI, media}
	}
	found := known(mimetype.Detect(head))
	// Viewers open a PDF after leading garbage. A document of another type is not
	// garbage.
	if (found.Kind == Unknown || found.Kind == PlainText) && bytes.Contains(head[:min(len(head), pdfWindow)], []byte("%PDF-")) {
		return Type{PDF, "application/pdf"}
	}
	if found.Kind == PlainText && looksLikeEmail(head) {
		return Type{Email, "message/rfc822"}
	}
	return found
}

// families maps the first bytes of files to media types. The first match is used.
var families = []struct {
	prefix string
	kind   Kind
}{
	{"application/pdf", PDF},
	{"image/", Image},
	{"text/html", Web},
	{"text/xml", XML},
	{"application/zip", Archive},
	{"application/gzip", Archive},
	{"application/x-7z", Archive},
	{"application/x-rar", Archive},
	{"application/x-tar", Archive},
	{"application/x-bzip", Archive},
	{"application/x-xz", Archive},
	{"application/zstd", Archive},
	{"application/vnd.openxmlformats", Office},
	{"application/vnd.oasis", Office},
	{"application/msword", Office},
	{"application/vnd.ms-", Office},
	{"application/x-ole-storage", Office},
	{"application/pkcs7", Signed},
	{"application/vnd.microsoft.portable-executable", Program},
	{"application/x-elf", Program},
	{"application/x-executable", Program},
	{"application/x-mach", Program},
	{"message/", Email},
	{"text/", PlainText},
}

func known(m *mimetype.MIME) Type {
	media, _, _ := strings.Cut(m.String(), ";")
	for _, f := range families {
		if strings.HasPrefix(media, f.prefix) {
			return Type{f.kind, media}
		}
	}
	return Type{Unknown, media}
}

// LooksLikeXML reports whether bytes start like an XML document.
func LooksLikeXML(head []byte) bool {
	t, ok := markup(head)
	return ok && t.Kind == XML
}

// markup distinguishes XML and HTML by the first characters after a byte order mark
// and white space.
func markup(head []byte) (Type, bool) {
	s := bytes.TrimLeft(narrow(head), " \t\r\n")
	if len(s) < 2 || s[0] != '<' {
		return Type{}, false
	}
	if c := s[1]; c != '?' && c != '!' && c != '_' && !isLetter(c) && c < 0x80 {
		return Type{}, false
	}
	if isHTML(s) {
		return Type{Web, "text/html"}, true
	}
	return Type{XML, "application/xml"}, true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// isHTML checks the document type and the first element.
func isHTML(s []byte) bool {
	lower := bytes.ToLower(s[:min(len(s), 512)])
	for _, begin := range []string{"<!doctype html", "<html", "<head", "<body", "<script", "<title", "<div", "<table", "<p>"} {
		if bytes.HasPrefix(lower, []byte(begin)) {
			return true
		}
	}
	return false
}

// narrow removes the byte order mark and converts UTF-16 to bytes. This is sufficient
// to detect markup, which starts with ASCII.
func narrow(head []byte) []byte {
	switch {
	case bytes.HasPrefix(head, byteOrderMark):
		return head[3:]
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		return every2(head[2:], 0)
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return every2(head[2:], 1)
	case len(head) >= 4 && head[0] == '<' && head[1] == 0 && head[3] == 0:
		return every2(head, 0)
	case len(head) >= 4 && head[0] == 0 && head[1] == '<' && head[2] == 0:
		return every2(head, 1)
	}
	return head
}

func every2(b []byte, first int) []byte {
	out := make([]byte, 0, len(b)/2)
	for i := first; i < len(b); i += 2 {
		out = append(out, b[i])
	}
	return out
}

// byteOrderMark is the byte order mark of UTF-8.
var byteOrderMark = []byte{0xef, 0xbb, 0xbf}

// signedData is the object identifier 1.2.840.113549.1.7.2 in DER (RFC 5652).
var signedData = []byte{0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02}

// isSignedData detects a CMS envelope: a sequence that starts with its type.
func isSignedData(head []byte) bool {
	return len(head) > 0 && head[0] == 0x30 && bytes.Contains(head[:min(len(head), 32)], signedData)
}

// isBase64Signed detects a CMS envelope in Base64, with or without PEM lines.
func isBase64Signed(head []byte) bool {
	text := bytes.TrimSpace(bytes.TrimPrefix(head, byteOrderMark))
	if bytes.HasPrefix(text, []byte("-----BEGIN ")) {
		_, rest, ok := bytes.Cut(text, []byte("\n"))
		if !ok {
			return false
		}
		text = rest
	}
	digits := make([]byte, 0, 64)
	for _, c := range text {
		switch {
		case isLetter(c), c >= '0' && c <= '9', c == '+', c == '/':
			digits = append(digits, c)
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		default:
			return false
		}
		if len(digits) == cap(digits) {
			break
		}
	}
	der, err := base64.RawStdEncoding.DecodeString(string(digits[:len(digits)/4*4]))
	return err == nil && isSignedData(der)
}

// isSignedMIME detects a file that consists of a signed envelope with MIME header
// fields (RFC 8551), as some archives return a signed invoice. An e-mail with such an
// envelope has further fields.
func isSignedMIME(head []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), " \t\r\n")
	signed := false
	for line := range bytes.Lines(text) {
		field := strings.ToLower(strings.TrimRight(string(line), "\r\n"))
		switch {
		case field == "":
			return signed
		case strings.HasPrefix(field, "content-type:"):
			media, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(field, "content-type:")), ";")
			media = strings.TrimSpace(media)
			signed = media == "application/pkcs7-mime" || media == "application/x-pkcs7-mime"
		case strings.HasPrefix(field, "content-"), strings.HasPrefix(field, "mime-version:"), field[0] == ' ', field[0] == '\t':
		default:
			return false
		}
	}
	return signed
}

// interchange returns the media type of an EDI interchange, or "". An EDIFACT message
// without the segments of its interchange is one too.
func interchange(head []byte) string {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), " \t\r\n")
	switch {
	case bytes.HasPrefix(text, []byte("UNA")) && bytes.Contains(text, []byte("UNB")), bytes.HasPrefix(text, []byte("UNB+")),
		bytes.HasPrefix(text, []byte("UNG+")), bytes.HasPrefix(text, []byte("UNH+")):
		return "application/edifact"
	case len(text) > 106 && bytes.HasPrefix(text, []byte("ISA")) && text[3] == text[6] && !isLetter(text[3]):
		return "application/edi-x12"
	}
	return ""
}

// looksLikeEmail detects header fields at the start of a text.
func looksLikeEmail(head []byte) bool {
	seen := 0
	for line := range bytes.Lines(head[:min(len(head), 2048)]) {
		key, _, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			continue
		}
		switch strings.ToLower(string(key)) {
		case "received", "from", "to", "subject", "date", "mime-version", "message-id", "return-path", "content-type":
			seen++
		}
	}
	return seen >= 3
}
