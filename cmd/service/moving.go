package service

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"regexp"
	"strings"

	"docledger/adapter/store/transfer"
	"docledger/infrastructure/archive"
	"docledger/infrastructure/config"
	"docledger/infrastructure/database"
	"docledger/migrations"
)

// The members of a dump, in this order: the header; the rows, as one JSON array per line; the
// files, named by their SHA-256; the sums of all of these, and the sum of the sums. A file that
// the source has lost is a member without bytes.
const (
	headerName   = "docledger.json"
	rowsName     = "rows/%s/%06d.jsonl"
	filesFolder  = "files/"
	lostFolder   = "lost/"
	manifestName = "manifest.json"
	sumName      = "manifest.json.sha256"
)

// dumpFormat is the version of the dump format.
const dumpFormat = 1

const (
	// rowsSize is the size at which a member of rows ends after the current row.
	rowsSize = 1 << 20
	// mostRows and mostText limit the members that are read line by line or as a whole.
	mostRows = 256 << 20
	mostText = 1 << 20
)

var fileName = regexp.MustCompile(`^(files/|lost/)([0-9a-f]{64})$`)

// errDump reports that the input is not a dump, or is damaged.
var errDump = errors.New("the file is damaged or is not a dump")

// dumpHeader describes a dump.
type dumpHeader struct {
	Format  int    `json:"format"`
	Schema  int64  `json:"schema"`
	Release string `json:"release"`
}

// TableSum is the count and the sum of one table. Equal rows have equal sums on both databases.
type TableSum struct {
	Table  string `json:"table"`
	Rows   int64  `json:"rows"`
	SHA256 string `json:"sha256"` // of the rows in their order
}

// FileSum is the count and the sum of the files.
type FileSum struct {
	Files  int64  `json:"files"`
	Bytes  int64  `json:"bytes"`
	Lost   int64  `json:"lost"`   // named by documents, but missing
	SHA256 string `json:"sha256"` // of the names in their order
}

// Sums are the sums of a whole installation.
type Sums struct {
	Header string     `json:"header_sha256"`
	Tables []TableSum `json:"tables"`
	Files  FileSum    `json:"files"`
}

// Progress is called with the number of rows of a table, or of files, that are done so far.
type Progress func(what string, done int64)

func (p Progress) tell(what string, done int64) {
	if p != nil {
		p(what, done)
	}
}

// summing counts lines and computes their sum.
type summing struct {
	hash  hash.Hash
	lines int64
}

func newSumming() *summing { return &summing{hash: sha256.New()} }

func (s *summing) add(line []byte) {
	s.hash.Write(line)
	s.hash.Write([]byte("\n"))
	s.lines++
}

func (s *summing) sum() string { return hex.EncodeToString(s.hash.Sum(nil)) }

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// sumRows reads every table of a database.
func sumRows(ctx context.Context, rows transfer.Rows, each func(table string, line []byte) error) ([]TableSum, error) {
	var out []TableSum
	for _, table := range transfer.Tables() {
		s := newSumming()
		err := rows.Each(ctx, table, func(line []byte) error {
			s.add(line)
			return each(table, line)
		})
		if err != nil {
			return nil, err
		}
		out = append(out, TableSum{table, s.lines, s.sum()})
	}
	return out, nil
}

// withRows opens the database for dump or load. It requires exactly the schema of this release.
func withRows(ctx context.Context, cfg config.Config, do func(transfer.Database, int64) error) (err error) {
	dbc := DatabaseConfig(cfg)
	have, want, err := database.SchemaVersion(ctx, dbc, migrations.For(dialect(cfg)))
	if err != nil {
		return err
	}
	if have < want {
		return database.ErrSchemaOlder
	}
	if have > want {
		return fmt.Errorf("the database has schema version %d, this release has %d; use the release that migrated it", have, want)
	}
	db, err := database.Open(ctx, dbc)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return do(transfer.Of(db.SQL, db.Dialect == database.Postgres), have)
}

// visitor handles the content of a dump. Members without a handler are skipped, unless everything
// must be verified.
type visitor struct {
	verify bool
	// rowsAlone ends the walk after the rows with errEnough.
	rowsAlone bool
	header    func(dumpHeader) error
	row       func(table string, line []byte) error
	file      func(sha256 string, r io.Reader) error
}

// walk reads a dump from start to end and refuses one with members in another order.
func walk(ctx context.Context, path string, visit visitor) (sums Sums, err error) {
	r, err := archive.Open(ctx, path)
	if err != nil {
		return sums, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	w := &walker{Reader: r, visit: visit, tables: map[string]*summing{}, files: newSumming()}
	for _, read := range []func() error{w.readHeader, w.readRows, w.readFiles, w.readManifest} {
		if err := read(); err != nil {
			return sums, err
		}
	}
	return w.sums, nil
}

// walker reads the members of a dump one after another.
type walker struct {
	*archive.Reader
	visit  visitor
	member archive.Member // the next one
	sums   Sums           // as stated in the dump
	header string         // the sum of the content read so far, as are the following
	tables map[string]*summing
	files  *summing
	count  FileSum
}

func (w *walker) next() (err error) {
	w.member, err = w.Next()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: it ends too early", errDump)
	}
	return err
}

