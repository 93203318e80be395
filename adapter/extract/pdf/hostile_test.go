package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docledger/adapter/extract/pdf"
	"docledger/adapter/extract/pdf/pdftest"
	"docledger/domain/extraction"
	"docledger/test/lib/cputime"
)

// hostileFile is a document and the expected reason of its refusal; "" means that it
// is accepted.
type hostileFile struct {
	data []byte
	want extraction.Reason
}

// hostile returns documents that are small enough to seed the fuzzer.
func hostile() map[string]hostileFile {
	sound := pdftest.Hybrid("", []string{"a.xml"}, sample)
	return map[string]hostileFile{
		"nothing":          {nil, extraction.Malformed},
		"header only":      {[]byte("%PDF-1.4\n%\xe2\xe3\n"), extraction.Truncated},
		"cut in half":      {sound[:len(sound)/2], extraction.Truncated},
		"cut at its table": {sound[:bytes.LastIndex(sound, []byte("xref\n0"))], extraction.Truncated},
		"no pages":         {[]byte("%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 9 0 R >>\nendobj\n%%EOF\n"), extraction.Malformed},
		"page tree loop":   {pages(func(n int) string { return fmt.Sprintf("<< /Type /Pages /Kids [%d 0 R %d 0 R] >>", n, n+1) }, 1), extraction.Malformed},
		"page tree grows":  {pages(func(n int) string { return fmt.Sprintf("<< /Kids [%d 0 R %[1]d 0 R %[1]d 0 R %[1]d 0 R] >>", n+1) }, 200), extraction.NestingTooDeep},
		"names loop":       {names("<< /Kids [%d 0 R %[1]d 0 R] >>"), ""},
		"names of all":     {names("<< /Names [(a) %d 0 R (b) 1 0 R (c) 4 0 R (d) [[[]]] (e)] >>"), ""},
		"length loop":      {lengths(200), ""},
		"table of nothing": {table("/W [0 0 0] /Index [0 4294967295]", make([]byte, 1024)), extraction.Malformed},
		"negative table":   {table("/W [-1 9 99] /Index [-5 -1]", make([]byte, 1024)), extraction.Malformed},
		"nested packs":     {packs(100), extraction.Malformed},
	}
}

// bombs returns documents that expand, or that are large themselves.
func bombs() map[string]hostileFile {
	bomb := pdftest.Deflate(bytes.Repeat([]byte("<"), 48<<20))
	return map[string]hostileFile{
		"flate bomb":      {embedded("/Filter /FlateDecode", bomb), ""},
		"bomb in a bomb":  {embedded("/Filter [/FlateDecode /FlateDecode]", pdftest.Deflate(bomb)), ""},
		"many filters":    {embedded("/Filter ["+strings.Repeat("/FlateDecode ", 500)+"]", bomb), ""},
		"run length bomb": {embedded("/Filter [/FlateDecode /RunLengthDecode]", pdftest.Deflate(bytes.Repeat([]byte{129, '<'}, 1<<20))), ""},
		"deep arrays":     {embedded("/X "+strings.Repeat("[", 1<<20), nil), ""},
		"deep catalog":    {[]byte("%PDF-1.4\n1 0 obj\n<< /Pages " + strings.Repeat("<< /A ", 1<<18) + "\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF"), extraction.NestingTooDeep},
		"open strings":    {[]byte("%PDF-1.4\n" + strings.Repeat("1 0 obj (", 1<<18) + "\n%%EOF"), extraction.Malformed},
		"wide table":      {table("/W [8 8 8] /Index [0 4294967295]", make([]byte, 24<<10)), extraction.Malformed},
		"huge predictor":  {embedded("/Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns 999999999 /Colors 99 >>", bomb), ""},
	}
}

// embedded returns a document with a custom embedded file.
func embedded(dict string, data []byte) []byte {
	b := pdftest.New()
	b.Page("", "")
	b.Names(b.Specify("a.xml", "", b.Stream(dict, data)))
	return b.Table()
}

// pages returns a document with a page tree of n nodes. node creates each node from
// its number.
func pages(node func(num int) string, n int) []byte {
	b := pdftest.New()
	for range n {
		num := b.Reserve()
		b.Set(num, node(num))
	}
	b.Catalog = "/Pages 2 0 R"
	return b.Table()
}

// names returns a document with a names tree. The root contains its own number.
func names(root string) []byte {
	b := pdftest.New()
	b.Page("", "")
	num := b.Reserve()
	b.Set(num, fmt.Sprintf(root, num))
	b.Catalog += fmt.Sprintf(" /Names << /EmbeddedFiles %d 0 R >> /AF %[1]d 0 R", num)
	return b.Table()
}

// lengths returns a document with streams that refer to each other as their lengths.
func lengths(n int) []byte {
	b := pdftest.New()
	b.Page("", "")
	first := b.Reserve()
	b.Set(first, fmt.Sprintf("<< /Length %d 0 R >>\nstream\n<a/>\nendstream", first+1))
	for i := range n {
		b.Add("<< /Length %d 0 R >>\nstream\nx\nendstream", first+i+2)
	}
	b.Names(b.Specify("a.xml", "", first))
	return b.Table()
}

