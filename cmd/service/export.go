package service

import (
	"archive/zip"
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"docledger/adapter/store/transfer"
	"docledger/domain/document"
	"docledger/domain/fault"
	"docledger/infrastructure/config"

	"github.com/google/uuid"
)

// ExportManifest describes an export of an organization. It is manifest.json, the last member.
type ExportManifest struct {
	Format         int               `json:"format"`
	Release        string            `json:"release"`
	Schema         int64             `json:"schema"`
	OrganizationID uuid.UUID         `json:"organization_id"`
	Records        []TableSum        `json:"records"` // records/<table>.jsonl
	Originals      ExportedOriginals `json:"originals"`
}

// ExportedOriginals counts originals/<sha256>.
type ExportedOriginals struct {
	Files   int64 `json:"files"`
	Bytes   int64 `json:"bytes"`
	Missing int64 `json:"missing"`
	// MissingSHA256 are the first of the originals that the blob store does not have, or has with
	// other bytes.
	MissingSHA256 []string `json:"missing_sha256,omitempty"`
}

// exportFormat is the version of the format of exports.
const exportFormat = 1

// Export writes everything of an organization to a ZIP archive while the installation is in use
// (domain D21): its records in one snapshot, then the originals. Memory use does not grow with the
// organization. It never replaces a file, and the archive has its name only when it is complete.
func Export(ctx context.Context, cfg config.Config, organization uuid.UUID, path, release string) (m *ExportManifest, err error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("%s already exists; choose a new file name", path), err)
	}
	blobs, err := openBlobs(cfg)
	if err != nil {
		return nil, err
	}
	part, err := os.CreateTemp(filepath.Dir(path), ".docledger-export-*")
	if err != nil {
		return nil, fmt.Errorf("create the archive: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(part.Name()))
		}
	}()
	e := &exporter{zip: zip.NewWriter(part), blobs: blobs, folder: filepath.Dir(path), manifest: ExportManifest{Format: exportFormat, Release: release, OrganizationID: organization}}
	err = withRows(ctx, cfg, func(db transfer.Database, schema int64) error {
		e.manifest.Schema = schema
		return e.write(ctx, db)
	})
	if err = errors.Join(err, e.zip.Close(), part.Sync(), part.Close()); err != nil {
		return nil, err
	}
	if err := os.Rename(part.Name(), path); err != nil {
		return nil, fmt.Errorf("name the archive: %w", err)
	}
	return &e.manifest, nil
}

type exporter struct {
	zip      *zip.Writer
	blobs    document.Blobs
	folder   string
	manifest ExportManifest
}

func (e *exporter) write(ctx context.Context, db transfer.Database) (err error) {
	// The names of originals are stored outside of memory and of the snapshot, because there may be many.
	names, err := os.CreateTemp(e.folder, ".docledger-export-*")
	if err != nil {
		return fmt.Errorf("list the originals: %w", err)
	}
	defer func() { err = errors.Join(err, names.Close(), os.Remove(names.Name())) }()
	if err := db.Read(ctx, func(rows transfer.Rows) error { return e.records(ctx, rows, names) }); err != nil {
		return err
	}
	if _, err := names.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("list the originals: %w", err)
	}
	err = eachLine(names, func(line []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return e.original(ctx, string(line))
	})
	if err != nil {
		return err
	}
	text, err := indented(e.manifest)
	if err != nil {
		return err
	}
	w, err := e.zip.Create("manifest.json")
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

func (e *exporter) records(ctx context.Context, rows transfer.Rows, names io.Writer) error {
	id := e.manifest.OrganizationID.String()
	for _, table := range transfer.ExportTables() {
		w, err := e.zip.Create("records/" + table + ".jsonl")
		if err != nil {
			return fmt.Errorf("write the archive: %w", err)
		}
		s := newSumming()
		err = rows.EachOf(ctx, table, id, func(line []byte) error {
			s.add(line)
			if _, err := w.Write(line); err != nil {
				return fmt.Errorf("write the archive: %w", err)
			}
			_, err := w.Write([]byte{'\n'})
			return err
		})
		if err != nil {
			return err
		}
		if table == "organizations" && s.lines == 0 {
			return fault.Missing("organization")
		}
		e.manifest.Records = append(e.manifest.Records, TableSum{table, s.lines, s.sum()})
	}
	out := bufio.NewWriter(names)
	err := rows.FilesOf(ctx, id, func(sum string) error {
		_, err := out.WriteString(sum + "\n")
		return err
	})
	return errors.Join(err, out.Flush())
}

// original writes the bytes of documents. The export continues without a missing one, and says so.
func (e *exporter) original(ctx context.Context, sum string) error {
	r, err := e.blobs.Open(ctx, sum)
	if fault.CodeOf(err) == fault.CodeNotFound {
		e.missing(sum)
		return nil
	}
	if err != nil {
		return fmt.Errorf("open original %s: %w", sum, err)
	}
	w, err := e.zip.CreateHeader(&zip.FileHeader{Name: "originals/" + sum, Method: zip.Store})
	if err != nil {
		return errors.Join(fmt.Errorf("write the archive: %w", err), r.Close())
	}
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, hash), r)
	if err = errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("write original %s: %w", sum, err)
	}
	if hex.EncodeToString(hash.Sum(nil)) != sum {
		e.missing(sum)
	}
	e.manifest.Originals.Files, e.manifest.Originals.Bytes = e.manifest.Originals.Files+1, e.manifest.Originals.Bytes+n
	return nil
}

func (e *exporter) missing(sum string) {
	o := &e.manifest.Originals
	if o.Missing++; len(o.MissingSHA256) < mostNamed {
		o.MissingSHA256 = append(o.MissingSHA256, sum)
	}
}
