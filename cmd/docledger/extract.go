package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"docledger/adapter/extract"
	"docledger/adapter/httpapi/convert"
	"docledger/cmd/service"
	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
	"docledger/domain/review"
	"docledger/infrastructure/clock"
	"docledger/infrastructure/config"

	"github.com/google/uuid"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// answer is one line of output: the content of a file, or the reason why it has none.
type answer struct {
	File    string           `json:"file"`
	Invoice map[string]any   `json:"invoice,omitempty"`
	More    []map[string]any `json:"more,omitempty"`
	// Unread are the documents in a container that have no invoice.
	Unread []unread     `json:"unread,omitempty"`
	Error  *answerError `json:"error,omitempty"`

	invoices []*invoice.Invoice
}

// answerError is why a file has no invoice.
type answerError struct {
	Code    string `json:"code"`
	Message string `json:"message"`

	result bool // the file was read, and it is no invoice
}

func (e *answerError) failed() bool { return e != nil && !e.result }

// failed reports whether the file, or one in a container, was not read.
func (a *answer) failed() bool {
	return a.Error.failed() || slices.ContainsFunc(a.Unread, func(u unread) bool { return u.Error.failed() })
}

func extractCommand() *cobra.Command {
	var table bool
	var parallel int
	var deadline time.Duration
	c := &cobra.Command{
		Use:   "extract FILE...",
		Short: "Extract documents and print their data",
		Long: "Extracts each FILE and prints one JSON object on each line, in the order of the files:\n" +
			`  {"file": PATH, "invoice": {...}, "more": [...]}  or  {"file": PATH, "error": {"code": ..., "message": ...}}` + "\n" +
			"The names are those of the API. `more` contains the other invoices of a file with several invoices.\n" +
			"An e-mail or a ZIP archive has the invoices of its files. `unread` names its files that have no invoice, with the reason.\n" +
			"The exit status is 0 if every file was read, also in an e-mail or archive, and also if it is no invoice, else 1.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, files []string) error {
			o, err := config.ReadOCR(os.LookupEnv)
			if err != nil {
				return err
			}
			pipeline := extract.New(extract.Options{Children: parallel, Deadline: deadline, ComparePages: true, OCR: service.ScansOf(o)})
			defer pipeline.Close()
			e := extractor{reader: pipeline, parallel: parallel, out: c.OutOrStdout(), table: table}
			return e.run(c.Context(), files)
		},
	}
	c.Flags().BoolVar(&table, "table", false, "print a table instead of JSON")
	c.Flags().IntVar(&parallel, "parallel", min(runtime.NumCPU(), 4), "number of concurrent extractions")
	c.Flags().DurationVar(&deadline, "deadline", 8*time.Second, "time limit for one file, except scans")
	return c
}

// extractor extracts files in parallel and prints the results in order. It returns
// errSilent if a file was not read.
type extractor struct {
	reader   extraction.Reader
	parallel int
	out      io.Writer
	table    bool
}

