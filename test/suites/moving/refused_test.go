package moving

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"docledger/cmd/service"
	"docledger/test/lib/harness"
)

// small creates an installation with two documents and returns its dump.
func small(t *testing.T) (harness.Options, string) {
	t.Helper()
	o := embedded(t)
	o.NoWorkers = true
	t.Run("source", func(t *testing.T) {
		s := harness.Start(t, o)
		org := s.NewOrganization("Small")
		for _, name := range []string{"one.xml", "two.xml"} {
			s.Upload(org.Admin.Token, org.Entity, name, harness.UBL(name)).OK()
		}
	})
	file, _ := dump(t, o)
	return o, file
}

// wantEmpty verifies that an installation is empty.
func wantEmpty(t *testing.T, o harness.Options, files bool) {
	t.Helper()
	_, sums := dump(t, o)
	for _, table := range sums.Tables {
		if table.Rows > 0 {
			t.Errorf("%s has %d rows", table.Table, table.Rows)
		}
	}
	if !files {
		return
	}
	err := filepath.WalkDir(filepath.Join(o.DataDir, "blobs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			t.Errorf("%s was stored", path)
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Error(err)
	}
}

// TestDamagedDumpIsRefused verifies that nothing of a corrupt dump is stored.
func TestDamagedDumpIsRefused(t *testing.T) {
	t.Parallel()
	_, file := small(t)
	whole := unpack(t, file)
	changed := func(do func(m []member) []member) func(t *testing.T) string {
		return func(t *testing.T) string {
			m := slices.Clone(whole)
			return pack(t, do(m))
		}
	}
	first, last := place(t, whole, "files/"), len(whole)
	cut := func(content []byte, n int) []byte { return content[:n] }
	content := read(t, file)
	for name, c := range map[string]struct {
		forge func(t *testing.T) string
		want  string
	}{
		"no archive":     {func(t *testing.T) string { return write(t, []byte("hello")) }, "archive"},
		"nothing":        {func(t *testing.T) string { return write(t, nil) }, "too early"},
		"half of it":     {func(t *testing.T) string { return write(t, cut(content, len(content)/2)) }, ""},
		"without sums":   {changed(func(m []member) []member { return m[:last-2] }), "too early"},
		"without theirs": {changed(func(m []member) []member { return m[:last-1] }), "too early"},
		"extra bytes":    {func(t *testing.T) string { return write(t, append(slices.Clone(content), 1)) }, "follows"},
		"extra member":   {changed(func(m []member) []member { return append(m, plain("more", nil)) }), "follows"},
		"missing file":   {changed(func(m []member) []member { return slices.Delete(m, first, first+1) }), "other contents"},
		"file twice":     {changed(func(m []member) []member { return slices.Insert(m, first, m[first]) }), "not in its place"},
		"files swapped":  {changed(func(m []member) []member { m[first], m[first+1] = m[first+1], m[first]; return m }), "not in its place"},
		"file emptied":   {changed(func(m []member) []member { m[first].body = nil; return m }), "other bytes"},
		"file lost": {changed(func(m []member) []member {
			m[first] = plain(strings.Replace(m[first].header.Name, "files/", "lost/", 1), nil)
			return m
		}), "other contents"},
		"missing rows": {changed(func(m []member) []member { return slices.Delete(m, 1, 2) }), "other contents"},
		"rows of no table": {changed(func(m []member) []member {
			return slices.Insert(m, 1, plain("rows/pg_authid/000001.jsonl", []byte("[]\n")))
		}), "instead of"},
		"row without its end": {changed(func(m []member) []member { m[1].body = bytes.TrimSuffix(m[1].body, []byte("\n")); return m }), "no end"},
		"path out": {changed(func(m []member) []member {
			return slices.Insert(m, first, plain("files/../../../../evil", []byte("x")))
		}), "instead of"},
		"absolute path": {changed(func(m []member) []member { return slices.Insert(m, first, plain("/tmp/evil", []byte("x"))) }), "instead of"},
		"link": {changed(func(m []member) []member {
			m[first].header.Typeflag, m[first].header.Linkname = tar.TypeSymlink, "/etc/passwd"
			return m
		}), "unsupported type"},
		"extended": {changed(func(m []member) []member {
			m[first].header.Format, m[first].header.PAXRecords = tar.FormatPAX, map[string]string{"VENDOR.x": "y"}
			return m
		}), "unsupported type"},
		"endless header": {changed(func(m []member) []member { m[0].body = bytes.Repeat([]byte(" "), 2<<20); return m }), "instead of"},
		"huge size":      {func(t *testing.T) string { return write(t, declareHuge(t, content)) }, ""},
		"other form": {changed(func(m []member) []member {
			m[0].body = bytes.Replace(m[0].body, []byte(`"format": 1`), []byte(`"format": 2`), 1)
			return m
		}), `format 2, this release reads format 1; load it with the release "test"`},
		"older schema": {changed(func(m []member) []member { m[0].body = []byte(`{"format":1,"schema":1001,"release":"v1"}`); return m }),
			`load it with the release "v1" that wrote it, then migrate`},
		"newer schema": {changed(func(m []member) []member { m[0].body = []byte(`{"format":1,"schema":9001,"release":"v9"}`); return m }),
			`load it with the release "v9"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := embedded(t)
			_, err := load(t, target, c.forge(t))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it says %v, want %q", err, c.want)
			}
			wantEmpty(t, target, true)
		})
	}
}

// declareHuge declares a size of eight gigabytes for the first member.
func declareHuge(t *testing.T, content []byte) []byte {
	t.Helper()
	out := slices.Clone(content)
	header := out[:512]
	copy(header[124:136], "77777777777\x00")
	copy(header[148:156], "        ")
	sum := 0
	for _, b := range header {
		sum += int(b)
	}
	copy(header[148:156], fmt.Sprintf("%06o\x00 ", sum))
	return out
}

// TestEveryByteCounts changes bytes of a dump. The load must refuse it, or the
// result must be unchanged.
func TestEveryByteCounts(t *testing.T) {
	t.Parallel()
	_, file := small(t)
	content := read(t, file)
	const tries = 150
	accepted, target := 0, embedded(t)
	for i := range tries {
		at := i * len(content) / tries
		damaged := slices.Clone(content)
		damaged[at] ^= 0x21
		if _, err := load(t, target, write(t, damaged)); err != nil {
			continue
		}
		accepted++
		again, _ := dump(t, target)
		target = embedded(t)
		if !bytes.Equal(content, read(t, again)) {
			t.Fatalf("with the byte %d changed, different data was loaded", at)
		}
	}
	wantEmpty(t, target, true)
	if accepted > tries*9/10 {
		t.Errorf("%d of %d changes had no effect", accepted, tries)
	}
}

// TestForgedSumsAreRefused checks that a dump with forged checksums is refused
// because the stored data is compared.
func TestForgedSumsAreRefused(t *testing.T) {
	t.Parallel()
	_, file := small(t)
	m := unpack(t, file)
	first := place(t, m, "files/")
	removed, remaining := m[first], m[first+1]
	m = sign(t, slices.Delete(m, first, first+1), func(manifest map[string]any) {
		files := manifest["files"].(map[string]any)
		files["files"], files["bytes"] = 1, files["bytes"].(float64)-float64(len(removed.body))
		files["sha256"] = sumOf([]byte(strings.TrimPrefix(remaining.header.Name, "files/") + "\n"))
	})
	for name, target := range map[string]harness.Options{"sqlite": embedded(t), "postgres": served(t)} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, target, pack(t, m))
			if err == nil || !strings.Contains(err.Error(), "nothing was stored") {
				t.Errorf("a document without its file is loaded: %v", err)
			}
			wantEmpty(t, target, false)
			// The stored part of a failed load does not block the next one.
			if _, err := load(t, target, file); err != nil {
				t.Errorf("the next try: %v", err)
			}
		})
	}
}

// TestOnlyAnEmptyInstallationIsFilled checks that an existing installation is
// reported and stays unchanged.
func TestOnlyAnEmptyInstallationIsFilled(t *testing.T) {
	t.Parallel()
	_, file := small(t)
	there, own := small(t)
	before := read(t, own)
	_, err := load(t, there, file)
	if err == nil {
		t.Fatal("the dump was loaded")
	}
	for _, want := range []string{"organizations (1)", "documents (2)", "load into a new database"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the refusal lacks %s: %v", want, err)
		}
	}
	if after, _ := dump(t, there); !bytes.Equal(before, read(t, after)) {
		t.Error("the installation was changed")
	}
	if _, err := service.Dump(context.Background(), configOf(t, there), service.DumpOptions{File: own}); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("a dump replaced another one: %v", err)
	}
}

// TestLostFiles checks that a missing blob is reported, and is skipped only on
// request.
func TestLostFiles(t *testing.T) {
	t.Parallel()
	o, file := small(t)
	whole := unpack(t, file)
	first := place(t, whole, "files/")
	sum := strings.TrimPrefix(whole[first].header.Name, "files/")
	stored := filepath.Join(o.DataDir, "blobs", sum[:2], sum[2:4], sum)
	for name, damage := range map[string]func() error{
		"damaged": func() error { return os.WriteFile(stored, []byte("other"), 0o600) },
		"missing": func() error { return os.Remove(stored) },
	} {
		must(t, damage())
		target := filepath.Join(t.TempDir(), "dump.tar")
		_, err := service.Dump(context.Background(), configOf(t, o), service.DumpOptions{File: target})
		if err == nil || !strings.Contains(err.Error(), sum) || !strings.Contains(err.Error(), "--leave-out-lost") {
			t.Errorf("%s: %v", name, err)
		}
		if left, err := filepath.Glob(filepath.Join(filepath.Dir(target), "*")); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v (%v)", name, left, err)
		}
		sums, err := service.Dump(context.Background(), configOf(t, o), service.DumpOptions{File: target, LeaveOutLost: true})
		must(t, err)
		if sums.Files.Files != 1 || sums.Files.Lost != 1 {
			t.Errorf("%s: %+v", name, sums.Files)
		}
		if loaded, err := load(t, embedded(t), target); err != nil || loaded.Files != sums.Files {
			t.Errorf("%s: loaded %+v, %v", name, loaded.Files, err)
		}
		must(t, os.WriteFile(stored, whole[first].body, 0o600))
	}
}
