package oauthclient

import "strings"

const maxToken = 16 << 10

// IsToken reports whether s has the syntax of a bearer token (RFC 6750, section
// 2.1).
func IsToken(s string) bool {
	body := strings.TrimRight(s, "=")
	return body != "" && len(s) <= maxToken && !strings.ContainsFunc(body, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._~+/", r))
	})
}
