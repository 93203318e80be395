package stripe

import (
	"net/url"
	"strings"
	"testing"
)

func TestDecodeForm(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                              `{}`,
		"a=1":                           `{"a""1"}`,
		"a=1&b=2":                       `{"a""1""b""2"}`,
		"b=2&a=1":                       `{"a""1""b""2"}`,
		"a=":                            `{"a"""}`,
		"a":                             `{"a"""}`,
		"a=b%20c+d%5B":                  `{"a""b c d["}`,
		"a[b][c]=1&a[b][d]=2":           `{"a"{"b"{"c""1""d""2"}}}`,
		"a%5Bb%5D=1":                    `{"a"{"b""1"}}`,
		"a[0][x]=1&a[1][x]=2":           `{"a"{"0"{"x""1"}"1"{"x""2"}}}`,
		"a[]=1&a[]=2":                   `{"a"{"0""1""1""2"}}`,
		"a[][x]=1&a[][y]=2&a[][x]=3":    `{"a"{"0"{"x""1""y""2"}"1"{"x""3"}}}`,
		"&&a=1&":                        `{"a""1"}`,
		"metadata[a.b]=c&metadata[é]=d": `{"metadata"{"a.b""c""é""d"}}`,
	} {
		n, err := decodeForm(text)
		if err != nil || n.canonical() != want {
			t.Errorf("%s: %v (%v), want %s", text, n, err, want)
		}
	}
	for _, text := range []string{
		"a[=1", "a]=1", "a[b]c=1", "a[b]]=1", "a[[b]]=1", "[a]=1", "=1", "a=1&a=2", "a=1&a[b]=2", "a[b]=1&a=2", "a[b]=1&a[b][c]=2",
		"a=%", "%=1", "a" + strings.Repeat("[b]", 9) + "=1", strings.Repeat("a&", 1001),
	} {
		if n, err := decodeForm(text); err == nil {
			t.Errorf("%.40q is read as %s", text, n.canonical())
		}
	}
}

func FuzzDecodeForm(f *testing.F) {
	for _, seed := range []string{"a[b][0]=1&c=%20", "items[][price]=p&items[][quantity]=2", "a[=&]=[", "expand[]=a.b&expand[]=c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := decodeForm(text)
		if err != nil {
			return
		}
		leaves := url.Values{}
		flatten(n, "", leaves)
		again, err := decodeForm(leaves.Encode())
		if err != nil || again.canonical() != n.canonical() {
			t.Errorf("%q reads as %s, and that as %v (%v)", text, n.canonical(), again, err)
		}
		p := newParams(n, "")
		p.ignore(n.order...)
		if e := p.done(); e != nil {
			t.Errorf("%q: %s", text, e.message)
		}
		var into map[string]string
		p.metadata(&into)
	})
}

// flatten encodes a form with explicit indices.
func flatten(n *node, name string, into url.Values) {
	if n.leaf {
		into.Add(name, n.value)
		return
	}
	for _, key := range n.order {
		if name == "" {
			flatten(n.keys[key], key, into)
		} else {
			flatten(n.keys[key], name+"["+key+"]", into)
		}
	}
}
