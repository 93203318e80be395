package edge

import "testing"

func TestBearer(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"Bearer a.b-c_d~e+f/g==": "a.b-c_d~e+f/g==",
		"bearer  a":              "a",
		"Bearer a\t":             "",
		"Bearer a ":              "",
		"Bearer a\u00a0":         "",
		"Bearer a b":             "",
		"Bearer =":               "",
		"Bearer ":                "",
		"Basic a":                "",
		"a":                      "",
	} {
		if got, ok := bearer([]string{header}); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %t; want %q", header, got, ok, want)
		}
	}
}
