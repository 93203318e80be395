package watching_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

// modelFiles is the number of files of the model. WATCH_MODEL_FILES sets
// another number.
func modelFiles(t *testing.T) int {
	t.Helper()
	text := os.Getenv("WATCH_MODEL_FILES")
	if text == "" {
		return 120
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("WATCH_MODEL_FILES is %q", text)
	}
	return n
}

// model simulates random events of a document store and of the process that
// watches it. It records which contents must become documents.
type model struct {
	*world
	rand    *rand.Rand
	files   []string
	folders []string
	serial  int
	deaths  int
}

func (m *model) content() []byte {
	m.serial++
	return fmt.Appendf(nil, "<invoice>%d</invoice>", m.serial)
}

func (m *model) folder() string { return m.folders[m.rand.IntN(len(m.folders))] }
func (m *model) file() string   { return m.files[m.rand.IntN(len(m.files))] }

func (m *model) step(adding bool) {
	p := m.place
	switch n := m.rand.IntN(20); {
	case adding && n < 10:
		m.files = append(m.files, p.add(m.folder(), fmt.Sprintf("f%d.xml", m.serial), false, m.content()))
	case n < 11:
		m.folders = append(m.folders, p.add(m.folder(), fmt.Sprintf("d%d", m.serial), true, nil))
	case len(m.files) == 0:
	case n < 13:
		p.write(m.file(), m.content())
	case n == 13:
		p.change(m.file(), func(f *file) { f.Name = "renamed-" + f.Name })
	case n == 14:
		to := m.folder()
		p.change(m.file(), func(f *file) { f.Parent = to })
	case n == 15:
		p.change(m.file(), func(f *file) { f.binned = true })
	case n == 16:
		p.change(m.file(), func(f *file) { f.binned = false })
	case n == 17:
		id := m.folders[m.rand.IntN(len(m.folders))]
		if id != top {
			p.change(id, func(f *file) { f.Name += "x" })
		}
	case n == 18:
		p.set(func() { p.limited = m.rand.IntN(3) })
	case n == 19 && m.rand.IntN(4) == 0:
		p.set(func() { p.lost = len(p.log) + 1; p.log = append(p.log, top, top) })
	}
}

// poll polls with a process that may be killed. Only contents that were opened
// before may become documents.
func (m *model) pollMortal() {
	m.tx.dead, m.tx.after = false, m.rand.IntN(2) == 0
	m.tx.left = -1
	if m.rand.IntN(3) == 0 {
		m.tx.left = m.rand.IntN(12)
	}
	err := m.Poll(m.ctx, m.args())
	if m.tx.dead {
		m.deaths++
	} else if err != nil {
		m.t.Fatal(err)
	}
	m.tx.left, m.tx.dead = -1, false
	m.clock.Advance(time.Duration(m.rand.IntN(40)) * time.Second)
}

// final are the contents in the store at the end. Each must be a document, and
// every document must have been in the store.
func (m *model) final() map[string]bool {
	digests := map[string]bool{}
	for _, id := range m.files {
		if f := m.place.items[id]; !f.binned {
			digests[digest(f.content)] = true
		}
	}
	return digests
}

func TestModel(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		m := &model{world: w, rand: rand.New(rand.NewPCG(seed, 1)), folders: []string{top}}
		w.place.set(func() { w.place.page, w.place.repeat = 9, true })
		for files := modelFiles(t); len(m.files) < files; {
			for range m.rand.IntN(15) {
				m.step(true)
			}
			m.pollMortal()
		}
		for range 10 {
			m.step(false)
			m.pollMortal()
		}
		w.place.set(func() { w.place.limited = 0 })
		w.settle()
		got := w.documents()
		for d := range m.final() {
			if _, ok := got[d]; !ok {
				t.Errorf("what the store holds is not a document: %s", d)
			}
		}
		for n := 1; n <= m.serial; n++ {
			delete(got, digest(fmt.Appendf(nil, "<invoice>%d</invoice>", n)))
		}
		if len(got) > 0 {
			t.Errorf("documents of nothing: %v", slices.Collect(maps.Keys(got)))
		}
		m.versionsOnce()
		t.Logf("%d files, %d contents, %d deaths, %d polls", len(m.files), m.serial, m.deaths, w.watch().Run)
	})
}

// versionsOnce compares the counter of the watch with the documents. Then it
// starts a full scan, which must ingest nothing.
func (m *model) versionsOnce() {
	m.t.Helper()
	before, taken := len(m.documents()), m.watch().FilesTakenIn
	m.place.set(func() { m.place.lost = len(m.place.log) + 1; m.place.log = append(m.place.log, top, top) })
	m.settle()
	if after := len(m.documents()); after != before || m.watch().FilesTakenIn != taken {
		m.t.Errorf("read again: %d documents after %d, %d versions after %d", after, before, m.watch().FilesTakenIn, taken)
	}
	if int(taken) != before {
		m.t.Errorf("%d versions were ingested, %d documents stand", taken, before)
	}
}
