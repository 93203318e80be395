package check

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// mustDecode decodes without a schema.
func mustDecode(t *testing.T, data []byte) (any, []Field) {
	t.Helper()
	value, fields, err := Decode(t.Context(), nil, data)
	if err != nil {
		t.Fatal(err)
	}
	return value, fields
}

func TestDecode(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ body, field, reason string }{
		"object":              {`{"a":[1,"x",null,true,{"b":1.5}]}`, "", ""},
		"scalar":              {` 7 `, "", ""},
		"same key elsewhere":  {`{"a":{"x":1},"b":{"x":1}}`, "", ""},
		"empty":               {``, "", "one JSON value"},
		"spaces":              {`  `, "", "one JSON value"},
		"trailing value":      {`{} 1`, "", "one JSON value"},
		"trailing comma":      {`[1,]`, "", "one JSON value"},
		"comment":             {`{} // x`, "", "one JSON value"},
		"single quotes":       {`{'a':1}`, "", "one JSON value"},
		"byte order mark":     {"\ufeff{}", "", "one JSON value"},
		"NaN":                 {`[NaN]`, "", "one JSON value"},
		"leading zero":        {`[01]`, "", "one JSON value"},
		"key twice":           {`{"a":1,"b":{"c":1,"c":2}}`, "b.c", "twice"},
		"key twice, escaped":  {`{"a":1,"\u0061":2}`, "a", "twice"},
		"NUL in a list":       {`{"a":["x","\u0000"]}`, "a[1]", "NUL"},
		"first half":          {`{"a":["x","\ud800"]}`, "a[1]", "surrogate"},
		"second half":         {`{"a":"\udc00x"}`, "a", "surrogate"},
		"halves swapped":      {`{"a":"\udc00\ud800"}`, "a", "surrogate"},
		"two first halves":    {`{"a":"\ud83d\ud83d\ude00"}`, "a", "surrogate"},
		"half after a pair":   {`{"a":"\ud83d\ude00\ud83d"}`, "a", "surrogate"},
		"half in a key":       {`{"\ud800":1}`, "?", "surrogate"},
		"both halves":         {`{"a":"\ud83d\ude00","\uD83D\uDE00":"\\ud800"}`, "", ""},
		"replacement":         {`{"a":"\ufffd�"}`, "", ""},
		"invalid UTF-8":       {"{\"a\":\"\xc3\x28\"}", "", "UTF-8"},
		"64 levels":           {strings.Repeat("[", 64) + strings.Repeat("]", 64), "", ""},
		"65 levels":           {strings.Repeat("[", 65) + strings.Repeat("]", 65), "", "deeper"},
		"levels beyond count": {strings.Repeat("[", 100_000), "", "one JSON value"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, fields := mustDecode(t, []byte(test.body))
			if (len(fields) == 0) != (test.reason == "") {
				t.Fatalf("fields %v", fields)
			}
			if len(fields) > 0 && (fields[0].Field != test.field || !strings.Contains(fields[0].Reason, test.reason)) {
				t.Errorf("%+v, want %s %s", fields[0], test.field, test.reason)
			}
		})
	}
}

// FuzzDecode holds the strict reader to encoding/json: what it takes is the
// same value there, and what it takes once it takes again.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{}`, `[1,2.50,-0,1e9]`, `{"a":{"b":[null,true,"\u00e4"]}}`, `{"a":1,"a":2}`, `"\ud800"`, `{"a":"\u0000"}`, `[[[[`, "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		value, fields := mustDecode(t, data)
		if len(fields) > 0 {
			if value != nil {
				t.Fatal("refused, and a value anyway")
			}
			return
		}
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		var want any
		if err := decoder.Decode(&want); err != nil || !reflect.DeepEqual(value, want) {
			t.Fatalf("%v: %#v, encoding/json has %#v", err, value, want)
		}
		again, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if _, fields := mustDecode(t, again); len(fields) > 0 {
			t.Fatalf("refused its own encoding: %v", fields)
		}
	})
}
