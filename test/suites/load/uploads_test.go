package load

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"docledger/adapter/extract/worker"
	"docledger/domain/extraction"
	"docledger/test/lib/generator"
	"docledger/test/lib/harness"

	"github.com/jackc/pgx/v5"
)

func TestMain(m *testing.M) {
	worker.ServeIfChild()
	os.Exit(m.Run())
}

// uploader uploads documents to the entity of an organization.
func uploader(s *harness.Server, org harness.Organization) func(ctx context.Context, content []byte) error {
	c := newCaller(org.Admin.Token)
	return func(ctx context.Context, content []byte) error {
		body, err := json.Marshal(map[string]any{
			"entity_id": org.Entity, "filename": "f", "content": base64.StdEncoding.EncodeToString(content),
		})
		if err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/api/documents/upload", bytes.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		return c.send(req)
	}
}

// BenchmarkUploads accepts small documents while earlier ones are read.
func BenchmarkUploads(b *testing.B) {
	const perRound = 500
	s, _ := start(b)
	upload := uploader(s, s.NewOrganization("Load"))
	round := 0
	for b.Loop() {
		round++
		rate := perSecond(b, perRound, func(ctx context.Context, i int64) error {
			return upload(ctx, harness.UBL(fmt.Sprintf("U-%d-%d", round, i)))
		})
		b.ReportMetric(rate, "uploads/s")
	}
}

// BenchmarkExtraction measures the time until uploaded printed PDFs are
// invoices, compared with reading the same files without the service. An
// organization gets each real file once, because a copy of an invoice has more
// duplicates with each earlier copy.
func BenchmarkExtraction(b *testing.B) {
	const documents, rounds = 300, 3
	s, database := start(b)
	conn, err := pgx.Connect(b.Context(), database)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(b.Context())
	if err := s.Service.Prewarm(b.Context()); err != nil {
		b.Fatal(err)
	}
	real, err := corpus()
	if err != nil {
		b.Fatal(err)
	}
	if len(real) == 0 {
		b.Log("THE CORPUS IS MISSING: generated documents are read instead")
	}
	reader := &pausedReader{Reader: s.Service.Extraction.Reader}
	s.Service.Extraction.Reader = reader
	seed := uint64(1)
	for b.Loop() {
		var whole, bare float64
		for range rounds {
			files := printed(b, &seed, documents, real)
			uploads := make([]func(context.Context, []byte) error, documents/perOrganization)
			for i := range uploads {
				uploads[i] = uploader(s, s.NewOrganization("Load"))
			}
			bare += perSecond(b, documents, func(ctx context.Context, i int64) error {
				content, err := os.Stat(files[i-1])
				if err != nil {
					return err
				}
				_, err = s.Service.Extraction.Reader.Read(ctx, extraction.Source{Name: "f.pdf", Path: files[i-1], Size: content.Size()})
				return err
			}) / rounds
			reader.pause.Lock()
			perSecond(b, documents, func(ctx context.Context, i int64) error {
				content, err := os.ReadFile(files[i-1])
				if err != nil {
					return err
				}
				return uploads[int(i-1)%len(uploads)](ctx, content)
			})
			// Nothing is read during the uploads, because they have a separate
			// benchmark. Else only the last of the files would wait after them.
			waiting, began := unfinished(b, conn), time.Now()
			reader.pause.Unlock()
			s.Eventually("every document was read", time.Minute, func() bool { return unfinished(b, conn) == 0 }, func() string {
				return fmt.Sprintf("%d are not", unfinished(b, conn))
			})
			whole += float64(waiting) / time.Since(began).Seconds() / rounds
		}
		b.ReportMetric(whole*60, "service/min")
		b.ReportMetric(bare*60, "bare/min")
		b.ReportMetric(whole/bare, "ratio")
	}
}

// pausedReader is a reader that waits while it is paused.
type pausedReader struct {
	extraction.Reader
	pause sync.RWMutex
}

// Read implements extraction.Reader.
func (r *pausedReader) Read(ctx context.Context, src extraction.Source) (*extraction.Result, error) {
	r.pause.RLock()
	defer r.pause.RUnlock()
	return r.Reader.Read(ctx, src)
}

// corpus returns real printed PDFs if they exist.
func corpus() ([]string, error) {
	dir := os.Getenv("DOCLEDGER_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "corpus")
	}
	return filepath.Glob(filepath.Join(dir, "text-pdf", "*.pdf"))
}

// perOrganization is the number of documents of an organization.
const perOrganization = 20

// printed creates different PDFs without embedded data, from real ones in turn
// or from the generator. The document at i belongs to the organization at i
// modulo their number.
func printed(b *testing.B, seed *uint64, n int, real []string) (files []string) {
	b.Helper()
	dir := b.TempDir()
	for ; len(files) < n; *seed++ {
		var content []byte
		if len(real) == 0 {
			made, ok := generator.New(*seed, generator.None).PDF()
			if !ok {
				continue
			}
			content = made
		} else {
			read, err := os.ReadFile(real[len(files)/(n/perOrganization)%len(real)])
			if err != nil {
				b.Fatal(err)
			}
			content = fmt.Appendf(read, "%%%d\n", *seed) // a comment at the end
		}
		path := filepath.Join(dir, fmt.Sprintf("%d.pdf", *seed))
		if err := os.WriteFile(path, content, 0o600); err != nil {
			b.Fatal(err)
		}
		files = append(files, path)
	}
	return files
}

// unfinished counts the documents that wait or are read.
func unfinished(b *testing.B, conn *pgx.Conn) (n int) {
	b.Helper()
	if err := conn.QueryRow(b.Context(), "SELECT count(*) FROM documents WHERE status IN ('UPLOADED', 'PROCESSING')").Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}

// extracted counts the finished documents.
func extracted(b *testing.B, conn *pgx.Conn) (n int) {
	b.Helper()
	if err := conn.QueryRow(b.Context(), "SELECT count(*) FROM documents WHERE status IN ('EXTRACTED', 'FAILED')").Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}
