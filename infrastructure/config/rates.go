package config

import "net/url"

// Rates limit API calls. Zero means no limit.
type Rates struct {
	PerCredential   int // requests a minute
	PerOrganization int // requests a minute
	PerAddress      int // requests a minute
	AtOnce          int // concurrent requests with one credential
}

const mostRequests = 10_000_000

func (r *reader) rates() Rates {
	return Rates{
		PerCredential:   int(r.number("REQUESTS_PER_CREDENTIAL", 1200, 0, mostRequests)),
		PerOrganization: int(r.number("REQUESTS_PER_ORGANIZATION", 6000, 0, mostRequests)),
		PerAddress:      int(r.number("REQUESTS_PER_ADDRESS", 6000, 0, mostRequests)),
		AtOnce:          int(r.number("REQUESTS_AT_ONCE", 50, 0, mostRequests)),
	}
}

// corsOrigins returns the configured origins, or else the origin of the web
// application.
func (r *reader) corsOrigins(web string) []string {
	if listed := r.origins("CORS_ALLOWED_ORIGINS", ""); len(listed) > 0 {
		return listed
	}
	if u, err := url.Parse(web); err == nil && u.Host != "" {
		return []string{u.Scheme + "://" + u.Host}
	}
	return nil
}
