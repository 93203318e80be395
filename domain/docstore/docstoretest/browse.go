package docstoretest

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"docledger/domain/docstore"
	"docledger/domain/fault"
)

// complete checks that a list contains exactly the seeded entries, each once.
func complete(t *testing.T, list []docstore.Source, seeded int) {
	t.Helper()
	ids, names := map[string]bool{}, map[string]bool{}
	for _, s := range list {
		if s.ID == "" || s.Name == "" || ids[s.ID] {
			t.Errorf("entry %+v", s)
		}
		ids[s.ID], names[s.Name] = true, true
	}
	for n := range seeded {
		if name := "Seeded " + strconv.Itoa(n+1); !names[name] {
			t.Fatalf("%q is missing among %d", name, len(list))
		}
	}
}

func testSources(t *testing.T, b bundle) {
	a := b.enter(t)
	b.SeedSources(1200)
	list := must[[]docstore.Source](t)(b.Browser.Sources(context.Background(), a))
	complete(t, list, 1200)
	// Each source can be read, whatever characters its id contains.
	for n, s := range list {
		if n%100 == 0 || strings.ContainsAny(s.ID, ",! %/?#") {
			must[[]docstore.SubSource](t)(b.Browser.SubSources(context.Background(), a, s.ID))
		}
		if n > 800 {
			break
		}
	}
}

func testSubSources(t *testing.T, b bundle) {
	a := b.enter(t)
	b.SeedSubSources(1200)
	complete(t, must[[]docstore.SubSource](t)(b.Browser.SubSources(context.Background(), a, b.Place().Source)), 1200)
	for _, id := range []string{"no-such-source", ""} {
		_, err := b.Browser.SubSources(context.Background(), a, id)
		wantKind(t, "source "+id, err, fault.NotFound)
	}
}

func testPlace(t *testing.T, b bundle) {
	a, p := b.enter(t), b.Place()
	got := must[docstore.SubSource](t)(b.Browser.SubSource(context.Background(), a, p))
	if got.ID != p.SubSource || got.Name == "" {
		t.Errorf("the place is %+v", got)
	}
	b.SeedSources(1)
	var other string
	for _, s := range must[[]docstore.Source](t)(b.Browser.Sources(context.Background(), a)) {
		if s.Name == "Seeded 1" {
			other = s.ID
		}
	}
	for name, wrong := range map[string]docstore.Location{
		"unknown source":     {Source: "no-such-source", SubSource: p.SubSource},
		"unknown sub-source": {Source: p.Source, SubSource: "no-such-place"},
		"of another source":  {Source: other, SubSource: p.SubSource},
	} {
		_, err := b.Browser.SubSource(context.Background(), a, wrong)
		wantKind(t, name, err, fault.NotFound)
	}
}

// Hostile are ids that would reach other paths if a connector sent them unescaped.
var hostile = []string{
	"../me", "..", ".", "a/../../me", "%2e%2e%2fme", "..%2Fme", "a?x=y", "a#b", "a/b", "a b", "a' or '1'='1", "a\\", "a\x00b", "ä", strings.Repeat("x", 4000),
}

func testHostileIDs(t *testing.T, b bundle) {
	a, p := b.enter(t), b.Place()
	for _, id := range hostile {
		_, err := b.Browser.SubSources(context.Background(), a, id)
		wantKind(t, "source "+strconv.Quote(id), err, fault.NotFound)
		_, err = b.Browser.SubSource(context.Background(), a, docstore.Location{Source: p.Source, SubSource: id})
		wantKind(t, "sub-source "+strconv.Quote(id), err, fault.NotFound)
		_, err = b.Reader.Open(context.Background(), a, p, docstore.Item{ID: id, Size: -1})
		wantKind(t, "item "+strconv.Quote(id), err, fault.NotFound)
	}
}

func testDenied(t *testing.T, b bundle) {
	a, p := b.enter(t), b.Place()
	cursor := must[string](t)(b.Changes.Start(context.Background(), a, p))
	b.Deny(true)
	_, err := b.Browser.SubSources(context.Background(), a, p.Source)
	wantDenied(t, "sub-sources", err)
	_, err = b.Browser.SubSource(context.Background(), a, p)
	wantDenied(t, "the place", err)
	_, err = b.Browser.Folders(context.Background(), a, p, "")
	wantDenied(t, "folders", err)
	if b.Lister == nil {
		_, err = b.Changes.Next(context.Background(), a, p, cursor)
		wantDenied(t, "the feed", err)
	} else {
		_, err = b.Lister.Children(context.Background(), a, p, "", "")
		wantDenied(t, "children", err)
	}
	b.Deny(false)
	must[docstore.SubSource](t)(b.Browser.SubSource(context.Background(), a, p))
}

func wantDenied(t *testing.T, name string, err error) {
	t.Helper()
	if !errors.Is(err, docstore.ErrDenied) || fault.CodeOf(err) != fault.CodeProviderUnauthorized {
		t.Errorf("%s: %v, want ErrDenied", name, err)
	}
}

func testDirectories(t *testing.T, b bundle) {
	a, p := b.enter(t), b.Place()
	id := b.AddFolder("In voices/20 % & #1's")
	b.Add("In voices/file.xml", []byte("<a/>"))
	got := must[[]docstore.Item](t)(b.Browser.Directories(context.Background(), a, p, "In voices/20 % & #1's"))
	if len(got) != 1 || got[0].ID != id || !got[0].Folder || got[0].Name != "20 % & #1's" {
		t.Errorf("the directory is %+v, want %s", got, id)
	}
	top := must[[]docstore.Item](t)(b.Browser.Directories(context.Background(), a, p, ""))
	if len(top) != 1 || !top[0].Top || top[0].ID == "" {
		t.Errorf("the top is %+v", top)
	}
	b.AddFolder("In voices/10 Ä")
	b.AddFolder("In voices/10 Ä/deeper")
	for path, want := range map[string][]string{
		"":                      {"In voices"},
		"In voices":             {"10 Ä", "20 % & #1's"},
		"In voices/10 Ä":        {"deeper"},
		"In voices/20 % & #1's": {},
	} {
		names := []string{}
		for _, f := range docstore.FoldersOf(must[[]docstore.Item](t)(b.Browser.Folders(context.Background(), a, p, path)), path) {
			names = append(names, f.Name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("the folders in %q are %q, want %q", path, names, want)
		}
	}
	for _, path := range []string{"In voices/file.xml", "In voices/no", "no/such", "In%20voices"} {
		_, err := b.Browser.Folders(context.Background(), a, p, path)
		wantKind(t, "folders in "+path, err, fault.NotFound)
		if got := must[[]docstore.Item](t)(b.Browser.Directories(context.Background(), a, p, path)); len(got) != 0 {
			t.Errorf("%q is %+v", path, got)
		}
	}
}
