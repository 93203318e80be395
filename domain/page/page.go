// Package page holds keyset pagination: a list answers a page and the key to
// go on from, whose cost does not depend on how far the reader has come.
package page

// Limits of a page (decisions 1).
const (
	DefaultLimit = 50
	MaxLimit     = 200
)

// Request asks for one page. After is an opaque key of the store that answered
// the page before; "" is the first page. A key that the store did not make, or
// that belongs to another list, filter or sort, is an Invalid fault naming
// `cursor`.
type Request struct {
	Limit int
	After string
}

// Size returns the limit, or the default where none was asked for.
func (r Request) Size() int {
	if r.Limit <= 0 {
		return DefaultLimit
	}
	return min(r.Limit, MaxLimit)
}

// Of is one page of a list. Next is "" on the last page.
type Of[T any] struct {
	Items []T
	Next  string
}
