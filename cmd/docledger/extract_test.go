package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docledger/domain/extraction"
)

// readsKinds answers a file by its content. A list of kinds is a container.
type readsKinds struct{}

func (readsKinds) Read(_ context.Context, s extraction.Source) (*extraction.Result, error) {
	kind, err := os.ReadFile(s.Path)
	if err != nil {
		return nil, err
	}
	if inside, ok := strings.CutPrefix(string(kind), "archive "); ok {
		for one := range strings.FieldsSeq(inside) {
			if err := s.OnFile(extraction.ContainedFile{Path: one, Document: true, Data: []byte(one)}); err != nil {
				return nil, err
			}
		}
		return &extraction.Result{Container: true}, nil
	}
	switch string(kind) {
	case "order":
		return nil, extraction.NoInvoice("other", "The file is no invoice.")
	case "damaged":
		return nil, &extraction.Failure{Reason: extraction.Malformed, Message: "The file is damaged."}
	case "broken":
		return nil, errors.New("broken")
	}
	return &extraction.Result{Drafts: make([]extraction.Draft, 1)}, nil
}

// TestExtractReportsUnreadFiles expects a line for each file and an error at the end if one of them,
// or one in a container, was not read. A document that is no invoice was read.
func TestExtractReportsUnreadFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, kind := range map[string]string{
		"invoice": "invoice", "order": "order", "damaged": "damaged", "broken": "broken", "readable": "archive invoice order",
		"orders": "archive order order", "partly": "archive invoice damaged", "last": "archive order broken",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(kind), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for names, failed := range map[string]bool{
		"invoice": false, "order": false, "order invoice": false, "damaged": true, "broken": true, "absent": true, ".": true,
		"absent invoice order": true, "invoice damaged": true, "readable": false, "orders": false, "partly": true, "last": true, "invoice partly": true,
	} {
		for _, table := range []bool{false, true} {
			var files []string
			for _, name := range strings.Fields(names) {
				files = append(files, filepath.Join(dir, name))
			}
			var out bytes.Buffer
			e := extractor{reader: readsKinds{}, parallel: 2, out: &out, table: table}
			err := e.run(t.Context(), files)
			if errors.Is(err, errSilent) != failed || !failed && err != nil {
				t.Errorf("%s: %v", names, err)
			}
			if lines := strings.Count(out.String(), "\n"); !table && lines != len(files) {
				t.Errorf("%s: %d lines for %d files", names, lines, len(files))
			}
		}
	}
}

// TestUnknownCommandsFail expects an error for an unknown command at each level, and the help of a
// command without one.
func TestUnknownCommandsFail(t *testing.T) {
	t.Parallel()
	run := func(args ...string) error {
		c := root()
		c.SetArgs(args)
		c.SetOut(io.Discard)
		c.SetErr(io.Discard)
		return c.ExecuteContext(t.Context())
	}
	groups := 0
	for _, group := range root().Commands() {
		if !group.HasSubCommands() {
			continue
		}
		groups++
		if err := run(group.Name(), "no-such"); err == nil || !strings.Contains(err.Error(), "unknown command") {
			t.Errorf("%s no-such: %v", group.Name(), err)
		}
		if err := run(group.Name()); err != nil {
			t.Errorf("%s: %v", group.Name(), err)
		}
	}
	if groups < 5 {
		t.Errorf("only %d commands have commands", groups)
	}
	if err := run("completion", "no-such"); err == nil {
		t.Error("completion no-such: no error")
	}
	if err := run("completion", "bash"); err != nil {
		t.Errorf("completion bash: %v", err)
	}
	if err := run("no-such"); err == nil {
		t.Error("no-such: no error")
	}
}
