// Package page defines keyset pagination: a list returns a page and the key of the
// next page. The cost of a page does not depend on its position.
package page

// Limits of a page (decisions 1).
const (
	DefaultLimit = 50
	MaxLimit     = 200
)

// Request selects one page. After is an opaque key that the store returned with the
// previous page; "" is the first page. A key that the store did not create, or that
// belongs to another list, filter or sort, is an Invalid fault with the field
// `cursor`.
type Request struct {
	Limit int
	After string
}

// Size returns the limit, or the default if none was given.
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
