package client

import (
	"errors"
	"net/url"
	"strings"
)

// Links are addresses of the API that its responses name: the next page of a
// list, or the next position of a feed. Here they are the exact text after the
// API's base address. Any other address is no link, so that the token is sent to
// nobody else.

var (
	errLink = errors.New("the response names another address than the provider's")
	errHost = errors.New("the content is at a host that contents are not read from")
)

// readLink reads an address that an answer names. "" stays so.
func (c *Client) readLink(address string) (string, error) {
	if address == "" {
		return "", nil
	}
	below, found := strings.CutPrefix(address, c.base())
	if !found || !IsLink(below) {
		return "", errLink
	}
	return below, nil
}

// IsLink says whether a text can be a link: its path stays below the API's base
// address, whoever reads it.
func IsLink(below string) bool {
	if below == "" || strings.ContainsFunc(below, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '#' || r == '\\' }) {
		return false
	}
	path, _, _ := strings.Cut(below, "?")
	for segment := range strings.SplitSeq(path, "/") {
		plain, err := url.PathUnescape(segment)
		if err != nil || plain == "" || plain == "." || plain == ".." || strings.ContainsAny(plain, `/\?#`) {
			return false
		}
	}
	return true
}
