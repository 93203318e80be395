package client

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"docledger/domain/calendar"
)

// Date is a day in the API's format: /Date(1439434356790)/ or /Date(1419937200000+0000)/, in
// milliseconds of UTC. null and "" mean no day.
type Date struct{ calendar.Date }

// UnmarshalJSON implements json.Unmarshaler.
func (d *Date) UnmarshalJSON(raw []byte) error {
	t, err := parseTime(raw)
	if err != nil || t.IsZero() {
		*d = Date{}
		return err
	}
	*d = Date{calendar.Of(t)}
	return nil
}

// Time is a time in the same format as Date.
type Time struct{ time.Time }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Time) UnmarshalJSON(raw []byte) (err error) {
	t.Time, err = parseTime(raw)
	return err
}

var errDate = errors.New("not a date in the API's format")

func parseTime(raw []byte) (time.Time, error) {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return time.Time{}, errDate
	}
	if text == "" { // also for null
		return time.Time{}, nil
	}
	inner, found := strings.CutPrefix(text, "/Date(")
	inner, ends := strings.CutSuffix(inner, ")/")
	if !found || !ends {
		return time.Time{}, errDate
	}
	// The offset is the zone of origin; the number is UTC regardless.
	if i := strings.LastIndexAny(inner, "+-"); i > 0 {
		inner = inner[:i]
	}
	ms, err := strconv.ParseInt(inner, 10, 64)
	t := time.UnixMilli(ms).UTC()
	if err != nil || t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}, errDate
	}
	return t, nil
}
