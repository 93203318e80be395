// Package convert converts between domain types and API types.
package convert

import (
	"docledger/domain/calendar"
	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
	"github.com/oapi-codegen/nullable"
	openapi "github.com/oapi-codegen/runtime/types"
)

// orNull returns null for the zero value, which means "none" in the domain.
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

// Cursor returns the next cursor of a page; null on the last page.
func Cursor(next string) nullable.Nullable[string] { return orNull(next) }

// ID returns the UUID of a parameter, or the zero UUID.
func ID(p *uuid.UUID) uuid.UUID {
	if p == nil {
		return uuid.Nil
	}
	return *p
}

// Day returns the date of a parameter, or none.
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

// some returns an empty list for nil, because API lists are never null.
func some[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
