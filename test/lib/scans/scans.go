// Package scans creates scans for tests, and provides the engine that recognizes
// them.
package scans

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "docledger-test-ocr-*")
	if err != nil {
		return "", err
	}
	command := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(dir, "docledger-ocr"), "docledger/cmd/docledger-ocr")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build docledger-ocr: %w: %s", err, out)
	}
	return dir, nil
})

// Engine returns a folder for OCR_DIR with the engine and its program. It skips a
// test if `make build` could not fetch the engine.
func Engine(t testing.TB, root string) string {
	t.Helper()
	installed, err := filepath.Abs(filepath.Join(root, "bin", "ocr"))
	if err != nil {
		t.Fatal(err)
	}
	if named := os.Getenv("DOCLEDGER_OCR"); named != "" {
		installed = named
	}
	if _, err := os.Stat(filepath.Join(installed, "recognition.onnx")); err != nil {
		fmt.Fprintf(os.Stderr, "%s SKIPPED: text recognition is not installed in %s; run make build, or set DOCLEDGER_OCR\n", t.Name(), installed)
		t.Skip("text recognition is not installed")
	}
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	entries, err := os.ReadDir(installed)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.Symlink(filepath.Join(installed, e.Name()), filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(program, "docledger-ocr"), filepath.Join(dir, "docledger-ocr")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Invoice returns the image of an invoice for 119.00 EUR, as a JPEG.
func Invoice(number string) []byte { return JPEG(Page(number)) }

// JPEG encodes an image.
func JPEG(img image.Image) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 80}); err != nil {
		panic(err) // a buffer never fails
	}
	return b.Bytes()
}

// Page draws the page of an invoice.
func Page(number string) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, 1240, 1754))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	parsed, err := opentype.Parse(goregular.TTF)
	if err != nil {
		panic(err) // the font is embedded
	}
	text := func(x, y int, size float64, s string) {
		face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: size, DPI: 72})
		if err != nil {
			panic(err)
		}
		d := font.Drawer{Dst: img, Src: image.NewUniform(color.Gray{Y: 20}), Face: face, Dot: fixed.P(x, y)}
		d.DrawString(s)
	}
	text(100, 120, 34, "Northwind Paper GmbH")
	text(100, 160, 24, "Hauptstrasse 5, 10115 Berlin, Germany")
	text(100, 300, 40, "Invoice")
	text(700, 300, 26, "Invoice number: "+number)
	text(700, 340, 26, "Invoice date: 2026-03-14")
	text(700, 380, 26, "Due date: 2026-04-13")
	text(100, 420, 26, "Bill to:")
	text(100, 455, 26, "Lakeside Office Ltd")
	for i, row := range [][4]string{
		{"Description", "Quantity", "Unit price", "Amount"},
		{"Copy paper A4", "10", "6.00", "60.00"},
		{"Ink cartridge", "2", "20.00", "40.00"},
	} {
		for k, x := range []int{100, 600, 800, 1020} {
			text(x, 620+50*i, 26, row[k])
		}
	}
	for i, row := range [][2]string{{"Net total", "100.00"}, {"VAT 19 %", "19.00"}, {"Total EUR", "119.00"}} {
		text(800, 860+45*i, 26, row[0])
		text(1020, 860+45*i, 26, row[1])
	}
	return img
}
