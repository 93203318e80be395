// Package signed opens signed envelopes (CMS, RFC 5652), such as FatturaPA invoices
// signed in CAdES. It reads the file and the signers that an envelope states. It does
// not verify signatures.
package signed

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"docledger/domain/document"
)

const (
	maxLayers  = 4   // signed envelopes in each other
	maxSigners = 20  // signatures of one file, and certificates that are parsed
	maxName    = 200 // characters of a signer's name
)

// ErrDamaged reports that a file is no complete envelope.
var ErrDamaged = errors.New("the signed envelope is damaged")

// ErrDetached reports an envelope that contains signatures without the signed file.
var ErrDetached = errors.New("the signed envelope does not contain the signed file")

// Envelope is an opened envelope.
type Envelope struct {
	Content    []byte
	Signatures []document.Signature
}

// Is reports whether a file that starts with head is a signed envelope: in DER or BER,
// or in Base64 with or without PEM lines or MIME header fields.
func Is(head []byte) bool { return isSignedData(head) || isText(head) }

// Open returns the signed file and the signatures of an envelope. Envelopes in the
// envelope are opened as well: each is a further signature.
func Open(data []byte) (*Envelope, error) {
	out := &Envelope{Content: data}
	for range maxLayers {
		der := out.Content
		if !isSignedData(der) {
			if !isText(der) {
				return out, nil
			}
			var err error
			if der, err = decode(der); err != nil {
				return nil, err
			}
		}
		content, signatures, err := read(der)
		if err != nil {
			return nil, err
		}
		out.Content = content
		out.Signatures = append(out.Signatures, signatures...)
		out.Signatures = out.Signatures[:min(len(out.Signatures), maxSigners)]
	}
	if Is(out.Content) {
		return nil, ErrDamaged
	}
	return out, nil
}

// signedData is the object identifier 1.2.840.113549.1.7.2 (RFC 5652).
var signedData = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02}

// signingTime is the object identifier 1.2.840.113549.1.9.5.
var signingTime = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x05}

// isSignedData detects a sequence that starts with the type of a signed envelope.
func isSignedData(head []byte) bool {
	return len(head) > 0 && head[0] == tagSequence && bytes.Contains(head[:min(len(head), 32)], append([]byte{tagOID, byte(len(signedData))}, signedData...))
}

// textHead is the number of characters of Base64 that isText decodes.
const textHead = 64

// isText detects an envelope in Base64.
func isText(head []byte) bool {
	digits := make([]byte, 0, textHead)
	for _, c := range body(head) {
		switch {
		case isBase64(c):
			digits = append(digits, c)
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			return false
		}
		if len(digits) == textHead {
			break
		}
	}
	der, err := base64.RawStdEncoding.DecodeString(string(digits[:len(digits)/4*4]))
	return err == nil && isSignedData(der)
}

func isBase64(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/'
}

// body returns the Base64 of a text: without the byte order mark, the MIME header
// fields and the first line of PEM. It returns nil for a text that starts with other
// header fields, such as an e-mail.
func body(text []byte) []byte {
	text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte{0xef, 0xbb, 0xbf}), " \t\r\n")
	if line, rest, ok := bytes.Cut(text, []byte("\n")); ok && bytes.HasPrefix(text, []byte("-----BEGIN ")) {
		if !bytes.HasSuffix(bytes.TrimRight(line, "\r \t"), []byte("-----")) {
			return nil
		}
		return rest
	}
	lower := bytes.ToLower(text[:min(len(text), len("content-transfer-encoding"))])
	if !bytes.HasPrefix(lower, []byte("content-")) && !bytes.HasPrefix(lower, []byte("mime-version:")) {
		return text
	}
	signed := false
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		field := strings.ToLower(strings.TrimRight(string(line[:min(len(line), 1000)]), "\r"))
		switch {
		case field == "" && signed:
			return text
		case field == "":
			return nil
		case strings.HasPrefix(field, "content-type:"):
			media, _, _ := strings.Cut(strings.TrimPrefix(field, "content-type:"), ";")
			media = strings.TrimSpace(media)
			signed = media == "application/pkcs7-mime" || media == "application/x-pkcs7-mime"
		case strings.HasPrefix(field, "content-"), strings.HasPrefix(field, "mime-version:"), field[0] == ' ', field[0] == '\t':
		default:
			return nil
		}
	}
	return nil
}

