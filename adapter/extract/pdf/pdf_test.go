package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docledger/adapter/extract/pdf"
	"docledger/adapter/extract/pdf/pdftest"
	"docledger/domain/extraction"
)

var sample = []byte("<Invoice>sample</Invoice>")

func keepXML(head []byte) bool { return bytes.HasPrefix(head, []byte("<")) }

func inspect(t *testing.T, data []byte) *pdf.Report {
	t.Helper()
	report, err := pdf.Inspect(data, keepXML, pdf.DefaultLimits())
	if err != nil {
		t.Fatalf("Inspect: %v", err)
	}
	return report
}

// only returns the single kept file of a report.
func only(t *testing.T, r *pdf.Report) pdf.File {
	t.Helper()
	var kept []pdf.File
	for _, f := range r.Files {
		if f.Data != nil {
			kept = append(kept, f)
		}
	}
	if len(kept) != 1 {
		t.Fatalf("kept %d of %d files, want 1", len(kept), len(r.Files))
	}
	return kept[0]
}

func TestFilesAreFoundAtEveryPosition(t *testing.T) {
	t.Parallel()
	places := map[string]func(b *pdftest.Builder){
		"names tree": func(b *pdftest.Builder) {
			b.Page("", "")
			b.Names(b.Embed("a.xml", "Data", sample))
		},
		"names tree with kids": func(b *pdftest.Builder) {
			b.Page("", "")
			leaf := b.Add("<< /Limits [(a) (a)] /Names [(a) %d 0 R] >>", b.Embed("a.xml", "Data", sample))
			middle := b.Add("<< /Kids [%d 0 R] >>", leaf)
			b.Catalog += fmt.Sprintf(" /Names << /EmbeddedFiles << /Kids [%d 0 R] >> >>", middle)
		},
		"associated with the catalog": func(b *pdftest.Builder) {
			b.Page("", "")
			b.Catalog += fmt.Sprintf(" /AF [%d 0 R]", b.Embed("a.xml", "Data", sample))
		},
		"associated with the catalog, no array": func(b *pdftest.Builder) {
			b.Page("", "")
			b.Catalog += fmt.Sprintf(" /AF %d 0 R", b.Embed("a.xml", "Data", sample))
		},
		"associated with a page": func(b *pdftest.Builder) {
			b.Page("", fmt.Sprintf("/AF [%d 0 R]", b.Embed("a.xml", "Data", sample)))
		},
		"annotation": func(b *pdftest.Builder) {
			b.Page("", fmt.Sprintf("/Annots [<< /Type /Annot /Subtype /FileAttachment /FS %d 0 R >>]", b.Embed("a.xml", "Data", sample)))
		},
		"associated with an image": func(b *pdftest.Builder) {
			image := b.Stream(fmt.Sprintf("/Type /XObject /AF [%d 0 R]", b.Embed("a.xml", "Data", sample)), nil)
			b.Page("", fmt.Sprintf("/Thumb %d 0 R", image))
		},
	}
	for place, put := range places {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			table, packed := pdftest.New(), pdftest.New()
			put(table)
			put(packed)
			for layout, data := range map[string][]byte{"table": table.Table(), "packed": packed.Packed()} {
				r := inspect(t, data)
				f := only(t, r)
				if r.Pages != 1 || r.Rebuilt || f.Name != "a.xml" || f.Relationship != "Data" || !bytes.Equal(f.Data, sample) {
					t.Errorf("%s: %d pages, rebuilt %v, file %+v", layout, r.Pages, r.Rebuilt, f)
				}
			}
		})
	}
}

func TestHybridReferenceFile(t *testing.T) {
	t.Parallel()
	b := pdftest.New()
	b.Page("", "")
	spec := b.Embed("a.xml", "Data", sample)
	b.Names(spec)
	r := inspect(t, b.HybridReference(spec))
	if f := only(t, r); !bytes.Equal(f.Data, sample) || r.Rebuilt {
		t.Errorf("rebuilt %v, data %q", r.Rebuilt, f.Data)
	}
}

// TestUnusualNames requires that a file is found if a name before it has an escaped
// character, or if an object stream does not state its type.
func TestUnusualNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		packed   bool
		old, new string // of equal length
	}{
		"first letter":  {false, "/EF << ", "/#45F<<"},
		"second letter": {false, "/EF << ", "/E#46<<"},
		"object stream": {true, "/Type /ObjStm ", "/Type/Ob#6aStm"},
		"without type":  {true, "/Type /ObjStm ", "              "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := pdftest.New()
			b.Page("", "")
			b.Names(b.Embed("a.xml", "Data", sample))
			data := b.Table()
			if c.packed {
				data = b.Packed()
			}
			changed := bytes.ReplaceAll(data, []byte(c.old), []byte(c.new))
			if bytes.Equal(changed, data) {
				t.Fatal("the document does not state the name")
			}
			only(t, inspect(t, changed))
		})
	}
}

