package xmltree_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"docledger/adapter/extract/einvoice/xmltree"
)

func parse(t *testing.T, doc string) xmltree.Elem {
	t.Helper()
	tree, err := xmltree.Parse(t.Context(), []byte(doc))
	if err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return tree.Root()
}

func TestText(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]string{
		"<a> x </a>": "x",
		"<a/>":       "",
		"<a>&lt;b&gt; &amp;amp; &#x20AC;&#65;</a>": "<b> &amp; €A",
		"<a>x<!-- no -->y<?pi no?>z</a>":           "xyz",
		"<a>1<![CDATA[<2> & ]] ]]>3</a>":           "1<2> & ]] 3",
		"<a>&quot;<!---->&apos;</a>":               `"'`,
		"<a>one\r\ntwo\rthree</a>":                 "one\ntwo\nthree",
		"<a>mixed<b/></a>":                         "",
	} {
		if got := parse(t, doc).Text(); got != want {
			t.Errorf("%s: %q, want %q", doc, got, want)
		}
	}
}

func TestNavigation(t *testing.T) {
	t.Parallel()
	root := parse(t, `<?xml version="1.0"?><!-- c --><p:a xmlns:p="urn:p" xmlns="urn:d" x="1 &lt; 2" p:x="no">
		<b><c>first</c></b><b xmlns="urn:other"><c>second</c><p:c/></b><undeclared:d/></p:a><!-- end -->`)
	if root.Space() != "urn:p" || root.Local() != "a" || root.Attr("x") != "1 < 2" || root.Attr("y") != "" {
		t.Errorf("root %s %s %q", root.Space(), root.Local(), root.Attr("x"))
	}
	var seen []string
	for b := range root.Named("b", "d") {
		seen = append(seen, b.Space()+" "+b.Child("c").Text())
	}
	if got, want := strings.Join(seen, "|"), "urn:d first|urn:other second| "; got != want {
		t.Errorf("children %q, want %q", got, want)
	}
	if got := root.Path("b", "c").Text(); got != "first" {
		t.Errorf("path %q", got)
	}
	if got := root.FirstOf("z", "b").Child("c").Text(); got != "first" {
		t.Errorf("first of %q", got)
	}
	absent := root.Path("no", "such", "element")
	if absent.Exists() || absent.Text() != "" || absent.Attr("x") != "" || absent.Local() != "" || absent.Space() != "" || absent.Base64Size() != 0 {
		t.Error("a missing element exists")
	}
	for range absent.All() {
		t.Error("a missing element has a child")
	}
}

func TestBase64Size(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"": 0, "QQ==": 1, "QUI=": 2, "QUJD": 3, "QU\n JD\r\nQQ==": 4} {
		if got := parse(t, "<a>"+text+"</a>").Base64Size(); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	var syntax *xmltree.SyntaxError
	for doc, want := range map[string]error{
		"":                                       xmltree.ErrEmpty,
		"\xEF\xBB\xBF \n":                        xmltree.ErrEmpty,
		"<a":                                     xmltree.ErrTruncated,
		"<a>":                                    xmltree.ErrTruncated,
		"<a b":                                   xmltree.ErrTruncated,
		"<a b='":                                 xmltree.ErrTruncated,
		"<a><!-- ":                               xmltree.ErrTruncated,
		"<a><![CDATA[ ]]":                        xmltree.ErrTruncated,
		"<!DOCTYPE a":                            xmltree.ErrTruncated,
		"<!DOCTYPE a []><a/>":                    xmltree.ErrDoctype,
		strings.Repeat("<a>", 101):               xmltree.ErrDepth,
		"<?xml version='1.0'?>":                  nil,
		"text":                                   nil,
		"<a/>text":                               nil,
		"<a/><b/>":                               nil,
		"<a></b>":                                nil,
		"</a>":                                   nil,
		"<a b=1/>":                               nil,
		"<a b='<'/>":                             nil,
		"<a b='1' b='2'/>":                       nil,
		"<a b='1'c='2'/>":                        nil,
		"<a/ >":                                  nil,
		"<1/>":                                   nil,
		"<a>&nbsp;</a>":                          nil,
		"<a>&#0;</a>":                            nil,
		"<a>&</a>":                               nil,
		"<a b='&x;'/>":                           nil,
		"<a><!DOCTYPE a></a>":                    nil,
		"<a>\x00</a>":                            nil,
		"<a>\xff</a>":                            nil,
		"<?xml version='1.0' encoding='x'?><a/>": nil,
		"<![CDATA[x]]><a/>":                      nil,
	} {
		_, err := xmltree.Parse(t.Context(), []byte(doc))
		switch {
		case want != nil && !errors.Is(err, want):
			t.Errorf("%.40q: %v, want %v", doc, err, want)
		case want == nil && !errors.As(err, &syntax):
			t.Errorf("%.40q: %v, want a syntax error", doc, err)
		}
	}
}

