package spectest

import (
	"encoding/base64"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
)

// generator makes values from schemas. The same seed makes the same values.
type generator struct {
	rng   *rand.Rand
	known map[string]string // real values by the name of their parameter or key
}

// extent says which of the optional parts of an object a value has.
type extent int

const (
	some  extent = iota // each by a throw
	least               // none
	all                 // every one
)

// value makes a valid value; name is the key or parameter it is for.
func (g *generator) value(schema *openapi3.Schema, name string, parts extent) any {
	if len(schema.Enum) > 0 {
		return schema.Enum[g.rng.IntN(len(schema.Enum))]
	}
	if schema.Nullable && parts == some && g.rng.IntN(5) == 0 {
		return nil
	}
	switch {
	case schema.Type.Is(openapi3.TypeObject):
		return g.object(schema, parts)
	case schema.Type.Is(openapi3.TypeArray):
		n := int(schema.MinItems) + g.rng.IntN(3)
		return g.array(schema, name, parts, min(n, maxItems(schema)))
	case schema.Type.Is(openapi3.TypeBoolean):
		return g.rng.IntN(2) == 0
	case schema.Type.Is(openapi3.TypeInteger):
		if n, err := strconv.ParseInt(g.known[name], 10, 64); err == nil {
			return n
		}
		low, high := bounds(schema)
		return low + g.rng.Int64N(min(high-low, 100)+1)
	case schema.Type.Is(openapi3.TypeNumber):
		low, high := bounds(schema)
		return float64(low) + g.rng.Float64()*float64(high-low)
	default:
		return g.text(schema, name)
	}
}

func (g *generator) object(schema *openapi3.Schema, parts extent) map[string]any {
	object := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(schema.Properties)) {
		optional := !slices.Contains(schema.Required, key)
		if optional && (parts == least || parts == some && g.rng.IntN(2) == 0) {
			continue
		}
		object[key] = g.value(schema.Properties[key].Value, key, parts)
	}
	return object
}

// array makes n items. It makes at most one item if items must differ in some of
// their keys (x-unique-by), unless more than the maximum are wanted.
func (g *generator) array(schema *openapi3.Schema, name string, parts extent, n int) []any {
	if schema.Extensions["x-unique-by"] != nil && n <= maxItems(schema) {
		n = min(n, 1)
	}
	array := make([]any, n)
	for i := range array {
		array[i] = g.value(schema.Items.Value, name, parts)
	}
	if schema.UniqueItems && n <= maxItems(schema) {
		return distinct(array)
	}
	return array
}

// distinct returns the items without those that are equal to an earlier one.
func distinct(items []any) (out []any) {
	for _, item := range items {
		if !slices.ContainsFunc(out, func(earlier any) bool { return reflect.DeepEqual(earlier, item) }) {
			out = append(out, item)
		}
	}
	return out
}

func (g *generator) text(schema *openapi3.Schema, name string) string {
	if id := g.known[name]; id != "" {
		return id
	}
	switch schema.Format {
	case "iso-4217":
		return []string{"EUR", "USD", "JPY", "CHF"}[g.rng.IntN(4)]
	case "iso-3166":
		return []string{"DE", "FR", "US", "JP"}[g.rng.IntN(4)]
	case "iana-tz":
		return []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo"}[g.rng.IntN(4)]
	case "uuid":
		return g.uuid()
	case "date":
		return g.moment().Format(time.DateOnly)
	case "date-time":
		return g.moment().Format(time.RFC3339)
	case "byte":
		return base64.StdEncoding.EncodeToString([]byte(g.letters(8)))
	}
	if schema.Pattern != "" {
		return matching(schema.Pattern, g.rng)
	}
	low, high := lengths(schema)
	return g.letters(low + g.rng.IntN(min(high-low, 20)+1))
}

func (g *generator) uuid() string {
	var id uuid.UUID
	for i := range id {
		id[i] = byte(g.rng.Uint32())
	}
	id[6], id[8] = id[6]&0x0f|0x70, id[8]&0x3f|0x80
	return id.String()
}

func (g *generator) moment() time.Time {
	return time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(g.rng.Int64N(int64(10 * 365 * 24 * time.Hour)))).Truncate(time.Second)
}

// letters makes a text of n characters, some of them of several bytes.
func (g *generator) letters(n int) string {
	alphabet := []rune("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-äßéλж漢")
	var text strings.Builder
	for range n {
		text.WriteRune(alphabet[g.rng.IntN(len(alphabet))])
	}
	return text.String()
}

// lengths returns the minimum and maximum length of a text; the default maximum is 100,000.
func lengths(schema *openapi3.Schema) (low, high int) {
	high = 100_000
	if schema.MaxLength != nil {
		high = int(*schema.MaxLength)
	}
	return int(schema.MinLength), high
}

