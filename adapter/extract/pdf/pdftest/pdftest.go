// Package pdftest writes small valid and invalid PDFs for tests.
package pdftest

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// Builder collects the objects of a document. Object 1 is the catalog.
type Builder struct {
	Catalog string // additional entries of the catalog
	objects []string
}

// New returns a Builder with a reserved catalog.
func New() *Builder { return &Builder{objects: []string{""}} }

// Reserve reserves a number for an object that Set defines.
func (b *Builder) Reserve() int {
	b.objects = append(b.objects, "null")
	return len(b.objects)
}

// Set defines a reserved object.
func (b *Builder) Set(num int, body string) { b.objects[num-1] = body }

// Add adds an object and returns its number.
func (b *Builder) Add(format string, args ...any) int {
	num := b.Reserve()
	b.Set(num, fmt.Sprintf(format, args...))
	return num
}

// Stream adds a stream; dict contains its entries except /Length.
func (b *Builder) Stream(dict string, data []byte) int {
	return b.Add("%s", StreamBody(dict, data))
}

// StreamBody returns a stream without its number.
func StreamBody(dict string, data []byte) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(data), data)
}

// Embed adds a file and returns the number of its specification.
func (b *Builder) Embed(name, relationship string, data []byte) int {
	file := b.Stream("/Type /EmbeddedFile /Filter /FlateDecode", Deflate(data))
	return b.Specify(name, relationship, file)
}

// Specify adds a file specification for an embedded file.
func (b *Builder) Specify(name, relationship string, file int) int {
	if relationship != "" {
		relationship = "/AFRelationship /" + relationship
	}
	return b.Add("<< /Type /Filespec /F (%s) /UF (%s) %s /EF << /F %d 0 R >> >>", name, name, relationship, file)
}

// Page adds a page tree with one page that shows text; extra holds further
// entries of the page.
func (b *Builder) Page(text, extra string) {
	font := b.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	content := "BT /F1 12 Tf 72 720 Td (" + text + ") Tj ET"
	if text == "" {
		content = ""
	}
	contents := b.Stream("", []byte(content))
	tree := b.Reserve()
	page := b.Add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 %d 0 R >> >> /Contents %d 0 R %s >>",
		tree, font, contents, extra)
	b.Set(tree, fmt.Sprintf("<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", page))
	b.Catalog += fmt.Sprintf(" /Pages %d 0 R", tree)
}

// Names adds files to the names tree of the catalog.
func (b *Builder) Names(specs ...int) {
	var list strings.Builder
	for i, s := range specs {
		fmt.Fprintf(&list, "(%04d) %d 0 R ", i, s)
	}
	b.Catalog += fmt.Sprintf(" /Names << /EmbeddedFiles << /Names [%s] >> >>", list.String())
}

func (b *Builder) close() { b.objects[0] = "<< /Type /Catalog " + b.Catalog + " >>" }

