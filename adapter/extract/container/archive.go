package container

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"docledger/adapter/extract/sniff"
	"docledger/domain/extraction"

	"golang.org/x/text/encoding/charmap"
)

// encryptedFlag is the bit of an entry's flags that says that it is encrypted.
const encryptedFlag = 1

// archive visits the files of a ZIP archive.
func (w *walker) archive(data []byte, path string, depth int) error {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // no path is used
		return damagedArchive()
	}
	if packaged(z) {
		return extraction.Fail(extraction.UnsupportedType, "The file is an office document or a program. Export it as PDF with embedded invoice data, or upload the invoice as XML.")
	}
	// The directory states the sizes. A false one is noticed when the file is unpacked.
	var stated int64
	for _, e := range z.File {
		if err := w.count(); err != nil {
			return err
		}
		if e.Flags&encryptedFlag != 0 {
			// A part of the files could be lost without notice.
			return extraction.Fail(extraction.Encrypted, "The archive has files with a password. Unpack it and upload the documents.")
		}
		if e.UncompressedSize64 > uint64(w.limits.Total) {
			return w.grow(w.limits.Total + 1)
		}
		stated += int64(e.UncompressedSize64)
		if w.total+stated > w.limits.Total {
			return w.grow(stated)
		}
	}
	for _, e := range z.File {
		name := cleanName(entryName(e))
		if e.FileInfo().IsDir() || !e.Mode().IsRegular() || name == "" || isSystemFile(name) {
			continue
		}
		content, err := w.unpack(e, name)
		if err != nil {
			return err
		}
		if err := w.leaf(&File{Path: join(path, name), Data: content, Document: true}, depth); err != nil {
			return err
		}
	}
	return nil
}

// unpack returns the bytes of an entry.
func (w *walker) unpack(e *zip.File, name string) ([]byte, error) {
	r, err := e.Open()
	if errors.Is(err, zip.ErrAlgorithm) {
		return nil, extraction.Fail(extraction.UnsupportedType, "The archive is compressed with a method that is not supported. Save it as ZIP with the usual compression.")
	}
	if err != nil {
		return nil, damagedArchive()
	}
	defer r.Close() //nolint:errcheck // nothing is written
	content, err := w.read(r, int64(min(e.UncompressedSize64, uint64(w.limits.File))))
	if errors.Is(err, errLong) {
		return nil, w.tooLarge(name)
	}
	if err != nil {
		return nil, damagedArchive()
	}
	return content, w.grow(int64(len(content)))
}

// errLong reports a file that is larger than is accepted.
var errLong = errors.New("the file is too large")

// read returns the bytes of a file, and those before an error. The first allocation
// has the expected size, within bounds: the size is stated by the container.
func (w *walker) read(r io.Reader, expected int64) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(int(min(expected, 1<<20)) + bytes.MinRead)
	// A file of the remaining size is not cut without notice.
	limit := min(w.limits.File, w.limits.Total-w.total)
	_, err := io.Copy(&out, io.LimitReader(r, limit+1))
	if int64(out.Len()) > w.limits.File {
		return nil, errLong
	}
	return out.Bytes(), err
}

func damagedArchive() error {
	return extraction.Fail(extraction.Malformed, "The archive is damaged or incomplete. Ask the sender for it again.")
}

// entryName returns the name of an entry. Names without UTF-8 are in the character set
// of the format, code page 437.
func entryName(e *zip.File) string {
	if utf8.ValidString(e.Name) {
		return e.Name
	}
	name, err := charmap.CodePage437.NewDecoder().String(e.Name)
	if err != nil {
		return e.Name
	}
	return name
}

// isSystemFile reports whether an operating system added a file to the archive.
func isSystemFile(path string) bool {
	name := strings.ToLower(base(path))
	return strings.HasPrefix(path, "__MACOSX/") || strings.HasPrefix(name, "._") ||
		slices.Contains([]string{".ds_store", "thumbs.db", "desktop.ini"}, name)
}

// packaged reports whether an archive is one file of another type: an office document,
// an OpenDocument file, a book or a Java program.
func packaged(z *zip.Reader) bool {
	return slices.ContainsFunc(z.File, func(e *zip.File) bool {
		return e.Name == "[Content_Types].xml" || e.Name == "META-INF/MANIFEST.MF" || e.Name == "META-INF/manifest.xml"
	})
}

// isPackage reports whether bytes of the type of an archive are another kind of file,
// which the first bytes do not show.
func isPackage(data []byte, t sniff.Type) bool {
	if t.MediaType != zipType {
		return false
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	return (err == nil || errors.Is(err, zip.ErrInsecurePath)) && packaged(z)
}
