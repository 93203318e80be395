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

// addressesOf returns the addresses in a header to which a message was sent.
func addressesOf(r io.Reader) (addresses []string) {
	header, _ := textproto.NewReader(bufio.NewReader(io.LimitReader(r, maxMailHeader))).ReadMIMEHeader() //nolint:errcheck // what was read counts; Receive refuses a damaged header
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
