package client

import (
	"errors"
	"net/url"
	"strings"
)

// Links are addresses of the API in its responses: the next page of a list, or the next position of
// a feed. A link is the exact text after the API's base address. Other addresses are refused, so
// the token is never sent to another host.

var (
	errLink = errors.New("the response contains an address outside the provider's API")
	errHost = errors.New("the content is on a host that is not allowed for contents")
)

// readLink returns the link in an address of a response. "" stays "".
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

// IsLink reports whether a text can be a link: its path stays below the API's base address under
// every interpretation.
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