func TestSyntaxErrorNamesTheLine(t *testing.T) {
	t.Parallel()
	_, err := xmltree.Parse(t.Context(), []byte("<a>\n<b>\n</c></a>"))
	if err == nil || !strings.HasPrefix(err.Error(), "line 3: ") {
		t.Errorf("error %v", err)
	}
}

// FuzzAgainstStandard compares the parser with encoding/xml: a document that both
// accept has the same elements, attributes and texts.
func FuzzAgainstStandard(f *testing.F) {
	for _, doc := range []string{
		`<?xml version="1.0" encoding="UTF-8"?><a xmlns="u" b="1&amp;2"><c>x</c><d/><!-- c --><e><![CDATA[<>]]></e></a>`,
		`<p:a xmlns:p="u"><p:b xmlns:p="v">&#65;&lt;</p:b><?pi x?></p:a>`,
		"<a>\r\n<b \n c='d'\t/>\r</a>", `<a><b></a></b>`, `<!DOCTYPE a><a/>`, `<a><b/>mixed<c/></a>`,
	} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := xmltree.Parse(t.Context(), data)
		if err != nil || bytes.HasPrefix(data, []byte("\xFF\xFE")) {
			return
		}
		want, ok := standard(data)
		if !ok {
			return
		}
		var got strings.Builder
		write(&got, tree.Root())
		if got.String() != want {
			t.Fatalf("%q\ngot  %s\nwant %s", data, got.String(), want)
		}
	})
}

func write(b *strings.Builder, e xmltree.Elem) {
	b.WriteString("(" + e.Local())
	if e.Attr("b") != "" {
		b.WriteString(" b=" + e.Attr("b"))
	}
	for c := range e.All() {
		write(b, c)
	}
	b.WriteString(e.Text() + ")")
}

// standard is write with encoding/xml; ok is false if encoding/xml refuses the
// document or handles its names differently.
func standard(data []byte) (text string, ok bool) {
	type open struct {
		text   strings.Builder
		parent bool
	}
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimRight(bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF")), "\x00")))
	var b strings.Builder
	var stack []*open
	for {
		token, err := d.Token()
		if err == io.EOF {
			return b.String(), true
		}
		if err != nil {
			return "", false
		}
		switch token := token.(type) {
		case xml.StartElement:
			if strings.Contains(token.Name.Local, ":") || strings.HasPrefix(token.Name.Space, ":") {
				return "", false
			}
			if len(stack) > 0 {
				stack[len(stack)-1].parent = true
			}
			b.WriteString("(" + token.Name.Local)
			for _, a := range token.Attr {
				if a.Name.Space == "" && a.Name.Local == "b" && strings.TrimSpace(a.Value) != "" {
					b.WriteString(" b=" + strings.TrimSpace(a.Value))
				}
			}
			stack = append(stack, &open{})
		case xml.EndElement:
			top := stack[len(stack)-1]
			if !top.parent {
				b.WriteString(strings.TrimSpace(top.text.String()))
			}
			b.WriteString(")")
			stack = stack[:len(stack)-1]
		case xml.CharData:
			if len(stack) > 0 {
				stack[len(stack)-1].text.Write(token)
			}
		}
	}
}