// Table writes the document with a cross-reference table.
func (b *Builder) Table() []byte {
	b.close()
	out, offsets := b.body()
	start := out.Len()
	fmt.Fprintf(out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(out, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return out.Bytes()
}

func (b *Builder) body() (*bytes.Buffer, []int) {
	out := bytes.NewBufferString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(b.objects))
	for i, o := range b.objects {
		offsets[i] = out.Len()
		fmt.Fprintf(out, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	return out, offsets
}

// Packed writes the document with its plain objects in an object stream and
// with a cross-reference stream, predicted as most writers do.
func (b *Builder) Packed() []byte {
	b.close()
	out := bytes.NewBufferString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	holder, table := len(b.objects)+1, len(b.objects)+2
	rows := make([][4]byte, table+1)
	var index, body bytes.Buffer
	packed := 0
	for i, o := range b.objects {
		if strings.HasSuffix(o, "endstream") {
			rows[i+1] = row(1, out.Len(), 0)
			fmt.Fprintf(out, "%d 0 obj\n%s\nendobj\n", i+1, o)
			continue
		}
		rows[i+1] = row(2, holder, packed)
		fmt.Fprintf(&index, "%d %d ", i+1, body.Len())
		body.WriteString(o + "\n")
		packed++
	}
	rows[holder] = row(1, out.Len(), 0)
	pack := StreamBody(fmt.Sprintf("/Type /ObjStm /N %d /First %d /Filter /FlateDecode", packed, index.Len()),
		Deflate(append(index.Bytes(), body.Bytes()...)))
	fmt.Fprintf(out, "%d 0 obj\n%s\nendobj\n", holder, pack)
	start := out.Len()
	rows[table] = row(1, start, 0)
	fmt.Fprintf(out, "%d 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n", table,
		StreamBody(fmt.Sprintf("/Type /XRef /Size %d /W [1 2 1] /Root 1 0 R /Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 4 >>", len(rows)),
			Deflate(predict(rows))), start)
	return out.Bytes()
}

func row(kind, second, third int) [4]byte {
	return [4]byte{byte(kind), byte(second >> 8), byte(second), byte(third)}
}

// predict applies the PNG predictor "up" to rows.
func predict(rows [][4]byte) []byte {
	var out []byte
	var last [4]byte
	for _, r := range rows {
		out = append(out, 2)
		for i := range r {
			out = append(out, r[i]-last[i])
		}
		last = r
	}
	return out
}

// Update appends an incremental update that changes or adds objects.
func Update(doc []byte, objects map[int]string) []byte {
	at := bytes.LastIndex(doc, []byte("startxref"))
	var previous int
	fmt.Sscanf(string(doc[at:]), "startxref\n%d", &previous) //nolint:errcheck // the documents here have one
	out := bytes.NewBuffer(bytes.Clone(doc))
	var table bytes.Buffer
	size := 0
	for num, body := range objects {
		fmt.Fprintf(&table, "%d 1\n%010d 00000 n \n", num, out.Len())
		fmt.Fprintf(out, "%d 0 obj\n%s\nendobj\n", num, body)
		size = max(size, num+1)
	}
	start := out.Len()
	fmt.Fprintf(out, "xref\n%strailer\n<< /Size %d /Root 1 0 R /Prev %d >>\nstartxref\n%d\n%%%%EOF\n", table.String(), size, previous, start)
	return out.Bytes()
}

// Deflate compresses with zlib.
func Deflate(data []byte) []byte {
	var out bytes.Buffer
	w, _ := zlib.NewWriterLevel(&out, zlib.BestSpeed)
	w.Write(data) //nolint:errcheck // a buffer never fails
	w.Close()     //nolint:errcheck // as above
	return out.Bytes()
}

// Hybrid is a sound document with text and embedded files, by their names.
func Hybrid(text string, names []string, data ...[]byte) []byte {
	b := New()
	b.Page(text, "")
	var specs []int
	for i, name := range names {
		specs = append(specs, b.Embed(name, "Alternative", data[i]))
	}
	if len(specs) > 0 {
		b.Names(specs...)
	}
	return b.Table()
}

// HybridReference writes the document with a table that omits the objects from num
// on. They are in an object stream, and an additional cross-reference stream contains
// their entries (ISO 32000-2, 7.5.8.4). They must not be streams.
func (b *Builder) HybridReference(num int) []byte {
	b.close()
	hidden := b.objects[num-1:]
	b.objects = b.objects[:num-1]
	var index, body bytes.Buffer
	for i, o := range hidden {
		fmt.Fprintf(&index, "%d %d ", num+i, body.Len())
		body.WriteString(o + "\n")
	}
	out, offsets := b.body()
	holder := num + len(hidden)
	rows := make([][4]byte, len(hidden), len(hidden)+1)
	for i := range hidden {
		rows[i] = row(2, holder, i)
	}
	rows = append(rows, row(1, out.Len(), 0))
	fmt.Fprintf(out, "%d 0 obj\n%s\nendobj\n", holder, StreamBody(
		fmt.Sprintf("/Type /ObjStm /N %d /First %d", len(hidden), index.Len()), append(index.Bytes(), body.Bytes()...)))
	streamAt := out.Len()
	fmt.Fprintf(out, "%d 0 obj\n%s\nendobj\n", holder+1, StreamBody(
		fmt.Sprintf("/Type /XRef /Size %d /W [1 2 1] /Index [%d %d] /Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 4 >>", holder+2, num, len(rows)),
		Deflate(predict(rows))))
	start := out.Len()
	fmt.Fprintf(out, "xref\n0 %d\n0000000000 65535 f \n", num)
	for _, o := range offsets {
		fmt.Fprintf(out, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(out, "trailer\n<< /Size %d /Root 1 0 R /XRefStm %d >>\nstartxref\n%d\n%%%%EOF\n", num, streamAt, start)
	return out.Bytes()
}
