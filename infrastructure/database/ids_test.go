package database

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// TestIDsAreEncodedAtOnce checks the bytes of ids, and that no text of an id is made and discarded.
func TestIDsAreEncodedAtOnce(t *testing.T) {
	types := pgtype.NewMap()
	encodeIDs(types)
	id, none := uuid.New(), (*uuid.UUID)(nil)
	for _, c := range []struct {
		name   string
		oid    uint32
		format int16
		value  any
		want   string
		null   bool
	}{
		{"an id", pgtype.UUIDOID, pgtype.BinaryFormatCode, id, string(id[:]), false},
		{"an id that can be absent", pgtype.UUIDOID, pgtype.BinaryFormatCode, &id, string(id[:]), false},
		{"an absent id", pgtype.UUIDOID, pgtype.BinaryFormatCode, none, "", true},
		{"an id as text", pgtype.UUIDOID, pgtype.TextFormatCode, id, id.String(), false},
		{"an id in a text column", pgtype.TextOID, pgtype.TextFormatCode, id, id.String(), false},
	} {
		got, err := types.Encode(c.oid, c.format, c.value, nil)
		if err != nil || string(got) != c.want || (got == nil) != c.null {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
	buf := make([]byte, 0, 64)
	allocations := testing.AllocsPerRun(100, func() {
		if _, err := types.Encode(pgtype.UUIDOID, pgtype.BinaryFormatCode, id, buf); err != nil {
			t.Fatal(err)
		}
	})
	if allocations > 3 {
		t.Errorf("an id takes %v allocations", allocations)
	}
}
