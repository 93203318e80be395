package export

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"docledger/domain/document"
	"docledger/domain/fault"
	"docledger/domain/invoice"

	"github.com/google/uuid"
)

// Format is the format of an export.
type Format string

// The formats.
const (
	CSV   Format = "csv"
	JSONL Format = "jsonl"
	ZIP   Format = "zip" // CSV, the originals, and a manifest with their checksums
)

// Export writes the invoices that a filter selects.
type Export struct {
	Format Format
	Rows   invoice.ExportRows
	Style  Style
	// Each passes all invoices to visit, some at a time.
	Each func(visit func([]invoice.Exported) error) error
	// Original opens the bytes of a document.
	Original func(id uuid.UUID) (*document.Document, io.ReadSeekCloser, error)
	TempDir  string
}

// MediaType returns the media type of the export.
func (e *Export) MediaType() string {
	switch e.Format {
	case JSONL:
		return "application/x-ndjson"
	case ZIP:
		return "application/zip"
	default:
		return "text/csv; charset=utf-8"
	}
}

// Filename returns a name for the file.
func (e *Export) Filename(now time.Time) string {
	return fmt.Sprintf("%s-%s.%s", e.Rows, now.UTC().Format("20060102-150405"), e.Format)
}

// Write writes the export. It writes nothing before the first invoices were read, so that an
// earlier error can be reported to the caller.
func (e *Export) Write(w io.Writer) error {
	switch e.Format {
	case JSONL:
		return e.rows(newJSONL(w, e.Rows))
	case ZIP:
		return e.zip(w)
	default:
		return e.rows(newCSV(w, e.Rows, e.Style))
	}
}

func (e *Export) rows(to writer) error {
	if err := e.Each(to.write); err != nil {
		return err
	}
	return to.close()
}

// entry is a file in the manifest of a ZIP.
type entry struct {
	Path       string    `json:"path,omitempty"` // absent if the original is missing
	SHA256     string    `json:"sha256"`         // of the bytes; of a missing original as recorded
	SizeBytes  int64     `json:"size_bytes"`
	DocumentID uuid.UUID `json:"document_id,omitzero"`
	InvoiceID  uuid.UUID `json:"invoice_id,omitzero"`
	// Problem is "missing" if the blob store lacks the original, and "damaged" if its bytes
	// differ from the recorded checksum.
	Problem string `json:"problem,omitempty"`
}

// archive is a ZIP while it is written. Rows and manifest are kept in temporary files until all
// originals are written, so that each invoice is read once and memory holds only the directory of
// the ZIP.
type archive struct {
	*Export
	to       *zip.Writer
	table    *os.File
	manifest *os.File
	entries  int
	written  map[string]entry // the originals, by the recorded checksum
}

func (e *Export) zip(w io.Writer) (err error) {
	a := &archive{Export: e, to: zip.NewWriter(w), written: map[string]entry{}}
	for _, file := range []**os.File{&a.table, &a.manifest} {
		if *file, err = temporary(e.TempDir); err != nil {
			return err
		}
		defer (*file).Close() //nolint:errcheck // it is deleted
	}
	rows := newCSV(a.table, e.Rows, e.Style)
	err = e.Each(func(invoices []invoice.Exported) error {
		if err := rows.write(invoices); err != nil {
			return fmt.Errorf("store rows: %w", err)
		}
		for i := range invoices {
			if err := a.original(&invoices[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := rows.close(); err != nil {
		return fmt.Errorf("store rows: %w", err)
	}
	return a.finish()
}

// temporary returns a file that is deleted even if this process crashes.
func temporary(dir string) (*os.File, error) {
	file, err := os.CreateTemp(dir, "export-*")
	if err != nil {
		return nil, fmt.Errorf("store export: %w", err)
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("store export: %w", err), file.Close())
	}
	return file, nil
}

// original adds the original of an invoice. The documents of a split file have the same original,
// which is written once.
func (a *archive) original(e *invoice.Exported) error {
	d, content, err := a.Original(e.DocumentID)
	if fault.CodeOf(err) == fault.CodeNotFound {
		missing := entry{DocumentID: e.DocumentID, InvoiceID: e.ID, Problem: "missing"}
		if d != nil {
			missing.SHA256, missing.SizeBytes = d.SHA256, d.SizeBytes
		}
		return a.note(missing)
	}
	if err != nil {
		return err
	}
	defer content.Close() //nolint:errcheck // it is only read
	if same, ok := a.written[d.SHA256]; ok {
		same.DocumentID, same.InvoiceID = d.ID, e.ID
		return a.note(same)
	}
	added := entry{Path: "originals/" + d.ID.String() + "/" + safeName(d.Filename), DocumentID: d.ID, InvoiceID: e.ID}
	// Documents are mostly compressed already.
	if err := a.add(&added, zip.Store, d.CreatedAt, content); err != nil {
		return err
	}
	if added.SHA256 != d.SHA256 {
		added.Problem = "damaged"
	} else {
		a.written[d.SHA256] = added
	}
	return a.note(added)
}

// add writes a file and sets its checksum and size.
func (a *archive) add(e *entry, method uint16, at time.Time, content io.Reader) error {
	to, err := a.to.CreateHeader(&zip.FileHeader{Name: e.Path, Method: method, Modified: at.UTC()})
	if err != nil {
		return err
	}
	hash := sha256.New()
	if e.SizeBytes, err = io.Copy(io.MultiWriter(to, hash), content); err != nil {
		return fmt.Errorf("write %s: %w", e.Path, err)
	}
	e.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return nil
}

// note adds an entry to the manifest.
func (a *archive) note(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	begin := ",\n"
	if a.entries == 0 {
		begin = "{\"files\":[\n"
	}
	a.entries++
	_, err = a.manifest.WriteString(begin + string(line))
	return err
}

// finish adds the rows and the manifest.
func (a *archive) finish() error {
	if _, err := a.table.Seek(0, io.SeekStart); err != nil {
		return err
	}
	table := entry{Path: string(a.Rows) + ".csv"}
	if err := a.add(&table, zip.Deflate, time.Now(), a.table); err != nil {
		return err
	}
	if err := a.note(table); err != nil {
		return err
	}
	if _, err := a.manifest.WriteString("\n]}\n"); err != nil {
		return err
	}
	if _, err := a.manifest.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := a.add(&entry{Path: "manifest.json"}, zip.Deflate, time.Now(), a.manifest); err != nil {
		return err
	}
	return a.to.Close()
}

// maxNameBytes limits names in a ZIP.
const maxNameBytes = 150

// device matches the names that Windows reserves for devices, with every extension.
var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)`)

// safeName returns a file name that is valid on every system and leaves its folder nowhere.
func safeName(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || strings.ContainsRune(`<>:"/|?*`, r) || r == utf8.RuneError {
			return '_'
		}
		return r
	}, name)
	name = strings.Trim(name, ". ")
	for len(name) > maxNameBytes {
		_, size := utf8.DecodeRuneInString(name)
		name = name[size:] // the end has the extension
	}
	switch {
	case name == "":
		return "document"
	case device.MatchString(name):
		return "_" + name
	}
	return name
}
