package edge

import (
	"mime"
	"strconv"
	"strings"
)

// Preferred returns the media type among the offers that an Accept header prefers (RFC 9110, section
// 12.5.1). Of equal weights it takes the offer that the more specific range names, then the range that
// comes first, then the first offer. It returns the first offer if the header accepts none.
func Preferred(accept []string, offers ...string) string {
	best, found := offers[0], match{}
	ranges := strings.Split(strings.Join(accept, ","), ",")
	for _, offer := range offers {
		if m := matchOf(ranges, offer); m.weight > 0 && m.over(found) {
			best, found = offer, m
		}
	}
	return best
}

// match is the range of an Accept header that applies to an offer.
type match struct {
	weight      float64
	specificity int // 3 for the media type, 2 for its type with a wildcard, 1 for */*
	position    int
}

// over reports whether m is preferred to other.
func (m match) over(other match) bool {
	if m.weight != other.weight {
		return m.weight > other.weight
	}
	if m.specificity != other.specificity {
		return m.specificity > other.specificity
	}
	return m.position < other.position
}

// matchOf returns the most specific range for an offer. Its weight counts.
func matchOf(ranges []string, offer string) (m match) {
	kind, _, _ := strings.Cut(offer, "/")
	for n, text := range ranges {
		name, parameters, err := mime.ParseMediaType(text)
		if err != nil {
			continue
		}
		specificity := map[string]int{offer: 3, kind + "/*": 2, "*/*": 1}[name]
		if specificity <= m.specificity {
			continue
		}
		m = match{weight: 1, specificity: specificity, position: n}
		if q, given := parameters["q"]; given {
			if m.weight, err = strconv.ParseFloat(q, 64); err != nil || !(m.weight >= 0 && m.weight <= 1) {
				m.weight = 0
			}
		}
	}
	return m
}