func TestFileIsListedOnce(t *testing.T) {
	t.Parallel()
	b := pdftest.New()
	spec := b.Embed("a.xml", "Data", sample)
	other := b.Embed("photo.bin", "Supplement", []byte("PHOTO"))
	b.Page("", fmt.Sprintf("/AF [%d 0 R]", spec))
	b.Names(other, spec)
	b.Catalog += fmt.Sprintf(" /AF [%d 0 R %d 0 R]", spec, spec)
	r := inspect(t, b.Table())
	if len(r.Files) != 2 || r.Files[0].Data != nil || string(r.Files[0].Head) != "PHOTO" {
		t.Fatalf("files: %+v", r.Files)
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	hex := []byte(fmt.Sprintf("%x>", sample))
	cases := map[string]struct {
		dict string
		data []byte
	}{
		"none":           {"", sample},
		"flate":          {"/Filter /FlateDecode", pdftest.Deflate(sample)},
		"flate in array": {"/Filter [/FlateDecode] /DecodeParms [null]", pdftest.Deflate(sample)},
		"cut checksum":   {"/Filter /FlateDecode", pdftest.Deflate(sample)[:len(pdftest.Deflate(sample))-3]},
		"bare deflate":   {"/Filter /FlateDecode", pdftest.Deflate(sample)[2:]},
		"hex":            {"/Filter /ASCIIHexDecode", hex},
		"hex of flate":   {"/Filter [/ASCIIHexDecode /FlateDecode]", []byte(fmt.Sprintf("%x>", pdftest.Deflate(sample)))},
		"base 85":        {"/Filter /ASCII85Decode", []byte("4@sF6DeW]m5'(.LE,9)J01g&)DeW]m4o~>")},
		"run length":     {"/Filter /RunLengthDecode", append(append([]byte{byte(len(sample) - 1)}, sample...), 128)},
		"lzw":            {"/Filter /LZWDecode", lzw(sample)},
		"other keys":     {"/F /Fl", pdftest.Deflate(sample)},
		"tiff predictor": {"/Filter /FlateDecode /DecodeParms << /Predictor 2 /Columns 1 >>", pdftest.Deflate(sample)},
		"png predictor":  {"/Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns 25 >>", pdftest.Deflate(append([]byte{0}, sample...))},
	}
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			b := pdftest.New()
			b.Page("", "")
			b.Names(b.Specify("a.xml", "", b.Stream("/Type /EmbeddedFile "+c.dict, c.data)))
			if f := only(t, inspect(t, b.Table())); !bytes.Equal(f.Data, sample) {
				t.Errorf("data = %q", f.Data)
			}
		})
	}
}

// lzw encodes with a clear code before each byte, so that codes have nine bits.
func lzw(data []byte) []byte {
	var bits strings.Builder
	for _, c := range data {
		fmt.Fprintf(&bits, "%09b%09b", 256, c)
	}
	fmt.Fprintf(&bits, "%09b0000000", 257)
	s := bits.String()
	out := make([]byte, len(s)/8)
	for i := range out {
		fmt.Sscanf(s[8*i:8*i+8], "%b", &out[i]) //nolint:errcheck // the digits are written above
	}
	return out
}

func TestEncryptedDocuments(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.pdf")
	if err != nil || len(files) < 12 {
		t.Fatalf("samples: %v, %v", files, err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(filepath.Base(path), "password") {
				wantFailure(t, data, extraction.Encrypted)
				return
			}
			for _, broken := range []bool{false, true} {
				if broken {
					data = bytes.ReplaceAll(data, []byte("startxref"), []byte("startxxxx"))
				}
				r := inspect(t, data)
				f := only(t, r)
				if f.Name != "factur-x.xml" || !bytes.Contains(f.Data, []byte("SECRET-1")) {
					t.Errorf("file %q contains %q", f.Name, f.Data)
				}
				if want := strings.Contains(path, "-r"); r.Encrypted != want {
					t.Errorf("encrypted = %v, want %v", r.Encrypted, want)
				}
				if r.Rebuilt != broken {
					t.Errorf("rebuilt = %v, want %v", r.Rebuilt, broken)
				}
			}
		})
	}
}

func wantFailure(t *testing.T, data []byte, want extraction.Reason) {
	t.Helper()
	_, err := pdf.Inspect(data, keepXML, pdf.DefaultLimits())
	var failure *extraction.Failure
	if !errors.As(err, &failure) || failure.Reason != want || failure.Message == "" {
		t.Errorf("error = %v, want %s", err, want)
	}
}

