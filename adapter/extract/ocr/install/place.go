// Package install puts the engine of text recognition in place: the library of
// ONNX Runtime and the models of PP-OCR, out of the wheels in which their makers
// publish them.
package install

import (
	"os"
	"path/filepath"
	"runtime"
)

// The files in the folder of an installation. recognize and this package agree
// on the names of the models.
const (
	detection   = "detection.onnx"
	direction   = "direction.onnx"
	recognition = "recognition.onnx"
)

// Library is the file of ONNX Runtime in the folder of an installation.
func Library(dir string) string { return filepath.Join(dir, libraryName()) }

func libraryName() string {
	switch runtime.GOOS {
	case "windows":
		return "onnxruntime.dll"
	case "darwin":
		return "libonnxruntime.dylib"
	}
	return "libonnxruntime.so"
}

// Program is the OCR program: the one in the installation's folder, else the one in the folder of
// the running program.
func Program(dir string) string {
	name := "docledger-ocr"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if own := filepath.Join(dir, name); exists(own) {
		return own
	}
	return filepath.Join(programDir(), name)
}

// DefaultDir is the installation's folder if OCR_DIR is not set: ocr in the folder of the running
// program.
func DefaultDir() string { return filepath.Join(programDir(), "ocr") }

func programDir() string {
	path, err := os.Executable()
	if err != nil {
		return "."
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	return filepath.Dir(path)
}

// Files are all files of an installation.
func Files(dir string) []string {
	return []string{Library(dir), filepath.Join(dir, detection), filepath.Join(dir, direction), filepath.Join(dir, recognition)}
}

// Missing names what an installation lacks; "" says that it is complete.
func Missing(program, dir string) string {
	for _, file := range append([]string{program}, Files(dir)...) {
		if !exists(file) {
			return file
		}
	}
	return ""
}

func exists(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}
