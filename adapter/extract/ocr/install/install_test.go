package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docledger/adapter/extract/ocr/install"
)

// What is not one of the pinned wheels is not unpacked, and what was installed
// before stays.
func TestUnknownFilesAreNotInstalled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := filepath.Join(dir, "detection.onnx")
	if err := os.WriteFile(before, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	wheel := filepath.Join(t.TempDir(), "rapidocr-3.10.0-py3-none-any.whl")
	if err := os.WriteFile(wheel, []byte("PK\x05\x06"+strings.Repeat("\x00", 18)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := install.Install(dir, []string{wheel}); err == nil || !strings.Contains(err.Error(), "sha256") {
		t.Errorf("err = %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
	if kept, err := os.ReadFile(before); err != nil || string(kept) != "kept" {
		t.Errorf("what was there before is %q, %v", kept, err)
	}
}

func TestInstallationWithoutAllFilesIsNone(t *testing.T) {
	t.Parallel()
	if err := install.Install(t.TempDir(), nil); err == nil {
		t.Error("nothing was installed without a word")
	}
	if missing := install.Missing("/nonexistent/docledger-ocr", t.TempDir()); missing != "/nonexistent/docledger-ocr" {
		t.Errorf("missing is %q", missing)
	}
}

func TestMachineWithoutPipIsTold(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := install.Fetch(t.Context(), t.TempDir()); err != install.ErrNoPip { //nolint:errorlint // the error itself
		t.Errorf("err = %v", err)
	}
	if c := install.Command(); !strings.Contains(c, "--require-hashes") {
		t.Errorf("the command is %q", c)
	}
}
