package client

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"docledger/domain/identity"
)

// Links are addresses of the API that its answers name: the next page of a
// list, or where a feed goes on. Here they are what stands behind the API's
// base address, to the letter; what lies elsewhere is no link, so that our token
// is sent to nobody else.

var errLink = errors.New("the answer leads to another address than the provider's")

// link reads an address that an answer names. "" stays so.
func (c *Client) link(address string) (string, error) {
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

// restart is the link that begins a lost feed anew; "" where the answer names
// none that is good.
func (c *Client) restart(a answer) string {
	if a.status != http.StatusGone {
		return ""
	}
	link, err := c.link(a.header.Get("Location"))
	if err != nil {
		return ""
	}
	return link
}

// contentAddress reads the address of a content, which is at another host than
// the API in most cases.
func (c *Client) contentAddress(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.Opaque != "" || !c.servesContents(u) {
		return "", errors.New("the content is at a host that contents are not read from")
	}
	return address, nil
}

func (c *Client) servesContents(u *url.URL) bool {
	host := strings.ToLower(u.Host)
	if u.Scheme != "https" && !(u.Scheme == "http" && c.o.LoopbackHTTP && identity.IsLoopbackHost(u.Host)) {
		return false
	}
	for _, allowed := range c.o.ContentHosts {
		if host == allowed || strings.HasPrefix(allowed, ".") && strings.HasSuffix(host, allowed) {
			return true
		}
	}
	return false
}