func TestUpdates(t *testing.T) {
	t.Parallel()
	b := pdftest.New()
	b.Page("", "")
	spec := b.Embed("a.xml", "Data", []byte("<old/>"))
	b.Names(spec)
	doc := b.Table()

	changed := pdftest.Update(doc, map[int]string{spec - 1: pdftest.StreamBody("/Type /EmbeddedFile", sample)})
	if f := only(t, inspect(t, changed)); !bytes.Equal(f.Data, sample) {
		t.Errorf("after an update: %q", f.Data)
	}
	lost := bytes.ReplaceAll(changed, []byte("startxref"), []byte("startxxxx"))
	if f := only(t, inspect(t, lost)); !bytes.Equal(f.Data, sample) {
		t.Errorf("after an update without a table: %q", f.Data)
	}
	// The update removes the file from the catalog. Its objects still exist.
	catalog := "<< /Type /Catalog /Pages 4 0 R >>"
	if !bytes.Contains(doc, []byte("/Pages 4 0 R")) {
		t.Fatal("the page tree is not object 4")
	}
	if r := inspect(t, pdftest.Update(doc, map[int]string{1: catalog})); len(r.Files) != 0 {
		t.Errorf("a removed file was found: %+v", r.Files)
	}
}

func TestDamagedTables(t *testing.T) {
	t.Parallel()
	sound := pdftest.Hybrid("text", []string{"a.xml"}, sample)
	packed := func() []byte {
		b := pdftest.New()
		b.Page("", "")
		b.Names(b.Embed("a.xml", "", sample))
		return b.Packed()
	}()
	cases := map[string][]byte{
		"garbage before":       append([]byte("HTTP/1.1 200 OK\r\n\r\n"), sound...),
		"wrong start":          replaceLast(sound, "startxref\n", "startxref\n1"),
		"no start":             replaceLast(sound, "startxref", "starxxref"),
		"shifted offsets":      bytes.Replace(sound, []byte("%\xe2\xe3\xcf\xd3\n"), []byte("%\xe2\xe3\xcf\xd3\n\n\n\n"), 1),
		"no trailer":           replaceLast(sound, "trailer", "tttttt "),
		"only one offset off":  offset(sound, 6),
		"garbage after":        append(bytes.Clone(sound), bytes.Repeat([]byte("x"), 5000)...),
		"packed, no start":     replaceLast(packed, "startxref", "starxxref"),
		"packed, table broken": replaceLast(packed, "/XRef", "/Xxxx"),
		"wrong length":         bytes.ReplaceAll(sound, []byte("/Length "), []byte("/Length 9")),
		"previous is itself":   loop(sound),
	}
	for title, data := range cases {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			if f := only(t, inspect(t, data)); !bytes.Equal(f.Data, sample) {
				t.Errorf("data = %q", f.Data)
			}
		})
	}
}

func replaceLast(data []byte, old, replacement string) []byte {
	i := bytes.LastIndex(data, []byte(old))
	return append(append(bytes.Clone(data[:i]), replacement...), data[i+len(old):]...)
}

// offset damages the table entry of the object with a number.
func offset(data []byte, num int) []byte {
	out := bytes.Clone(data)
	table := bytes.LastIndex(out, []byte("xref\n0 "))
	first := bytes.Index(out[table:], []byte("0000000000 65535"))
	copy(out[table+first+20*num:], "0000000003")
	return out
}

// loop makes the table its own predecessor.
func loop(data []byte) []byte {
	at := bytes.LastIndex(data, []byte("\nxref\n")) + 1
	return replaceLast(data, "/Root", fmt.Sprintf("/Prev %d /Root", at))
}

func TestDocumentInsideADocument(t *testing.T) {
	t.Parallel()
	inner := pdftest.Hybrid("inner", []string{"inner.xml"}, []byte("<inner/>"))
	b := pdftest.New()
	b.Page("outer", "")
	b.Names(b.Specify("inner.pdf", "", b.Stream("/Type /EmbeddedFile", inner)), b.Embed("a.xml", "", sample))
	data := replaceLast(b.Table(), "startxref", "starxxref")
	if f := only(t, inspect(t, data)); !bytes.Equal(f.Data, sample) {
		t.Errorf("data = %q", f.Data)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for stated, want := range map[string]string{
		"(a\\(b\\).xml)":                  "a(b).xml",
		"<FEFF00E4002E0078006D006C>":      "ä.xml",
		"<EFBBBFC3A42E786D6C>":            "ä.xml",
		"(\\344.xml)":                     "ä.xml",
		"(..\\\\..\\\\etc/passwd)":        `..\..\etc/passwd`,
		"<FFFE61002E0078006D006C00>":      "a.xml",
		"(line\\\nbreak.xml)":             "linebreak.xml",
		"(nested (brackets) in here.xml)": "nested (brackets) in here.xml",
		"(\\141\\56x\\155\\154)":          "a.xml",
	} {
		b := pdftest.New()
		b.Page("", "")
		file := b.Stream("", sample)
		b.Names(b.Add("<< /EF << /F %d 0 R >> /UF %s >>", file, stated))
		if f := only(t, inspect(t, b.Table())); f.Name != want {
			t.Errorf("%s: name %q, want %q", stated, f.Name, want)
		}
	}
}
