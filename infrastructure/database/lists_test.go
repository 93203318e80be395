package database

import (
	"bytes"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/lib/pq"
)

// TestListsAreEncodedAsBefore compares the bytes of lists with those that the driver makes from their
// text, and counts the allocations.
func TestListsAreEncodedAsBefore(t *testing.T) {
	now := time.Date(2026, 11, 30, 19, 0, 0, 123456000, time.FixedZone("", 3600))
	slow, fast := pgtype.NewMap(), pgtype.NewMap()
	encodeIDs(fast)
	encodeLists(fast)
	for _, c := range []struct {
		name string
		oid  uint32
		list any
	}{
		{"truth values", pgtype.BoolArrayOID, []bool{true, false}},
		{"small numbers", pgtype.Int2ArrayOID, []int16{-3, 7}},
		{"numbers", pgtype.Int4ArrayOID, []int32{-3, 7}},
		{"large numbers", pgtype.Int8ArrayOID, []int64{-3, 1 << 40}},
		{"texts", pgtype.TextArrayOID, []string{"", "NULL", `a "b",{c}\`, "ä"}},
		{"no texts", pgtype.TextArrayOID, []string{}},
		{"an absent list", pgtype.TextArrayOID, []string(nil)},
		{"JSON", pgtype.JSONBArrayOID, []string{`{"a":"b"}`, "{}", "[]"}},
		{"bytes", pgtype.ByteaArrayOID, [][]byte{{0, 1, 255}, {}, nil}},
		{"absent bytes", pgtype.ByteaArrayOID, [][]byte(nil)},
		{"times", pgtype.TimestamptzArrayOID, []time.Time{now, {}}},
		{"a list of another type", pgtype.TimestamptzArrayOID, []*time.Time{&now}},
	} {
		list := pq.Array(c.list)
		want, err := slow.Encode(c.oid, pgtype.BinaryFormatCode, list, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		// A new map, because a plan is kept for the type of the value and the type of the column.
		types := pgtype.NewMap()
		encodeLists(types)
		got, err := types.Encode(c.oid, pgtype.BinaryFormatCode, list, nil)
		if err != nil || !bytes.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, want)
		}
	}
	list, buf := pq.Array([]string{"a", "b"}), make([]byte, 0, 64)
	count := func(types *pgtype.Map) float64 {
		return testing.AllocsPerRun(100, func() {
			if _, err := types.Encode(pgtype.TextArrayOID, pgtype.BinaryFormatCode, list, buf); err != nil {
				t.Fatal(err)
			}
		})
	}
	if before, after := count(slow), count(fast); after > before/3 {
		t.Errorf("a list takes %v allocations; its text takes %v", after, before)
	}
}
