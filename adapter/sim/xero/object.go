package xero

import (
	"bytes"
	"encoding/xml"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"docledger/adapter/sim/kit/oidc"
)

// object is a record of the accounting API with ordered fields. Their values are those of the
// types below, strings, booleans, ints, objects, lists of objects, and nil.
type object []member

type member struct {
	name  string
	value any
}

// guid is an id; a filter must use guid("…") for it.
type guid string

// amount is a number with a fixed number of decimal places.
type amount struct {
	decimal.Decimal
	places int32
}

func money(d decimal.Decimal) amount { return amount{d, 2} }

// moment is a time; its JSON form is /Date(…)/.
type moment struct {
	time.Time
	zone bool // the JSON form ends with +0000
}

func (m moment) String() string {
	zone := ""
	if m.zone {
		zone = "+0000"
	}
	return "/Date(" + strconv.FormatInt(m.UnixMilli(), 10) + zone + ")/"
}

func day(t time.Time) moment     { return moment{t, true} }
func updated(t time.Time) moment { return moment{t, true} }

// get returns the value of a field. A path selects a field of a nested object.
func (o object) get(path string) (any, bool) {
	name, rest, deeper := strings.Cut(path, ".")
	for _, m := range o {
		if m.name != name {
			continue
		}
		if !deeper {
			return m.value, true
		}
		inner, ok := m.value.(object)
		if !ok {
			return nil, false
		}
		return inner.get(rest)
	}
	return nil, false
}

// with adds a field unless its value is empty.
func (o object) with(name string, value any) object {
	switch value {
	case "", guid(""), nil:
		return o
	}
	return append(o, member{name, value})
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) { return appendJSON(nil, o), nil }

// appendJSON encodes a value; encoding/json would process each level of an object repeatedly.
func appendJSON(out []byte, value any) []byte {
	switch v := value.(type) {
	case object:
		out = append(out, '{')
		for i, m := range v {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(appendJSON(out, m.name), ':')
			out = appendJSON(out, m.value)
		}
		return append(out, '}')
	case []object:
		out = append(out, '[')
		for i, element := range v {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendJSON(out, element)
		}
		return append(out, ']')
	case amount:
		return append(out, v.StringFixed(v.places)...)
	case moment:
		return appendJSON(out, v.String())
	case guid:
		return appendJSON(out, string(v))
	case string:
		if plainText(v) {
			return append(append(append(out, '"'), v...), '"')
		}
	}
	return append(out, oidc.JSON(value)...)
}

// plainText reports whether a text needs no escaping.
func plainText(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// singular contains the XML names of list elements.
func singular(plural string) string {
	switch {
	case plural == "Elements":
		return "DataContractBase"
	case plural == "Addresses":
		return "Address"
	case strings.HasSuffix(plural, "ies"):
		return strings.TrimSuffix(plural, "ies") + "y"
	}
	return strings.TrimSuffix(plural, "s")
}

// writeXML writes an element. XML is the default format of the API.
func writeXML(out *bytes.Buffer, name string, value any) {
	if value == nil {
		return
	}
	out.WriteString("<" + name + ">")
	switch v := value.(type) {
	case object:
		for _, m := range v {
			writeXML(out, m.name, m.value)
		}
	case []object:
		for _, element := range v {
			writeXML(out, singular(name), element)
		}
	case amount:
		out.WriteString(v.StringFixed(v.places))
	case moment:
		out.WriteString(v.UTC().Format("2006-01-02T15:04:05"))
	case bool:
		out.WriteString(strconv.FormatBool(v))
	case int:
		out.WriteString(strconv.Itoa(v))
	case guid:
		_ = xml.EscapeText(out, []byte(v)) // a bytes.Buffer never fails
	case string:
		_ = xml.EscapeText(out, []byte(v)) // as above
	}
	out.WriteString("</" + name + ">")
}
