package store

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// jsonOf is a column that holds a T as JSON.
type jsonOf[T any] struct{ V T }

// Value implements driver.Valuer.
func (j jsonOf[T]) Value() (driver.Value, error) {
	text, err := json.Marshal(j.V)
	if err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return string(withoutNUL(text)), nil
}

// Scan implements sql.Scanner.
func (j *jsonOf[T]) Scan(src any) error {
	text, err := textOf(src)
	if err != nil {
		return err
	}
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return fmt.Errorf("read JSON: %w", err)
	}
	j.V = v
	return nil
}

// optionalJSON is null for a nil pointer.
func optionalJSON[D, J any](d *D, to func(D) J) *jsonOf[J] {
	if d == nil {
		return nil
	}
	return &jsonOf[J]{to(*d)}
}

func fromOptionalJSON[D, J any](j *jsonOf[J], from func(J) D) *D {
	if j == nil {
		return nil
	}
	d := from(j.V)
	return &d
}

// withoutNUL replaces \u0000 in JSON text, which PostgreSQL cannot store. It does not change an
// escaped backslash before u0000.
func withoutNUL(text []byte) []byte {
	nul := []byte(`\u0000`)
	if !bytes.Contains(text, nul) {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		switch {
		case bytes.HasPrefix(text[i:], nul):
			out, i = append(out, `\ufffd`...), i+len(nul)
		case text[i] == '\\' && i+1 < len(text):
			out, i = append(out, text[i], text[i+1]), i+2
		default:
			out, i = append(out, text[i]), i+1
		}
	}
	return out
}

// clean makes a text of a document valid for both databases: UTF-8 without NUL.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

// day is a date column, YYYY-MM-DD.
type day calendar.Date

// Value implements driver.Valuer.
func (d day) Value() (driver.Value, error) { return calendar.Date(d).String(), nil }

// Scan implements sql.Scanner.
func (d *day) Scan(src any) error {
	if t, ok := src.(time.Time); ok {
		*d = day(calendar.Of(t))
		return nil
	}
	text, err := textOf(src)
	if err != nil {
		return err
	}
	return d.UnmarshalText([]byte(text))
}

// MarshalText implements encoding.TextMarshaler, for JSON.
func (d day) MarshalText() ([]byte, error) { return []byte(calendar.Date(d).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler, for JSON.
func (d *day) UnmarshalText(text []byte) error {
	*d = day{}
	if len(text) == 0 {
		return nil
	}
	parsed, err := calendar.Parse(string(text))
	*d = day(parsed)
	return err
}

// IsZero omits missing dates from JSON.
func (d day) IsZero() bool { return calendar.Date(d).IsZero() }

func optionalDay(d calendar.Date) *day {
	if d.IsZero() {
		return nil
	}
	return (*day)(&d)
}

func fromOptionalDay(d *day) calendar.Date {
	if d == nil {
		return calendar.Date{}
	}
	return calendar.Date(*d)
}

// number is an exact decimal, stored as the stated text.
type number money.Decimal

// Value implements driver.Valuer.
func (n number) Value() (driver.Value, error) {
	text, err := n.MarshalText()
	return string(text), err
}

// Scan implements sql.Scanner.
func (n *number) Scan(src any) error {
	text, err := textOf(src)
	if err != nil {
		return err
	}
	return n.UnmarshalText([]byte(text))
}

// MarshalText refuses a value that UnmarshalText could not read.
func (n number) MarshalText() ([]byte, error) {
	text := money.Decimal(n).String()
	if _, err := money.Parse(text); err != nil {
		return nil, fmt.Errorf("number %s: %w", text, err)
	}
	return []byte(text), nil
}

// UnmarshalText implements encoding.TextUnmarshaler, for JSON.
func (n *number) UnmarshalText(text []byte) error {
	d, err := money.Parse(string(text))
	*n = number(d)
	return err
}

// fixed returns an amount in ten-thousandths, for comparisons; nil if it is missing or out of
// range.
func fixed(d *money.Decimal) *int64 {
	if d == nil {
		return nil
	}
	n, ok := d.Fixed()
	if !ok {
		return nil
	}
	return &n
}

func optionalID(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}

func fromOptionalID(id *uuid.UUID) uuid.UUID {
	if id == nil {
		return uuid.Nil
	}
	return *id
}

func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = instant(t)
	return &t
}

func fromOptionalTime(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return instant(*t)
}

func optionalText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func fromOptionalText(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// textOf accepts the types that the two drivers return for text and JSON columns.
func textOf(src any) (string, error) {
	switch v := src.(type) {
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	}
	return "", fmt.Errorf("a %T where text was expected", src)
}

// mapped converts each element; nil stays nil.
func mapped[A, B any](list []A, convert func(A) B) []B {
	if list == nil {
		return nil
	}
	out := make([]B, len(list))
	for i, v := range list {
		out[i] = convert(v)
	}
	return out
}
