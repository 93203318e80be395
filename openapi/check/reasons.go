package check

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	"golang.org/x/text/currency"
	"golang.org/x/text/language"
)

// formats are checked by ourselves: the specification library does not know
// uuid, and its dates end where our parsers continue.
var formats = map[string]openapi3.StringFormatValidator{
	"uuid":      openapi3.NewCallbackValidator(checkUUID),
	"date":      openapi3.NewCallbackValidator(checkDate),
	"date-time": openapi3.NewCallbackValidator(checkTimestamp),
	"byte":      openapi3.NewCallbackValidator(checkBase64),
	"iso-4217":  openapi3.NewCallbackValidator(checkCurrency),
	"iso-3166":  openapi3.NewCallbackValidator(checkCountry),
	"iana-tz":   openapi3.NewCallbackValidator(checkTimeZone),
}

// Formats returns the formats by their names, for a validator of responses.
func Formats() map[string]openapi3.StringFormatValidator { return maps.Clone(formats) }

var formatReasons = map[string]string{
	"uuid":      "must be a UUID such as 01936b1e-7c1a-7cc3-9d0e-2b7f0a4c1d11",
	"date":      "must be an existing date as YYYY-MM-DD",
	"date-time": "must be a timestamp such as 2026-03-31T09:30:00Z",
	"byte":      "must be base64",
	"iso-4217":  "must be a currency such as EUR (ISO 4217)",
	"iso-3166":  "must be a country such as DE (ISO 3166-1 alpha-2)",
	"iana-tz":   "must be a name of the IANA time zone database, such as Europe/Berlin",
}

var errFormat = errors.New("wrong format")

// checkUUID accepts only the canonical form: uuid.Parse accepts four spellings, and caches and
// logs fail to match an id with several spellings. It accepts the nil UUID, which is an unknown id.
func checkUUID(s string) error {
	if _, err := uuid.Parse(s); len(s) != 36 || err != nil {
		return errFormat
	}
	return nil
}

func checkCurrency(s string) error {
	if _, err := currency.ParseISO(s); err != nil || strings.ToUpper(s) != s {
		return errFormat
	}
	return nil
}

func checkCountry(s string) error {
	r, err := language.ParseRegion(s)
	if err != nil || !r.IsCountry() || len(s) != 2 || r.Canonicalize().String() != s {
		return errFormat
	}
	return nil
}

func checkTimeZone(s string) error {
	if _, err := time.LoadLocation(s); err != nil || s == "" || s == "Local" {
		return errFormat
	}
	return nil
}

func checkDate(s string) error {
	if t, err := time.Parse(time.DateOnly, s); err != nil || t.Year() < 1 {
		return errFormat
	}
	return nil
}

func checkTimestamp(s string) error {
	if t, err := time.Parse(time.RFC3339, s); err != nil || t.Year() < 1 || t.UTC().Year() > 9999 {
		return errFormat
	}
	return nil
}

func checkBase64(s string) error {
	if _, err := base64.StdEncoding.Strict().DecodeString(s); err != nil {
		return errFormat
	}
	return nil
}

// reason says what is wrong with a value, never what the value is.
func reason(err *openapi3.SchemaError) string {
	schema := err.Schema
	switch err.SchemaField {
	case "required":
		return "is required"
	case "properties":
		return "is not a known field"
	case "nullable":
		return "must not be null"
	case "type":
		return "must be " + article(schema.Type.Slice())
	case "enum":
		return "must be one of " + choices(schema.Enum)
	case "format":
		if known := formatReasons[schema.Format]; known != "" {
			return known
		}
		return "must be of the format " + schema.Format
	case "pattern":
		if text, _ := schema.Extensions["x-reason"].(string); text != "" {
			return text
		}
		return "must match " + schema.Pattern
	default:
		return boundReason(err)
	}
}

func boundReason(err *openapi3.SchemaError) string {
	schema := err.Schema
	switch err.SchemaField {
	case "minLength":
		if schema.MinLength == 1 {
			return "must not be empty"
		}
		return fmt.Sprintf("must have at least %d characters", schema.MinLength)
	case "maxLength":
		return fmt.Sprintf("must have at most %d characters", *schema.MaxLength)
	case "minItems":
		return fmt.Sprintf("must have at least %d items", schema.MinItems)
	case "maxItems":
		return fmt.Sprintf("must have at most %d items", *schema.MaxItems)
	case "minimum":
		return "must be at least " + number(*schema.Min)
	case "maximum":
		return "must be at most " + number(*schema.Max)
	case "uniqueItems":
		return "must not contain the same item twice"
	case "discriminator":
		return "must match one variant of this object"
	default:
		return "is not valid"
	}
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func article(types []string) string {
	name := strings.Join(types, " or ")
	if strings.ContainsAny(name[:min(1, len(name))], "aeio") {
		return "an " + name
	}
	return "a " + name
}

func choices(enum []any) string {
	names := make([]string, 0, len(enum))
	for _, value := range enum {
		if text, ok := value.(string); ok {
			names = append(names, text)
			continue
		}
		text, _ := json.Marshal(value)
		names = append(names, string(text))
	}
	return strings.Join(names, ", ")
}