// text reads the whole current member, which must have this name.
func (w *walker) text(name string) ([]byte, error) {
	if w.member.Name != name || w.member.Size > mostText {
		return nil, fmt.Errorf("%w: found %.100q instead of %s", errDump, w.member.Name, name)
	}
	text, err := io.ReadAll(w)
	return text, err
}

func (w *walker) readHeader() error {
	if err := w.next(); err != nil {
		return err
	}
	text, err := w.text(headerName)
	if err != nil {
		return err
	}
	var h dumpHeader
	if err := json.Unmarshal(text, &h); err != nil {
		return fmt.Errorf("%w: %w", errDump, err)
	}
	w.header = sumOf(text)
	if w.visit.header != nil {
		if err := w.visit.header(h); err != nil {
			return err
		}
	}
	return w.next()
}

func (w *walker) readRows() error {
	for _, table := range transfer.Tables() {
		w.tables[table] = newSumming()
		for part := 1; w.member.Name == fmt.Sprintf(rowsName, table, part); part++ {
			if w.member.Size > mostRows {
				return fmt.Errorf("%w: %s has %d bytes", errDump, w.member.Name, w.member.Size)
			}
			if w.visit.verify || w.visit.row != nil {
				if err := w.readLines(table); err != nil {
					return err
				}
			}
			if err := w.next(); err != nil {
				return err
			}
		}
	}
	if w.visit.rowsAlone {
		return errEnough
	}
	return nil
}

func (w *walker) readLines(table string) error {
	return eachLine(w, func(line []byte) error {
		w.tables[table].add(line)
		if w.visit.row == nil {
			return nil
		}
		return w.visit.row(table, line)
	})
}

func (w *walker) readFiles() error {
	last := ""
	for {
		name := fileName.FindStringSubmatch(w.member.Name)
		if name == nil {
			return nil
		}
		folder, sum := name[1], name[2]
		if sum <= last {
			return fmt.Errorf("%w: %s is not in its place", errDump, w.member.Name)
		}
		last = sum
		w.files.add([]byte(sum))
		if err := w.readFile(folder == lostFolder, sum); err != nil {
			return err
		}
		if err := w.next(); err != nil {
			return err
		}
	}
}

func (w *walker) readFile(lost bool, sum string) error {
	if lost {
		w.count.Lost++
		if w.member.Size > 0 {
			return fmt.Errorf("%w: %s has bytes", errDump, w.member.Name)
		}
		return nil
	}
	w.count.Files, w.count.Bytes = w.count.Files+1, w.count.Bytes+w.member.Size
	if w.visit.file == nil && !w.visit.verify {
		return nil
	}
	hash := sha256.New()
	source := io.TeeReader(w, hash)
	if w.visit.file != nil {
		if err := w.visit.file(sum, source); err != nil {
			return err
		}
	}
	if _, err := io.Copy(io.Discard, source); err != nil {
		return err
	}
	if hex.EncodeToString(hash.Sum(nil)) != sum {
		return fmt.Errorf("%w: %s has other bytes", errDump, w.member.Name)
	}
	return nil
}

// readManifest compares the content with its sums, and the sums with their own sum.
func (w *walker) readManifest() error {
	text, err := w.text(manifestName)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &w.sums); err != nil {
		return fmt.Errorf("%w: %w", errDump, err)
	}
	if err := w.next(); err != nil {
		return err
	}
	sum, err := w.text(sumName)
	if err != nil {
		return err
	}
	if string(sum) != manifestSum(text) {
		return fmt.Errorf("%w: its sums were changed", errDump)
	}
	if _, err := w.Next(); !errors.Is(err, io.EOF) {
		return errors.Join(fmt.Errorf("%w: something follows its sums", errDump), err)
	}
	if !w.visit.verify {
		return nil
	}
	read := Sums{Header: w.header, Files: w.count}
	read.Files.SHA256 = w.files.sum()
	for _, table := range transfer.Tables() {
		s := w.tables[table]
		read.Tables = append(read.Tables, TableSum{table, s.lines, s.sum()})
	}
	if different := compare(w.sums, read); different != "" || w.sums.Header != read.Header {
		return fmt.Errorf("%w: %s", errDump, strings.TrimSpace("it has other contents than its sums say: "+different))
	}
	return nil
}

// manifestSum is a line in the format of sha256sum.
func manifestSum(text []byte) string { return sumOf(text) + "  " + manifestName + "\n" }

// compare lists the differences; it returns "" if there are none.
func compare(want, got Sums) string {
	var out []string
	if len(want.Tables) != len(got.Tables) {
		out = append(out, fmt.Sprintf("%d tables instead of %d", len(got.Tables), len(want.Tables)))
	}
	for i := range min(len(want.Tables), len(got.Tables)) {
		w, g := want.Tables[i], got.Tables[i]
		if w != g {
			out = append(out, fmt.Sprintf("%s has %d rows (%.12s) instead of %d (%.12s)", g.Table, g.Rows, g.SHA256, w.Rows, w.SHA256))
		}
	}
	if w, g := want.Files, got.Files; w != g {
		out = append(out, fmt.Sprintf("%d files of %d bytes (%.12s) instead of %d of %d (%.12s)", g.Files, g.Bytes, g.SHA256, w.Files, w.Bytes, w.SHA256))
	}
	return strings.Join(out, ", ")
}

// indented writes JSON that people can read.
func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}
