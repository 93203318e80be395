// Command generate writes pdfium.wasm.gz: the code of the PDF engine from the library that
// calls it, compressed.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run() error {
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/klippa-app/go-pdfium")
	cmd.Stderr = os.Stderr
	dir, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("find the library of the PDF engine: %w", err)
	}
	code, err := os.ReadFile(filepath.Join(string(bytes.TrimSpace(dir)), "internal", "pdfium_wasm", "pdfium.wasm"))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(code); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile("pdfium.wasm.gz", b.Bytes(), 0o644) //nolint:gosec // the file is public
}
