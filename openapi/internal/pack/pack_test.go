package main

import (
	"bytes"
	"io/fs"
	"os"
	"testing"

	"docledger/openapi"
)

// TestArchiveIsCurrent fails if a specification changed and `go generate ./openapi` did not
// run. It compares files, because another version of Go can compress them to other bytes.
func TestArchiveIsCurrent(t *testing.T) {
	t.Parallel()
	folder := os.DirFS("../..")
	names, err := fs.Glob(folder, "*.yaml")
	if err != nil || len(names) < 3 {
		t.Fatalf("%d specifications, %v", len(names), err)
	}
	names = append(names, openapi.JoinedName)
	for _, name := range names {
		want, err := fs.ReadFile(folder, name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := fs.ReadFile(openapi.Files(), name)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("specifications.zip has not the %s of the folder (%v); run go generate ./openapi", name, err)
		}
	}
	packed, err := fs.ReadDir(openapi.Files(), ".")
	if err != nil || len(packed) != len(names) {
		t.Errorf("specifications.zip has %d files, the folder %d; run go generate ./openapi", len(packed), len(names))
	}
}

func TestPackIsDeterministic(t *testing.T) {
	t.Parallel()
	first, err := pack(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if second, err := pack(os.DirFS("../..")); err != nil || !bytes.Equal(first, second) {
		t.Errorf("two archives of the same files differ (%v)", err)
	}
}
