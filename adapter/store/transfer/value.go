package transfer

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

const (
	timeLayout = "2006-01-02T15:04:05.000000Z"
	dateLayout = "2006-01-02"
)

// errKind reports that a value does not have its column's kind.
var errKind = errors.New("another kind of value than the column's")

// appendValue writes a value of a column in the form that both databases share.
func appendValue(line []byte, k kind, v any) ([]byte, error) {
	if v == nil {
		return append(line, "null"...), nil
	}
	switch k {
	case kindUUID, kindText:
		text, err := textOf(v)
		if err != nil {
			return nil, err
		}
		return appendText(line, text)
	case kindJSON:
		// The brackets distinguish a JSON null from a missing value.
		text, err := textOf(v)
		if err != nil {
			return nil, err
		}
		if line, err = appendJSON(append(line, '['), []byte(text)); err != nil {
			return nil, err
		}
		return append(line, ']'), nil
	case kindInt:
		if n, ok := v.(int64); ok {
			return strconv.AppendInt(line, n, 10), nil
		}
	case kindReal:
		if f, ok := v.(float64); ok && !math.IsNaN(f) && !math.IsInf(f, 0) {
			return strconv.AppendFloat(line, f, 'g', -1, 64), nil
		}
	case kindBool:
		switch v := v.(type) {
		case bool:
			return strconv.AppendBool(line, v), nil
		case int64: // SQLite
			return strconv.AppendBool(line, v != 0), nil
		}
	case kindTime:
		if t, ok := v.(time.Time); ok {
			return append(line, `"`+t.UTC().Truncate(time.Microsecond).Format(timeLayout)+`"`...), nil
		}
	case kindDate:
		return appendDate(line, v)
	case kindBytes:
		if b, ok := v.([]byte); ok {
			return append(base64.StdEncoding.AppendEncode(append(line, '"'), b), '"'), nil
		}
	}
	return nil, fmt.Errorf("%w: %T for %s", errKind, v, k)
}

func appendDate(line []byte, v any) ([]byte, error) {
	if t, ok := v.(time.Time); ok {
		return append(line, `"`+t.Format(dateLayout)+`"`...), nil
	}
	text, err := textOf(v)
	if err != nil {
		return nil, err
	}
	t, err := time.Parse(dateLayout, text)
	if err != nil {
		return nil, fmt.Errorf("%w: no date", errKind)
	}
	return append(line, `"`+t.Format(dateLayout)+`"`...), nil
}

func textOf(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	}
	return "", fmt.Errorf("%w: %T for text", errKind, v)
}

// appendText refuses text that PostgreSQL cannot store or JSON would change.
func appendText(line []byte, text string) ([]byte, error) {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return nil, errors.New("the text has a NUL or is not UTF-8, which PostgreSQL can't keep")
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		return nil, fmt.Errorf("write a text: %w", err)
	}
	return append(line, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...), nil
}

// appendJSON writes JSON in the canonical form that PostgreSQL's jsonb and the text of SQLite
// share: without spaces, keys sorted, numbers without exponents.
func appendJSON(line, text []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	if dec.More() {
		return nil, errors.New("more than one JSON value")
	}
	return appendNode(line, v)
}

func appendNode(line []byte, v any) (_ []byte, err error) {
	switch v := v.(type) {
	case nil:
		return append(line, "null"...), nil
	case bool:
		return strconv.AppendBool(line, v), nil
	case string:
		return appendText(line, v)
	case json.Number:
		text, err := plainNumber(v.String())
		return append(line, text...), err
	case []any:
		line = append(line, '[')
		for i, item := range v {
			if i > 0 {
				line = append(line, ',')
			}
			if line, err = appendNode(line, item); err != nil {
				return nil, err
			}
		}
		return append(line, ']'), nil
	case map[string]any:
		line = append(line, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				line = append(line, ',')
			}
			if line, err = appendText(line, name); err != nil {
				return nil, err
			}
			if line, err = appendNode(append(line, ':'), v[name]); err != nil {
				return nil, err
			}
		}
		return append(line, '}'), nil
	}
	return nil, fmt.Errorf("%w: %T in JSON", errKind, v)
}

// mostDigits limits the digits of an exponent; a float has up to 308.
const mostDigits = 1000

// plainNumber writes a JSON number as PostgreSQL does: 1.5e-3 as 0.0015, 1E2 as 100, 1.50
// unchanged, and no negative zero.
func plainNumber(s string) (string, error) {
	number, negative := strings.CutPrefix(s, "-")
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(number), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if scientific {
		e, err := strconv.Atoi(exponent)
		if err != nil || e > mostDigits || e < -mostDigits {
			return "", fmt.Errorf("the exponent of %.20s… is too large", s)
		}
		digits, point := whole+fraction, len(whole)+e
		switch {
		case point <= 0:
			whole, fraction = "0", strings.Repeat("0", -point)+digits
		case point >= len(digits):
			whole, fraction = digits+strings.Repeat("0", point-len(digits)), ""
		default:
			whole, fraction = digits[:point], digits[point:]
		}
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	out := whole
	if fraction != "" {
		out += "." + fraction
	}
	if negative && strings.Trim(out, "0.") != "" {
		out = "-" + out
	}
	return out, nil
}

// parseValue is the inverse of appendValue. It returns the value for a driver.
func parseValue(k kind, raw json.RawMessage) (any, error) {
	if string(raw) == "null" {
		return nil, nil
	}
	switch k {
	case kindInt:
		return strconv.ParseInt(string(raw), 10, 64)
	case kindReal:
		return strconv.ParseFloat(string(raw), 64)
	case kindBool:
		return strconv.ParseBool(string(raw))
	case kindJSON:
		inner, opened := bytes.CutPrefix(raw, []byte("["))
		inner, closed := bytes.CutSuffix(inner, []byte("]"))
		if !opened || !closed || !json.Valid(inner) {
			return nil, fmt.Errorf("%w: no JSON", errKind)
		}
		return string(inner), nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return nil, fmt.Errorf("%w: %w", errKind, err)
	}
	switch k {
	case kindUUID:
		id, err := uuid.Parse(text)
		return id.String(), err
	case kindTime:
		return time.Parse(timeLayout, text)
	case kindDate:
		_, err := time.Parse(dateLayout, text)
		return text, err
	case kindBytes:
		return base64.StdEncoding.DecodeString(text)
	}
	return text, nil
}