// table returns a document that consists only of a cross-reference stream.
func table(dict string, rows []byte) []byte {
	return []byte("%PDF-1.7\n1 0 obj\n" + pdftest.StreamBody("/Type /XRef /Root 1 0 R "+dict, rows) + "\nendobj\nstartxref\n9\n%%EOF\n")
}

// packs returns a document with object streams that contain each other.
func packs(n int) []byte {
	out := bytes.NewBufferString("%PDF-1.7\n")
	for i := range n {
		body := fmt.Sprintf("%d 0 << /Type /ObjStm /N 1 /First 9 >>", i+2)
		fmt.Fprintf(out, "%d 0 obj\n%s\nendobj\n", i+1,
			pdftest.StreamBody(fmt.Sprintf("/Type /ObjStm /N 1 /First %d", strings.Index(body, "<<")), []byte(body)))
	}
	out.WriteString("trailer << /Root 2 0 R >>\nstartxref\n1\n%%EOF\n")
	return out.Bytes()
}

func TestHostileDocuments(t *testing.T) {
	t.Parallel()
	const expanded = 160_000 // a small file can expand, so each may take as long as one of so many bytes
	files := hostile()
	maps.Copy(files, bombs())
	for title, h := range files {
		t.Run(title, func(t *testing.T) {
			var report *pdf.Report
			var err error
			cputime.Within(t, expanded, func() { report, err = pdf.Inspect(h.data, keepXML, pdf.DefaultLimits()) })
			var failure *extraction.Failure
			switch {
			case h.want == "" && err != nil:
				t.Errorf("error = %v, want none", err)
			case h.want == "":
				for _, f := range report.Files {
					if int64(len(f.Data)) > pdf.DefaultLimits().KeptBytes {
						t.Errorf("kept %d bytes", len(f.Data))
					}
				}
			case !errors.As(err, &failure) || failure.Reason != h.want:
				t.Errorf("error = %v, want %s", err, h.want)
			}
		})
	}
}

func TestFlateBombIsReported(t *testing.T) {
	t.Parallel()
	data := embedded("/Filter /FlateDecode", pdftest.Deflate(bytes.Repeat([]byte("<"), 40<<20)))
	r := inspect(t, data)
	if len(r.Files) != 1 || r.Files[0].Problem != extraction.ExpandsTooFar || r.Files[0].Data != nil {
		t.Errorf("files = %+v", r.Files)
	}
}

func TestTotalKeptBytesAreBounded(t *testing.T) {
	t.Parallel()
	part := append([]byte("<a>"), bytes.Repeat([]byte(" "), 400<<10)...)
	b := pdftest.New()
	b.Page("", "")
	b.Names(b.Embed("1.xml", "", part), b.Embed("2.xml", "", part), b.Embed("3.xml", "", part))
	limits := pdf.DefaultLimits()
	limits.KeptBytes = 1 << 20
	r, err := pdf.Inspect(b.Table(), keepXML, limits)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []extraction.Reason{"", "", extraction.ExpandsTooFar} {
		if r.Files[i].Problem != want {
			t.Errorf("file %d: problem %q, want %q", i, r.Files[i].Problem, want)
		}
	}
}

func FuzzInspect(f *testing.F) {
	for _, h := range hostile() {
		f.Add(h.data)
	}
	f.Add(pdftest.Hybrid("text", []string{"a.xml", "b.bin"}, sample, []byte("b")))
	b := pdftest.New()
	b.Page("", "")
	b.Names(b.Embed("a.xml", "", sample))
	f.Add(b.Packed())
	samples, err := filepath.Glob("testdata/*.pdf")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range samples {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	limits := pdf.DefaultLimits()
	limits.TotalBytes, limits.KeptBytes = 4<<20, 1<<20
	f.Fuzz(func(t *testing.T, data []byte) {
		var report *pdf.Report
		var err error
		cputime.Within(t, len(data), func() { report, err = pdf.Inspect(data, func([]byte) bool { return true }, limits) })
		var failure *extraction.Failure
		if err != nil && (!errors.As(err, &failure) || failure.Message == "") {
			t.Fatalf("error without a reason: %v", err)
		}
		if err == nil && report.Pages <= 0 {
			t.Fatal("a document without pages")
		}
	})
}

// FuzzTime checks that the time for a PDF with many objects of any kind is
// proportional to its size.
func FuzzTime(f *testing.F) {
	for _, object := range []string{
		"<< /Type /Filespec /F (a) /EF << /F 1 0 R >> >>", "[1 0 R 2 0 R 3 0 R]", "<< /Kids [1 0 R] /Names [(a) 2 0 R] >>", "((((((", "<<<<<<[[[[",
	} {
		f.Add(object, uint16(2000))
	}
	f.Fuzz(func(t *testing.T, object string, times uint16) {
		if len(object) > 200 {
			return
		}
		b := pdftest.New()
		b.Page("", "")
		var specs []int
		for range min(int(times), 5000) {
			specs = append(specs, b.Add("%s", object))
		}
		b.Names(specs...)
		for _, data := range [][]byte{b.Table(), bytes.ReplaceAll(b.Table(), []byte("startxref"), []byte("xxxxxxxxx"))} {
			cputime.Within(t, len(data), func() {
				pdf.Inspect(data, func([]byte) bool { return true }, pdf.DefaultLimits()) //nolint:errcheck // only the time matters
			})
		}
	})
}
