package store

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"docledger/domain/fault"

	"github.com/google/uuid"
)

func FuzzCursor(f *testing.F) {
	b := bind("documents", uuid.Nil).done()
	id := uuid.MustParse("01920000-0000-7000-8000-000000000001")
	f.Add("")
	f.Add("AAAA")
	f.Add(b.cursor(id[:]))
	f.Add(b.cursor(numbersKey(1, -1)))
	f.Add(b.cursor(id[:]) + "=")
	f.Fuzz(func(t *testing.T, cursor string) {
		refused := func(err error) bool {
			if err != nil && fault.CodeOf(err) != fault.CodeInvalidRequest {
				t.Errorf("%q: %v", cursor, err)
			}
			return err != nil
		}
		if key, err := b.idKey(cursor); !refused(err) && cursor != "" && b.cursor(key[:]) != cursor {
			t.Errorf("%q is another way to write a cursor", cursor)
		}
		if numbers, err := b.numbersOf(cursor, 2); !refused(err) && cursor != "" && b.cursor(numbersKey(numbers...)) != cursor {
			t.Errorf("%q is another way to write a cursor", cursor)
		}
		if key, err := b.keyAfter(cursor, 0); !refused(err) && b.cursor(key) != cursor {
			t.Errorf("%q is another way to write a cursor", cursor)
		}
	})
}

func TestBinding(t *testing.T) {
	t.Parallel()
	organization := uuid.New()
	base := bind("list", organization).done()
	// A filter that is not set does not change the binding, so that filters can be added.
	if got := withAll(bind("list", organization).with("a", "").with("b", time.Time{}).with("c", uuid.Nil), "d", []string{}).done(); got != base {
		t.Error("an empty filter binds")
	}
	others := []binding{
		base, bind("other", organization).done(), bind("list", uuid.New()).done(),
		bind("list", organization).with("a", "x").done(), bind("list", organization).with("b", "x").done(),
		bind("list", organization).with("a", `x" b="y`).done(), bind("list", organization).with("a", "x").with("b", "y").done(),
		withAll(bind("list", organization), "a", []string{"x", "y"}).done(),
	}
	for i, a := range others {
		for j, b := range others {
			if i != j && bytes.Equal(a[:], b[:]) {
				t.Errorf("%d and %d bind alike", i, j)
			}
		}
	}
	zone := time.FixedZone("", 3600)
	now := time.Now()
	if bind("l", organization).with("t", now).done() != bind("l", organization).with("t", now.In(zone)).done() {
		t.Error("the zone of a time binds")
	}
}

func TestNumbersKey(t *testing.T) {
	t.Parallel()
	b := bind("l", uuid.Nil).done()
	want := []int64{1 << 62, -5}
	got, err := b.numbersOf(b.cursor(numbersKey(want...)), 2)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}
