package docstoretest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"

	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/integration"
)

// mirror follows a location as a watch does.
type mirror struct {
	bundle
	a      integration.Access
	p      docstore.Location
	cursor string
	top    string
	items  map[string]docstore.Item
	count  int // entries of the last catch-up
	pages  int
}

func (b bundle) mirror(t testing.TB) *mirror {
	t.Helper()
	m := &mirror{bundle: b, a: b.enter(t), p: b.Place()}
	m.begin(t)
	return m
}

// begin reads everything from the start.
func (m *mirror) begin(t testing.TB) {
	t.Helper()
	m.items = map[string]docstore.Item{}
	m.cursor = must[string](t)(m.Changes.Start(context.Background(), m.a, m.p))
	if m.Lister != nil {
		m.list(t, "")
	}
	m.catchUp(t)
}

// list reads a folder and everything below it.
func (m *mirror) list(t testing.TB, folder string) {
	t.Helper()
	for cursor := ""; ; {
		p := must[docstore.Page](t)(m.Lister.Children(context.Background(), m.a, m.p, folder, cursor))
		if m.take(t, p); p.Cursor == "" {
			return
		}
		cursor = p.Cursor
	}
}

func (m *mirror) take(t testing.TB, p docstore.Page) {
	t.Helper()
	m.pages++
	if len(p.Cursor) > docstore.MaxCursor || strings.Contains(p.Cursor, m.a.Token.Reveal()) {
		t.Fatal("the cursor is too long, or holds the token")
	}
	for _, c := range p.Changes {
		m.count++
		if c.ID == "" {
			t.Fatalf("a change without an id: %+v", c)
		}
		if c.Removed {
			delete(m.items, c.ID)
			continue
		}
		if c.Top {
			m.top = c.ID
		}
		_, known := m.items[c.ID]
		m.items[c.ID] = c.Item
		if c.Folder && !known && m.Lister != nil && !c.Top && m.inside(c.ID) {
			m.list(t, c.ID)
		}
	}
}

// catchUp reads the feed up to the present.
func (m *mirror) catchUp(t testing.TB) {
	t.Helper()
	m.count = 0
	for range 10_000 {
		p := must[docstore.Page](t)(m.Changes.Next(context.Background(), m.a, m.p, m.cursor))
		if m.take(t, p); p.Cursor == "" {
			t.Fatal("a page of the feed has no cursor")
		}
		if m.cursor = p.Cursor; p.Done {
			return
		}
	}
	t.Fatal("the feed does not end")
}

// path is the path of an item; ok is false outside the location.
func (m *mirror) path(id string) (path string, ok bool) {
	for range 100 {
		if id == m.top {
			return path, true
		}
		it, known := m.items[id]
		if !known {
			return "", false
		}
		path, id = strings.TrimSuffix(it.Name+"/"+path, "/"), it.Parent
	}
	return "", false
}

func (m *mirror) inside(id string) bool {
	_, ok := m.path(id)
	return ok
}

// files are the files of the location by path.
func (m *mirror) files() map[string]string {
	files := map[string]string{}
	for id, it := range m.items {
		if path, ok := m.path(id); ok && !it.Folder && id != m.top {
			files[path] = id
		}
	}
	return files
}

func (m *mirror) want(t testing.TB, when string, files map[string]string) {
	t.Helper()
	if got := m.files(); !maps.Equal(got, files) {
		t.Fatalf("%s: %v, want %v", when, got, files)
	}
}

func testAll(t *testing.T, b bundle) {
	b.AddFolder("empty")
	want := map[string]string{"a.xml": b.Add("a.xml", []byte("<a/>")), "d/e/f.xml": b.Add("d/e/f.xml", []byte("<f/>"))}
	zero := b.Add("zero.pdf", nil)
	want["zero.pdf"] = zero
	m := b.mirror(t)
	m.want(t, "at first", want)
	for id, size := range map[string]int64{want["a.xml"]: 4, zero: 0} {
		it := m.items[id]
		if it.Size != size || it.Version == "" || it.Folder || it.ModifiedAt.IsZero() {
			t.Errorf("item %+v, want %d bytes", it, size)
		}
	}
	if m.catchUp(t); m.count > 0 && len(m.files()) != len(want) {
		t.Errorf("nothing happened, but %d entries were reported", m.count)
	}
}

func testPages(t *testing.T, b bundle) {
	b.PageSize(7)
	b.Repeat(true)
	want := map[string]string{}
	for n := range 60 {
		path := fmt.Sprintf("d%d/f%d.xml", n%5, n)
		want[path] = b.Add(path, fmt.Append(nil, "<a>", n, "</a>"))
	}
	m := b.mirror(t)
	m.want(t, "at first", want)
	for n := range 30 {
		path := fmt.Sprintf("new/g%d.xml", n)
		want[path] = b.Add(path, fmt.Append(nil, "<g>", n, "</g>"))
	}
	before := m.pages
	m.catchUp(t)
	m.want(t, "later", want)
	if m.pages-before < 3 {
		t.Errorf("%d pages, though pages have 7 entries", m.pages-before)
	}
}

