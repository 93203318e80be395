// Command pack compresses the specifications into one archive, which has the same bytes
// for the same files. It is run by `go generate ./openapi`.
package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

func main() {
	out := flag.String("out", "specifications.zip", "the archive to write")
	flag.Parse()
	data, err := pack(os.DirFS("."))
	if err == nil {
		err = os.WriteFile(*out, data, 0o644) //nolint:gosec // the file is public
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// pack returns an archive of the specifications in a folder.
func pack(folder fs.FS) ([]byte, error) {
	names, err := fs.Glob(folder, "*.yaml")
	if err != nil {
		return nil, err
	}
	names = append(names, "docledger.json")
	slices.Sort(names)
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, name := range names {
		data, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		w, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(data); err != nil {
			return nil, err
		}
	}
	err = archive.Close()
	return b.Bytes(), err
}
