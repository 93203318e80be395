// Package convert translates between the domain and the shapes of the API.
package convert

import (
	"docledger/domain/calendar"
	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
	"github.com/oapi-codegen/nullable"
	openapi "github.com/oapi-codegen/runtime/types"
)

// orNull returns null for the zero value, which is how the domain says that
// there is none.
func orNull[T comparable](v T) nullable.Nullable[T] {
	var zero T
	if v == zero {
		return nullable.NewNullNullable[T]()
	}
	return nullable.NewNullableWithValue(v)
}

func null[T any]() nullable.Nullable[T] { return nullable.NewNullNullable[T]() }

func value[T any](v T) nullable.Nullable[T] { return nullable.NewNullableWithValue(v) }

func decimal(d *money.Decimal) nullable.Nullable[string] { return orNull(invoice.Show(d)) }

func date(d calendar.Date) nullable.Nullable[openapi.Date] {
	if d.IsZero() {
		return null[openapi.Date]()
	}
	return value(openapi.Date{Time: d.Time()})
}

// Cursor returns a page's next cursor, null on the last page.
func Cursor(next string) nullable.Nullable[string] { return orNull(next) }

// ID returns the UUID that a parameter holds, or the zero one.
func ID(p *uuid.UUID) uuid.UUID {
	if p == nil {
		return uuid.Nil
	}
	return *p
}

// Day returns the date that a parameter holds, or none.
func Day(p *openapi.Date) calendar.Date {
	if p == nil {
		return calendar.Date{}
	}
	return calendar.Of(p.Time)
}

func list[T, R any](items []T, convert func(T) R) []R {
	out := make([]R, len(items))
	for i, item := range items {
		out[i] = convert(item)
	}
	return out
}

// some returns an empty list where there is none, since the API has no null
// lists.
func some[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
