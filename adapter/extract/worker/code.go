package worker

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the code of the PDF engine
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

//go:generate go run ./generate

// compressed is the WebAssembly code of the PDF engine. The library contains it without
// compression, which takes three more megabytes in each program.
//
//go:embed pdfium.wasm.gz
var compressed []byte

// staleCode is the age after which another file with code is removed: no process still writes it.
const staleCode = time.Hour

// checksum and codeBytes are the last eight bytes of a file of gzip.
func checksum() uint32 { return binary.LittleEndian.Uint32(compressed[len(compressed)-8:]) }
func codeBytes() int   { return int(binary.LittleEndian.Uint32(compressed[len(compressed)-4:])) }

// codePath returns the file with the code in the folder of compiled code.
func codePath(cacheDir string) string {
	return filepath.Join(cacheDir, fmt.Sprintf("pdfium-%08x.wasm", checksum()))
}

// engineCode returns the code. Children share the memory of the file in the folder. It
// saves each of them the time to decompress the code.
func engineCode(cacheDir string) ([]byte, error) {
	if f, err := os.Open(codePath(cacheDir)); err == nil {
		defer f.Close()
		// The memory stays mapped while the process lives.
		data, release, err := mapFile(f)
		if err == nil && len(data) == codeBytes() && crc32.ChecksumIEEE(data) == checksum() {
			return data, nil
		}
		if err == nil {
			release()
		}
	}
	z, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, fmt.Errorf("decompress the PDF engine: %w", err)
	}
	code := make([]byte, codeBytes())
	if _, err := io.ReadFull(z, code); err != nil {
		return nil, fmt.Errorf("decompress the PDF engine: %w", err)
	}
	return code, nil
}

// isCode reports whether a name is that of a file of storeCode.
func isCode(name string) bool { return strings.HasPrefix(name, "pdfium-") }

// storeCode writes the code to the folder if it is not there, and removes the code of other
// releases and what an interrupted call left. Other processes can do the same at the same time.
func storeCode(cacheDir string, code []byte) error {
	path := codePath(cacheDir)
	if files, err := os.ReadDir(cacheDir); err == nil {
		for _, file := range files {
			name := filepath.Join(cacheDir, file.Name())
			if info, err := file.Info(); err == nil && isCode(file.Name()) && name != path && time.Since(info.ModTime()) > staleCode {
				os.Remove(name) //nolint:errcheck // the next start tries again; children keep what they have mapped
			}
		}
	}
	if stored, err := os.ReadFile(path); err == nil && bytes.Equal(stored, code) {
		return nil
	}
	f, err := os.CreateTemp(cacheDir, "pdfium-*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // it is renamed
	_, err = f.Write(code)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
