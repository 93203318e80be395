package usecase

import (
	"net/url"
	"slices"
)

// anyPort at the end of an origin matches every port of its host.
const anyPort = ":*"

// IsAllowedRedirect says whether an address is of one of the origins, so that a browser
// may be sent there. An origin that ends in ":*" is every port of its host.
func IsAllowedRedirect(address string, origins []string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return slices.Contains(origins, u.Scheme+"://"+u.Host) || slices.Contains(origins, u.Scheme+"://"+u.Hostname()+anyPort)
}
