package edge

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestUnescapeHTML(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"a":"R\u0026D \u003cb\u003e"}`: `{"a":"R&D <b>"}`,
		`{"a":"\\u0026"}`:                `{"a":"\\u0026"}`,
		`{"a":"\\\u0026"}`:               `{"a":"\\&"}`,
		`{"a":"\u0000\u2028\""}`:         `{"a":"\u0000\u2028\""}`,
		`\`:                              `\`,
		`\u00`:                           `\u00`,
	} {
		if got := string(unescapeHTML([]byte(in))); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}

// FuzzUnescapeHTML holds the replaced text against a decoder: the value is the
// same.
func FuzzUnescapeHTML(f *testing.F) {
	for _, seed := range []string{"a<b>&c", `\u0026`, "\\", "\"\\<", "\u2028\x00&"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		encoded, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var before, after string
		plain := unescapeHTML(encoded)
		if json.Unmarshal(encoded, &before) != nil || json.Unmarshal(plain, &after) != nil || before != after {
			t.Errorf("%s became %s", encoded, plain)
		}
		if bytes.Contains(plain, []byte(`\u003c`)) && !bytes.Contains(plain, []byte(`\\u003c`)) {
			t.Errorf("%s keeps an escape", plain)
		}
	})
}