func maxItems(schema *openapi3.Schema) int {
	if schema.MaxItems != nil {
		return int(*schema.MaxItems)
	}
	return 100
}

func bounds(schema *openapi3.Schema) (low, high int64) {
	high = 1000
	if schema.Min != nil {
		low = int64(*schema.Min)
	}
	if schema.Max != nil {
		high = int64(*schema.Max)
	}
	return low, high
}

// limit is a value at a bound of its schema, or just beyond it.
type limit struct {
	what  string
	value any
}

// inside lists valid values at the bounds of a schema.
func (g *generator) inside(schema *openapi3.Schema, name string) []limit {
	var limits []limit
	add := func(what string, value any) { limits = append(limits, limit{what, value}) }
	if schema.Nullable {
		add("null", nil)
	}
	for _, choice := range schema.Enum {
		if choice != nil {
			add("the choice", choice)
		}
	}
	switch {
	case len(schema.Enum) > 0:
	case schema.Type.Is(openapi3.TypeString) && schema.Format == "" && schema.Pattern == "":
		low, high := lengths(schema)
		add("the shortest text", g.letters(low))
		if schema.MaxLength != nil {
			add("the longest text", g.letters(high))
		}
	case schema.Type.Is(openapi3.TypeInteger), schema.Type.Is(openapi3.TypeNumber):
		low, high := bounds(schema)
		add("the least number", low)
		if schema.Max != nil {
			add("the greatest number", high)
		}
	case schema.Type.Is(openapi3.TypeArray):
		add("the fewest items", g.array(schema, name, least, int(schema.MinItems)))
		add("the most items", g.array(schema, name, least, maxItems(schema)))
	}
	return limits
}

// outside lists values that break a schema in one way each.
func (g *generator) outside(schema *openapi3.Schema, name string) []limit {
	limits := g.wrongType(schema)
	add := func(what string, value any) { limits = append(limits, limit{what, value}) }
	if !schema.Nullable {
		add("null", nil)
	}
	switch {
	case len(schema.Enum) > 0:
		add("no choice", "NO_SUCH_CHOICE")
	case schema.Type.Is(openapi3.TypeString):
		limits = append(limits, g.wrongText(schema)...)
	case schema.Type.Is(openapi3.TypeInteger), schema.Type.Is(openapi3.TypeNumber):
		low, high := bounds(schema)
		if schema.Min != nil {
			add("a number too small", low-1)
		}
		if schema.Max != nil {
			add("a number too great", high+1)
		}
		if schema.Type.Is(openapi3.TypeInteger) {
			add("a fraction", float64(low)+0.5)
		}
	case schema.Type.Is(openapi3.TypeArray):
		if schema.MaxItems != nil {
			add("too many items", g.array(schema, name, least, maxItems(schema)+1))
		}
		if schema.MinItems > 0 {
			add("too few items", []any{})
		}
	}
	return limits
}

func (g *generator) wrongType(schema *openapi3.Schema) []limit {
	var limits []limit
	for _, other := range []limit{
		{"a text", "text"}, {"a number", 7}, {"a boolean", true}, {"a list", []any{}}, {"an object", map[string]any{}},
	} {
		fits := map[string]string{
			"a text": openapi3.TypeString, "a number": openapi3.TypeInteger, "a boolean": openapi3.TypeBoolean,
			"a list": openapi3.TypeArray, "an object": openapi3.TypeObject,
		}[other.what]
		if schema.Type.Is(fits) || other.what == "a number" && schema.Type.Is(openapi3.TypeNumber) {
			continue
		}
		limits = append(limits, limit{other.what + " in its place", other.value})
	}
	return limits
}

func (g *generator) wrongText(schema *openapi3.Schema) []limit {
	var limits []limit
	add := func(what, value string) { limits = append(limits, limit{what, value}) }
	low, high := lengths(schema)
	if schema.MaxLength != nil {
		add("a text too long", g.letters(high+1))
	}
	if low > 0 {
		add("a text too short", g.letters(low-1))
	}
	if schema.Pattern != "" {
		for _, text := range notMatching(schema.Pattern, g.rng) {
			add("a text outside the pattern", text)
		}
	}
	add("a NUL character", "a\x00b")
	switch schema.Format {
	case "uuid":
		add("no UUID", "123")
		add("a UUID in braces", "{"+g.uuid()+"}")
		add("a UUID without hyphens", strings.ReplaceAll(g.uuid(), "-", ""))
	case "date":
		add("a day that is none", "2026-02-30")
		add("a date in another form", "31.12.2026")
		add("the year zero", "0000-01-01")
	case "date-time":
		add("a moment without a zone", "2026-01-01T00:00:00")
		add("a date alone", "2026-01-01")
	case "byte":
		add("no base64", "!")
	}
	return limits
}
