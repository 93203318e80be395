package worker

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestCodeIsThatOfTheLibrary fails if the library changed and `make gen` did not run.
func TestCodeIsThatOfTheLibrary(t *testing.T) {
	t.Parallel()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/klippa-app/go-pdfium").Output()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(string(bytes.TrimSpace(dir)), "internal", "pdfium_wasm", "pdfium.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := engineCode(t.TempDir())
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("pdfium.wasm.gz is not the code of the library (%v); run go generate ./adapter/extract/worker", err)
	}
}

func TestStoredCode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want, err := engineCode(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time the file is there
		if err := storeCode(dir, want); err != nil {
			t.Fatal(err)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files, %v; want the code alone", len(files), err)
	}
	if got, err := engineCode(dir); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the stored code differs (%v)", err)
	}
	// A damaged file of the same size is not used, nor one that is too short.
	damaged := bytes.Clone(want)
	damaged[len(damaged)/2]++
	for _, content := range [][]byte{damaged, want[:len(want)/2], nil} {
		if err := os.WriteFile(codePath(dir), content, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := engineCode(dir); err != nil || !bytes.Equal(got, want) {
			t.Errorf("with a damaged file of %d bytes the code differs (%v)", len(content), err)
		}
		// The next start repairs it.
		if err := storeCode(dir, want); err != nil {
			t.Fatal(err)
		}
		if stored, err := os.ReadFile(codePath(dir)); err != nil || !bytes.Equal(stored, want) {
			t.Errorf("a damaged file of %d bytes stays (%v)", len(content), err)
		}
	}
	if isFilled(dir) {
		t.Error("the stored code counts as compiled code")
	}
	// Code of another release, and what an interrupted start left, is removed when no process writes it.
	for name, age := range map[string]time.Duration{"pdfium-1.wasm": 2 * staleCode, "pdfium-2.tmp": 2 * staleCode, "pdfium-3.tmp": 0} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if err := storeCode(dir, want); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 2 || !slices.Contains(left, filepath.Join(dir, "pdfium-3.tmp")) {
		t.Errorf("the folder has %q, %v", left, err)
	}
}