// decode decodes an envelope in Base64.
func decode(text []byte) ([]byte, error) {
	text = body(text)
	if end := bytes.Index(text, []byte("-----END ")); end >= 0 {
		text = text[:end]
	}
	der := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	compact := bytes.Map(func(r rune) rune {
		if r == ' ' || r == '\t' {
			return -1
		}
		return r
	}, text)
	n, err := base64.StdEncoding.Decode(der, compact) // it ignores line ends
	if err != nil {
		return nil, ErrDamaged
	}
	return der[:n], nil
}

// read returns the signed file and the signatures of an envelope in DER or BER.
func read(der []byte) (content []byte, signatures []document.Signature, err error) {
	outer, _, err := next(der, 0)
	if err != nil {
		return nil, nil, err
	}
	parts, err := children(outer, tagSequence)
	if err != nil || len(parts) < 2 || !parts[0].is(tagOID, signedData) {
		return nil, nil, ErrDamaged
	}
	explicit, err := children(parts[1], tagContext0)
	if err != nil || len(explicit) != 1 {
		return nil, nil, ErrDamaged
	}
	fields, err := children(explicit[0], tagSequence)
	if err != nil || len(fields) < 4 {
		return nil, nil, ErrDamaged
	}
	inner, err := children(fields[2], tagSequence)
	if err != nil || len(inner) == 0 {
		return nil, nil, ErrDamaged
	}
	if len(inner) < 2 {
		return nil, nil, ErrDetached
	}
	wrapped, err := children(inner[1], tagContext0)
	if err != nil || len(wrapped) != 1 {
		return nil, nil, ErrDamaged
	}
	if content, err = wrapped[0].octets(0); err != nil {
		return nil, nil, err
	}
	var certificates []*x509.Certificate
	for _, f := range fields[3:] {
		switch f.tag {
		case tagContext0:
			certificates = parseCertificates(f)
		case tagSet:
			signatures = signers(f, certificates)
		}
	}
	return content, signatures, nil
}

func parseCertificates(set element) (out []*x509.Certificate) {
	list, err := children(set, tagContext0)
	if err != nil {
		return nil
	}
	for _, c := range list[:min(len(list), maxSigners)] {
		if certificate, err := x509.ParseCertificate(c.raw); err == nil {
			out = append(out, certificate)
		}
	}
	return out
}

// signers returns the signatures. A signature with an unknown structure has no name.
func signers(set element, certificates []*x509.Certificate) (out []document.Signature) {
	list, err := children(set, tagSet)
	if err != nil {
		return nil
	}
	for _, info := range list[:min(len(list), maxSigners)] {
		fields, err := children(info, tagSequence)
		if err != nil || len(fields) < 3 {
			continue
		}
		s := document.Signature{Signer: signerName(fields[1], certificates)}
		for _, f := range fields[2:] {
			if f.tag == tagContext0 {
				s.SignedAt = statedTime(f)
			}
		}
		out = append(out, s)
	}
	return out
}

// signerName returns the name of the certificate that a signer refers to by its issuer
// and serial number, or by its key.
func signerName(sid element, certificates []*x509.Certificate) string {
	for _, c := range certificates {
		if sid.tag != tagSequence {
			if bytes.Equal(sid.content, c.SubjectKeyId) {
				return clean(nameOf(c))
			}
			continue
		}
		parts, err := children(sid, tagSequence)
		if err == nil && len(parts) == 2 && bytes.Equal(parts[0].raw, c.RawIssuer) && bytes.Equal(bytes.TrimLeft(parts[1].content, "\x00"), c.SerialNumber.Bytes()) {
			return clean(nameOf(c))
		}
	}
	return ""
}

func nameOf(c *x509.Certificate) string {
	if c.Subject.CommonName != "" || len(c.Subject.Organization) == 0 {
		return c.Subject.CommonName
	}
	return c.Subject.Organization[0]
}

// clean removes characters that cannot be shown, and shortens a name.
func clean(name string) string {
	name = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, name)), " ")
	if runes := []rune(name); len(runes) > maxName {
		name = string(runes[:maxName])
	}
	return name
}

// statedTime returns the signing time of the signed attributes; zero if there is none.
func statedTime(attributes element) time.Time {
	list, err := children(attributes, tagContext0)
	if err != nil {
		return time.Time{}
	}
	for _, a := range list {
		parts, err := children(a, tagSequence)
		if err != nil || len(parts) != 2 || !parts[0].is(tagOID, signingTime) {
			continue
		}
		values, err := children(parts[1], tagSet)
		if err != nil || len(values) == 0 {
			return time.Time{}
		}
		layout := map[byte]string{tagUTCTime: "060102150405Z0700", tagTime: "20060102150405Z0700"}[values[0].tag]
		if t, err := time.Parse(layout, string(values[0].content)); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