func (e *extractor) run(ctx context.Context, files []string) error {
	progress := bar(len(files))
	answers := make([]chan *answer, len(files))
	for i := range answers {
		answers[i] = make(chan *answer, 1)
	}
	var readers sync.WaitGroup
	next := make(chan int)
	for range max(e.parallel, 1) {
		readers.Go(func() {
			for i := range next {
				answers[i] <- e.read(ctx, files[i])
			}
		})
	}
	go func() {
		for i := range files {
			next <- i
		}
		close(next)
	}()
	lines, failed := e.printer(), false
	for _, done := range answers {
		a := <-done
		failed = failed || a.failed()
		if err := lines.answer(a); err != nil {
			return err
		}
		_ = progress.Add(1) // a failed progress bar must not stop the command
	}
	readers.Wait()
	_ = progress.Finish()
	if err := lines.end(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil || !failed {
		return err
	}
	return errSilent
}

// bar shows a progress bar on a terminal only.
func bar(files int) *progressbar.ProgressBar {
	if files < 2 || !term.IsTerminal(int(os.Stderr.Fd())) {
		return progressbar.DefaultSilent(int64(files))
	}
	return progressbar.NewOptions(files, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionShowCount(),
		progressbar.OptionSetDescription("reading"), progressbar.OptionClearOnFinish())
}

func (e *extractor) read(ctx context.Context, path string) *answer {
	a := &answer{File: path}
	info, err := os.Stat(path)
	switch {
	case err != nil:
	case info.IsDir():
		err = errors.New("it is a directory")
	case !info.Mode().IsRegular():
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		a.Error = &answerError{Code: "not_found", Message: "The file cannot be opened: " + reason(err) + "."}
		return a
	}
	began := time.Now()
	var inside insideFiles
	defer inside.remove()
	result, err := e.reader.Read(ctx, extraction.Source{Name: info.Name(), Path: path, Size: info.Size(), Recognize: true, OnFile: inside.add})
	if err == nil && result.Container {
		return e.readInside(ctx, path, &inside)
	}
	var failure *extraction.Failure
	if errors.As(err, &failure) {
		a.Error = &answerError{Code: failure.Code(), Message: failure.Message, result: failure.Reason == extraction.NotAnInvoice}
		return a
	}
	if errors.Is(err, extraction.ErrUnavailable) {
		a.Error = &answerError{Code: document.HeldReaderUnavailable, Message: "The file was not extracted: " + reason(err) + ". Run docledger doctor."}
		return a
	}
	if err != nil {
		a.Error = &answerError{Code: "internal", Message: "The file cannot be read: " + reason(err) + "."}
		return a
	}
	for _, d := range result.Drafts {
		inv := judged(d, result, time.Since(began))
		a.invoices = append(a.invoices, inv)
		shown, err := show(inv)
		if err != nil {
			a.Error = &answerError{Code: "internal", Message: err.Error()}
			return a
		}
		if a.Invoice == nil {
			a.Invoice = shown
		} else {
			a.More = append(a.More, shown)
		}
	}
	return a
}

func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// judged returns the invoice as evaluated for an entity without a name and with
// default settings.
func judged(d extraction.Draft, r *extraction.Result, took time.Duration) *invoice.Invoice {
	inv := &invoice.Invoice{
		Status: invoice.Extracted, Content: d.Content, LinesTotal: len(d.Content.Lines), Fields: d.Fields,
		Extraction: invoice.Extraction{Method: r.Method, Format: d.Format, EngineVersion: r.EngineVersion, Duration: took},
	}
	for i := range inv.Lines {
		inv.Lines[i].Position = i + 1
	}
	settings := entity.DefaultSettings(uuid.Nil, uuid.Nil)
	review.Evaluate(inv, &entity.Entity{}, &settings, slices.Concat(d.Checks, r.Checks), clock.System{}.Now(), 1)
	return inv
}

// stored are the fields that only a stored invoice has.
var stored = []string{
	"id", "document_id", "entity_id", "organization_id", "version", "created_by", "created_at", "updated_at", "web_url",
	"approval", "rejection", "sync", "contact_id", "posting_date",
}

// show returns the invoice with the names of the API, without the fields that only a
// stored invoice has.
func show(inv *invoice.Invoice) (map[string]any, error) {
	raw, err := json.Marshal(convert.Web("").ToAPIInvoice(inv))
	if err != nil {
		return nil, fmt.Errorf("show invoice: %w", err)
	}
	var shown map[string]any
	if err := json.Unmarshal(raw, &shown); err != nil {
		return nil, fmt.Errorf("show invoice: %w", err)
	}
	for _, name := range stored {
		delete(shown, name)
	}
	if lines, ok := shown["lines"].([]any); ok {
		for _, l := range lines {
			if line, ok := l.(map[string]any); ok {
				delete(line, "id")
			}
		}
	}
	return shown, nil
}
