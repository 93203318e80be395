package store

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash"
	"reflect"
	"slices"
	"strings"
	"time"

	"docledger/domain/fault"

	"github.com/google/uuid"
)

// A cursor is unpadded base64url of the binding of its list (bindingSize bytes) and the key of
// the last row of the page. It grants no access: every page is limited by the reader's scope
// again.
const bindingSize = 8

// binding distinguishes lists and the filters with which they were read.
type binding [bindingSize]byte

// binder computes a binding. It contains only filters that are set, so that a filter of a later
// release keeps older cursors valid.
type binder struct{ sum hash.Hash }

func bind(list string, organization uuid.UUID) binder {
	b := binder{sha256.New()}
	fmt.Fprintf(b.sum, "%s %s", list, organization)
	return b
}

func (b binder) with(name string, value any) binder {
	if v := reflect.ValueOf(value); v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 {
		return b
	}
	if t, ok := value.(time.Time); ok {
		value = t.UnixMicro()
	}
	fmt.Fprintf(b.sum, " %s=%q", name, fmt.Sprint(value))
	return b
}

func (b binder) done() binding { return binding(b.sum.Sum(nil)[:bindingSize]) }

// withAll is with for a filter with several values in any order.
func withAll[T ~string](b binder, name string, values []T) binder {
	sorted := slices.Sorted(slices.Values(values))
	return b.with(name, sorted)
}

func (b binding) cursor(key []byte) string {
	return base64.RawURLEncoding.EncodeToString(append(b[:], key...))
}

// key returns the key of a cursor of this list; keys of this list have a fixed size.
func (b binding) key(cursor string, size int) ([]byte, error) {
	key, err := b.keyAfter(cursor, size)
	if err == nil && len(key) != size {
		err = errCursor()
	}
	return key, err
}

// keyAfter returns the key of a cursor of this list; keys of this list have a minimum size.
func (b binding) keyAfter(cursor string, least int) ([]byte, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	// The decoder ignores line feeds.
	if err != nil || len(raw) < bindingSize+least || binding(raw[:bindingSize]) != b || strings.ContainsAny(cursor, "\r\n") {
		return nil, errCursor()
	}
	return raw[bindingSize:], nil
}

func errCursor() error {
	return fault.InvalidField("cursor", "not a cursor of this list and filter; start again without one")
}

// idKey parses the key of a list that is ordered by id; the zero id is the start.
func (b binding) idKey(cursor string) (uuid.UUID, error) {
	if cursor == "" {
		return uuid.Nil, nil
	}
	key, err := b.key(cursor, len(uuid.UUID{}))
	if err != nil {
		return uuid.Nil, err
	}
	return uuid.UUID(key), nil
}

func numbersKey(numbers ...int64) []byte {
	var key []byte
	for _, n := range numbers {
		key = binary.BigEndian.AppendUint64(key, uint64(n))
	}
	return key
}

// numbersOf parses a key of n numbers; the start is all zeros.
func (b binding) numbersOf(cursor string, n int) ([]int64, error) {
	numbers := make([]int64, n)
	if cursor == "" {
		return numbers, nil
	}
	key, err := b.key(cursor, 8*n)
	if err != nil {
		return nil, err
	}
	for i := range numbers {
		numbers[i] = int64(binary.BigEndian.Uint64(key[8*i:]))
	}
	return numbers, nil
}
