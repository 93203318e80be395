// Package sniff detects the type of a file from its first bytes. It ignores names and
// declared types, because they are not reliable.
package sniff

import (
	"bytes"
	"strings"

	"docledger/adapter/extract/signed"

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

// SignedMediaType is the media type of signed envelopes.
const SignedMediaType = "application/pkcs7-mime"

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
	if signed.Is(head) {
		return Type{Signed, SignedMediaType}
	}
	if media := interchange(head); media != "" {
		return Type{EDI, media}
	}
	found := known(mimetype.Detect(head))
	// An e-mail can contain a PDF without any encoding.
	if (found.Kind == PlainText || found.Kind == PDF) && looksLikeEmail(head) {
		return Type{Email, "message/rfc822"}
	}
	// Viewers open a PDF after leading garbage. A document of another type is not
	// garbage.
	if (found.Kind == Unknown || found.Kind == PlainText) && bytes.Contains(head[:min(len(head), pdfWindow)], []byte("%PDF-")) {
		return Type{PDF, "application/pdf"}
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

// looksLikeEmail detects header fields at the start of a text. The fields that servers
// add come first and can be long.
func looksLikeEmail(head []byte) bool {
	seen := 0
	for line := range bytes.Lines(head) {
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			break // the end of the header
		}
		if line[0] == ' ' || line[0] == '\t' {
			continue // the field continues
		}
		key, _, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			continue
		}
		switch strings.ToLower(string(key)) {
		case "received", "from", "to", "cc", "subject", "date", "mime-version", "message-id", "return-path", "content-type", "reply-to", "sender",
			"delivered-to", "x-original-to", "dkim-signature", "arc-seal", "arc-message-signature", "arc-authentication-results",
			"authentication-results", "received-spf", "x-received":
			seen++
		}
	}
	return seen >= 3
}
