package storetest

import (
	"slices"
	"testing"

	"docledger/domain/document"
)

func testRenditions(t *testing.T, b *bench) {
	e := b.entity(t, b.organization(t))
	original, elsewhere := b.document(t, e).SHA256, b.document(t, e).SHA256
	if r, err := b.Renditions().Find(b.ctx, original, "page/1/1/800"); err != nil || r != nil {
		t.Fatalf("a missing rendition: %v, %v", r, err)
	}
	put := func(source, name, blob string) document.Rendition {
		r := document.Rendition{Source: source, Name: name, SHA256: blob, SizeBytes: 7, CreatedAt: b.at}
		stored, err := b.Renditions().Put(b.ctx, r)
		must(t, err)
		if !stored {
			t.Errorf("%s of %s is not stored", name, source)
		}
		return r
	}
	put(original, "page/1/1/800", "x")
	want := put(original, "page/1/1/800", "one") // replaces
	got, err := b.Renditions().Find(b.ctx, original, "page/1/1/800")
	must(t, err)
	same(t, "the rendition", *got, want)

	d := b.document(t, e)
	put(original, "page/1/2/800", "one")    // the same image twice
	put(original, "page/1/3/800", "blank")  // also that of another document
	put(original, "page/1/4/800", d.SHA256) // the original of a document
	put(elsewhere, "page/1/1/800", "blank") // stays
	removed, err := b.Renditions().Remove(b.ctx, original)
	must(t, err)
	if !slices.Equal(removed, []string{"one"}) {
		t.Errorf("blobs without use: %v, want those that nothing else refers to", removed)
	}
	if r, err := b.Renditions().Find(b.ctx, original, "page/1/2/800"); err != nil || r != nil {
		t.Errorf("a removed rendition: %v, %v", r, err)
	}
	if r, err := b.Renditions().Find(b.ctx, elsewhere, "page/1/1/800"); err != nil || r == nil {
		t.Errorf("a rendition of another document: %v, %v", r, err)
	}
	if removed, err = b.Renditions().Remove(b.ctx, original); err != nil || len(removed) != 0 {
		t.Errorf("removed again: %v, %v", removed, err)
	}
	if stored, err := b.Renditions().Put(b.ctx, document.Rendition{Source: "no document has this", Name: "page/1/1/800", SHA256: "x"}); err != nil || stored {
		t.Errorf("a rendition without a document: %v, %v", stored, err)
	}
}
