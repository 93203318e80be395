package msgraph

import (
	"encoding/base64"
	"strings"
	"testing"
)

// TestQuickXorHash compares the digest with values that other programs publish.
func TestQuickXorHash(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		"":     "AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
		"Sg==": "SgAAAAAAAAAAAAAAAQAAAAAAAAA=",
		"tbQ=": "taAFAAAAAAAAAAAAAgAAAAAAAAA=",
	} {
		raw, err := base64.StdEncoding.DecodeString(data)
		if got := quickXorHash(raw); err != nil || got != want {
			t.Errorf("%q is %s, want %s", data, got, want)
		}
	}
}

// FuzzReadAddress checks that readAddress never panics, and that an escaped separator does not
// split a name.
func FuzzReadAddress(f *testing.F) {
	for _, seed := range []string{
		"sites", "sites/a,b,c/drives", "drives/b!x/root:/a%20b/c:/children", "drives/x/items/01A:/b", "drives/x/items/..%2Fme", "drives/x/root::", "%zz",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, escaped string) {
		a, ok := readAddress(escaped)
		if !ok {
			return
		}
		if len(a.path) > strings.Count(escaped, "/") || a.kind == "" && a.tail != "" && !strings.HasPrefix(escaped, "/") {
			t.Errorf("%q is %+v", escaped, a)
		}
		if a.path != nil && !a.hasItem {
			t.Errorf("%q has a path below nothing", escaped)
		}
	})
}