func testChanges(t *testing.T, b bundle) {
	one, two := b.Add("in/one.xml", []byte("<a/>")), b.Add("two.xml", []byte("<b/>"))
	m := b.mirror(t)
	first := m.items[one]
	step := func(name string, do func(), want map[string]string) {
		t.Helper()
		do()
		m.catchUp(t)
		m.want(t, name, want)
	}
	step("renamed", func() { b.Rename(one, "1.xml") }, map[string]string{"in/1.xml": one, "two.xml": two})
	step("moved", func() { b.Move(one, "") }, map[string]string{"1.xml": one, "two.xml": two})
	if got := m.items[one]; got.Version != first.Version || got.Hash != first.Hash {
		t.Errorf("a rename and a move made version %q of %q", got.Version, first.Version)
	}
	step("changed", func() { b.Change(one, []byte("<a>2</a>")) }, map[string]string{"1.xml": one, "two.xml": two})
	if got := m.items[one]; got.Version == first.Version || got.Size != 8 || got.Hash != "" && got.Hash == first.Hash {
		t.Errorf("a change is reported as %+v", got)
	}
	changed := m.items[one].Version
	step("deleted", func() { b.Delete(one) }, map[string]string{"two.xml": two})
	step("restored", func() { b.Restore(one) }, map[string]string{"1.xml": one, "two.xml": two})
	if got := m.items[one]; got.Version != changed {
		t.Errorf("restored as version %q, want %q", got.Version, changed)
	}
	folder := b.AddFolder("dir")
	step("into a folder", func() { b.Move(two, folder) }, map[string]string{"1.xml": one, "dir/two.xml": two})
	step("folder renamed", func() { b.Rename(folder, "dossier") }, map[string]string{"1.xml": one, "dossier/two.xml": two})
}

func testMoved(t *testing.T, b bundle) {
	one := b.Add("d/one.xml", []byte("<a/>"))
	m := b.mirror(t)
	_, inside := b.MoveIn("came", "new.xml", []byte("<n/>"))
	m.catchUp(t)
	m.want(t, "moved in", map[string]string{"d/one.xml": one, "came/new.xml": inside})
	b.MoveOut(one)
	m.catchUp(t)
	m.want(t, "moved out", map[string]string{"came/new.xml": inside})
}

func testReadAgain(t *testing.T, b bundle) {
	b.PageSize(5)
	m := b.mirror(t)
	from, want := m.cursor, map[string]string{}
	for n := range 12 {
		path := fmt.Sprintf("f%d.xml", n)
		want[path] = b.Add(path, fmt.Append(nil, "<f>", n, "</f>"))
	}
	must[docstore.Page](t)(b.Changes.Next(context.Background(), m.a, m.p, from))
	m.catchUp(t)
	m.want(t, "once", want)
	m.cursor, m.items = from, map[string]docstore.Item{}
	m.catchUp(t)
	m.want(t, "from the same cursor again", want)
}

func testLostCursor(t *testing.T, b bundle) {
	want := map[string]string{"a.xml": b.Add("a.xml", []byte("<a/>"))}
	m := b.mirror(t)
	b.ExpireCursors()
	want["b.xml"] = b.Add("b.xml", []byte("<b/>"))
	lost := "no-such-cursor"
	if b.Lister == nil {
		lost = m.cursor
	}
	_, err := b.Changes.Next(context.Background(), m.a, m.p, lost)
	if !errors.Is(err, docstore.ErrCursorLost) {
		t.Fatalf("a lost cursor: %v", err)
	}
	if restart := docstore.Restart(err); restart != "" {
		m.items, m.cursor = map[string]docstore.Item{}, restart
		m.catchUp(t)
		m.want(t, "where the store says", want)
	}
	m.begin(t)
	m.want(t, "from the beginning", want)
}

func testContent(t *testing.T, b bundle) {
	small, large := []byte("<a/>"), bytes.Repeat([]byte("0123456789abcdef"), 1<<17)
	ids := map[string][]byte{b.Add("small.xml", small): small, b.Add("d/large.pdf", large): large, b.Add("zero.pdf", nil): {}}
	m := b.mirror(t)
	for id, want := range ids {
		c := must[docstore.Content](t)(b.Reader.Open(context.Background(), m.a, m.p, m.items[id]))
		got := must[[]byte](t)(io.ReadAll(c.Body))
		if err := c.Body.Close(); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes, %v; want %d", len(got), err, len(want))
		}
		if c.Size != -1 && c.Size != int64(len(want)) || c.Version != "" && c.Version != m.items[id].Version {
			t.Errorf("size %d, version %q of %+v", c.Size, c.Version, m.items[id])
		}
	}
	if b.Leaked() {
		t.Error("the token reached the host that serves contents")
	}
}

func testNoContent(t *testing.T, b bundle) {
	locked, gone := b.Add("locked.xml", []byte("<a/>")), b.Add("gone.xml", []byte("<b/>"))
	m := b.mirror(t)
	b.Lock(locked, true)
	b.Delete(gone)
	_, err := b.Reader.Open(context.Background(), m.a, m.p, m.items[locked])
	if f, ok := fault.As(err); !errors.Is(err, docstore.ErrLocked) || !ok || f.RetryAfter <= 0 {
		t.Errorf("a locked file: %v, want ErrLocked", err)
	}
	b.Lock(locked, false)
	c := must[docstore.Content](t)(b.Reader.Open(context.Background(), m.a, m.p, m.items[locked]))
	must[int64](t)(io.Copy(io.Discard, c.Body))
	if err := c.Body.Close(); err != nil {
		t.Error(err)
	}
	_, err = b.Reader.Open(context.Background(), m.a, m.p, m.items[gone])
	wantKind(t, "a deleted file", err, fault.NotFound)
}
