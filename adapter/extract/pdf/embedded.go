package pdf

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"docledger/domain/extraction"
)

// finder collects the embedded files of a document, each once.
type finder struct {
	d     *document
	keep  func([]byte) bool
	seen  map[ref]bool // streams of embedded files
	files []File
	kept  int   // files that keep selects
	room  int64 // remaining bytes for the selected files
}

// files finds the embedded files: first those of the names tree, the catalog and the
// pages. If none of them is selected, it searches all objects that are reachable from
// the catalog. It does not find a file that an incremental update removed, because
// that file is unreachable.
func (d *document) files(pages pageTree, keep func([]byte) bool) []File {
	if !d.mayEmbed() {
		return nil
	}
	f := d.find(pages, keep)
	if f.kept == 0 && d.astray && !d.rebuilt && d.reopen() == nil {
		f = d.find(d.walkPages(), keep)
	}
	return f.files
}

// mayEmbed reports whether an object of the document can have the key EF, which every
// file specification of an embedded file has. It searches the bytes of the file, which
// takes less time than to parse all objects. It does not search compressed objects:
// a document with an object stream may have such a key.
func (d *document) mayEmbed() bool {
	for _, e := range d.table {
		if e.pack != 0 {
			return true
		}
	}
	return states(d.data, "EF") || states(d.data, "ObjStm")
}

// states reports whether data can contain a name. A name can have an escaped
// character (7.3.5); any escape of one of its characters counts.
func states(data []byte, wanted string) bool {
	if bytes.Contains(data, []byte("/"+wanted)) {
		return true
	}
	for {
		at := bytes.IndexByte(data, '#')
		if at < 0 || at+2 >= len(data) {
			return false
		}
		high, low := unhex(data[at+1]), unhex(data[at+2])
		if high >= 0 && low >= 0 && strings.IndexByte(wanted, byte(high<<4|low)) >= 0 {
			return true
		}
		data = data[at+1:]
	}
}

func (d *document) find(pages pageTree, keep func([]byte) bool) *finder {
	f := &finder{d: d, keep: keep, seen: map[ref]bool{}, room: d.limits.KeptBytes}
	root := d.catalog()
	names := dictOf(d.get(root["Names"]))
	for _, o := range d.nameTree(names["EmbeddedFiles"]) {
		f.specification(o)
	}
	for _, o := range d.associated(root) {
		f.specification(o)
	}
	for _, o := range pages.files {
		f.specification(o)
	}
	if f.kept == 0 {
		d.reach(d.trailer["Root"], func(o object) { f.specification(o) })
	}
	return f
}

// nameTree returns the values of a name tree in order (7.9.6).
func (d *document) nameTree(root object) []object {
	var out []object
	seen := map[ref]bool{}
	stack := []object{root}
	for len(stack) > 0 && len(out) < d.limits.Files {
		o := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if r, ok := o.(ref); ok {
			if seen[r] {
				continue
			}
			seen[r] = true
		}
		m := dictOf(d.get(o))
		pairs, _ := d.get(m["Names"]).(array)
		for i := 1; i < len(pairs); i += 2 {
			out = append(out, pairs[i])
		}
		kids, _ := d.get(m["Kids"]).(array)
		for i := len(kids) - 1; i >= 0; i-- {
			stack = append(stack, kids[i])
		}
	}
	return out
}

// reach visits every dictionary that is reachable from o.
func (d *document) reach(o object, visit func(object)) {
	seen := map[uint32]bool{}
	stack := []object{o}
	var keys []name // of the dictionary that is visited
	for len(stack) > 0 && d.spent.parsed >= 0 {
		o := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if r, ok := o.(ref); ok {
			if seen[r.num] || len(seen) > d.limits.Objects {
				continue
			}
			seen[r.num] = true
		}
		switch v := d.get(o).(type) {
		case array:
			for _, below := range slices.Backward(v) {
				if refers(below) {
					stack = append(stack, below)
				}
			}
		case dict, *stream:
			m := dictOf(v)
			if m["EF"] != nil {
				visit(m)
			}
			keys = keys[:0]
			for key, below := range m {
				if refers(below) {
					keys = append(keys, key)
				}
			}
			slices.Sort(keys)
			for _, key := range slices.Backward(keys) {
				stack = append(stack, m[key])
			}
		}
	}
}

// refers reports whether other objects can be reachable from an object.
func refers(o object) bool {
	switch o.(type) {
	case ref, array, dict:
		return true
	}
	return false
}

// specification adds the file of a file specification (7.11.3).
func (f *finder) specification(o object) {
	if len(f.files) >= f.d.limits.Files {
		return
	}
	m := dictOf(f.d.get(o))
	embedded := dictOf(f.d.get(m["EF"]))
	for _, key := range []name{"UF", "F", "Unix", "DOS", "Mac"} {
		s, ok := f.d.get(embedded[key]).(*stream)
		if !ok {
			continue
		}
		if f.seen[s.id] {
			return
		}
		f.seen[s.id] = true
		f.files = append(f.files, f.file(m, s))
		return
	}
}

func (f *finder) file(m dict, s *stream) File {
	out := File{Name: f.name(m), Size: -1}
	if subtype, ok := f.d.get(s.dict["Subtype"]).(name); ok {
		out.MediaType = string(subtype)
	}
	if relation, ok := f.d.get(m["AFRelationship"]).(name); ok {
		out.Relationship = string(relation)
	}
	if size, ok := intOf(f.d.get(dictOf(f.d.get(s.dict["Params"]))["Size"])); ok && size >= 0 {
		out.Size = size
	}
	out.Head = f.head(s)
	if !f.keep(out.Head) {
		return out
	}
	f.kept++
	data, err := f.d.inflate(s, f.room)
	switch {
	case errors.Is(err, errExpands):
		out.Problem = extraction.ExpandsTooFar
	case len(data) == 0:
		out.Problem = extraction.Malformed
	default:
		out.Data, out.Size = data, int64(len(data))
		f.room -= out.Size
	}
	return out
}

func (f *finder) head(s *stream) []byte {
	r, err := f.d.reader(s)
	if err != nil {
		return nil
	}
	head := make([]byte, headBytes)
	n, _ := io.ReadFull(r, head)
	return head[:n]
}

func (f *finder) name(m dict) string {
	for _, key := range []name{"UF", "F", "Unix", "DOS", "Mac"} {
		if s, ok := f.d.get(m[key]).(text); ok && len(s) > 0 {
			return s.decode()
		}
	}
	return ""
}

// decode decodes a text string: UTF-16 or UTF-8 with a byte order mark. Other bytes
// are decoded as UTF-8 or, if they are invalid, as Latin-1, which is almost equal to
// PDFDocEncoding (7.9.2.2).
func (t text) decode() string {
	b := []byte(t)
	switch {
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}), bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		little := b[0] == 0xff
		units := make([]uint16, 0, len(b)/2)
		for i := 2; i+1 < len(b); i += 2 {
			hi, lo := b[i], b[i+1]
			if little {
				hi, lo = lo, hi
			}
			units = append(units, uint16(hi)<<8|uint16(lo))
		}
		return string(utf16.Decode(units))
	case bytes.HasPrefix(b, []byte{0xef, 0xbb, 0xbf}):
		return string(bytes.ToValidUTF8(b[3:], []byte("\ufffd")))
	case utf8.Valid(b):
		return string(b)
	}
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}
