package email

import (
	"bufio"
	"bytes"
	"io"
	"mime"
	"net/mail"
	"net/textproto"
	"regexp"

	"golang.org/x/text/encoding/htmlindex"
)

// CharsetReader returns a text in UTF-8, for mime.WordDecoder. It never fails, because a name in a header must not
// hide the address next to it: a text that cannot be decoded is returned with what is valid UTF-8.
func CharsetReader(charset string, text io.Reader) (io.Reader, error) {
	raw, err := io.ReadAll(text)
	if err != nil {
		return nil, err
	}
	if encoding, err := htmlindex.Get(charset); err == nil {
		if decoded, err := encoding.NewDecoder().Bytes(raw); err == nil {
			return bytes.NewReader(decoded), nil
		}
	}
	return bytes.NewReader(bytes.ToValidUTF8(raw, nil)), nil
}

// addressLike matches what can be an address in a field that is not a valid list of addresses.
var addressLike = regexp.MustCompile(`[^\s<>()\[\],;:"\\@]{1,64}@[\pL\pN._-]{1,253}`)

// fieldStart matches the start of a field of a header. Old programs wrote spaces before the colon.
var fieldStart = regexp.MustCompile("^([A-Za-z0-9!#$%&'*+.^_`|~-]+)[ \t]*:")

// fieldsOf returns the fields of a header. A line that is no part of a field is left out, because textproto reads
// nothing after it: the address of an entity could follow.
func fieldsOf(r io.Reader) (fields []byte) {
	text, _ := io.ReadAll(io.LimitReader(r, maxMailHeader)) //nolint:errcheck // what was read counts
	inField := false
	for line := range bytes.Lines(text) {
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			break
		}
		if line[0] != ' ' && line[0] != '\t' {
			start := fieldStart.FindSubmatch(line)
			if inField = start != nil; inField {
				fields = append(append(fields, start[1]...), ':')
				line = line[len(start[0]):]
			}
		}
		if inField {
			fields = append(fields, line...)
		}
	}
	return append(fields, "\r\n\r\n"...)
}

// addressesOf returns the addresses in a header to which a message was sent.
func addressesOf(r io.Reader) (addresses []string) {
	header, _ := textproto.NewReader(bufio.NewReader(bytes.NewReader(fieldsOf(r)))).ReadMIMEHeader() //nolint:errcheck // what was read counts; Receive refuses a damaged header
	parser := mail.AddressParser{WordDecoder: &mime.WordDecoder{CharsetReader: CharsetReader}}
	for _, field := range recipientFields {
		for _, text := range header[field] {
			var found []string
			if list, err := parser.ParseList(text); err == nil {
				for _, a := range list {
					found = append(found, a.Address)
				}
			} else {
				found = addressLike.FindAllString(text, maxAddresses) // one wrong address must not hide the others
			}
			addresses = append(addresses, found[:min(len(found), maxAddresses-len(addresses))]...)
		}
	}
	return addresses
}
