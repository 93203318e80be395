package worker

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdf"
	"docledger/adapter/extract/sniff"
	"docledger/domain/extraction"
)

// onDocument is called before a document is read. Tests set it to misbehave.
var onDocument func(path string)

// child serves requests in a child process.
type child struct {
	out    *bufio.Writer
	engine *engine
}

// serve answers requests until the parent closes its end. A separate reader
// notices that even while a document is being read, and ends the process.
func serve(in io.Reader, out io.Writer) {
	c := &child{out: bufio.NewWriterSize(out, 64<<10)}
	requests := make(chan []byte)
	go func() {
		r := bufio.NewReader(in)
		for {
			kind, payload, err := readFrame(r)
			if err != nil || kind != frameRequest {
				os.Exit(0)
			}
			requests <- payload
		}
	}()
	if c.send(frameHello, []byte(version)) != nil {
		return
	}
	for payload := range requests {
		var q request
		if json.Unmarshal(payload, &q) != nil || c.answer(q) != nil {
			return
		}
	}
}

// answer serves one request. An error means that the parent can't be reached.
func (c *child) answer(q request) error {
	limitMemory(q.Memory)
	err := c.perform(q)
	var failure *extraction.Failure
	switch {
	case err == nil:
		return c.send(frameEnd, nil)
	case errors.As(err, &failure):
		if err := writeJSON(c.out, frameFailure, failure); err != nil {
			return err
		}
		return c.out.Flush()
	default:
		return c.send(frameError, []byte(err.Error()))
	}
}

func (c *child) perform(q request) error {
	if q.Operation == opPrewarm {
		return prewarm(q.CacheDir)
	}
	f, err := os.Open(q.Path)
	if err != nil {
		return fmt.Errorf("open document: %w", err)
	}
	defer f.Close()
	if onDocument != nil {
		onDocument(q.Path)
	}
	switch q.Operation {
	case opInspect:
		return c.inspect(f, q)
	case opText:
		return c.text(f, q)
	}
	return fmt.Errorf("unknown operation %q", q.Operation)
}

// costly is how many bytes read or written for a document make it worth giving
// memory back thereafter, which takes longer than reading a usual document.
const costly = 8 << 20

func (c *child) inspect(f *os.File, q request) error {
	data, release, err := mapFile(f)
	if err != nil {
		return fmt.Errorf("read document: %w", err)
	}
	defer release()
	report, err := pdf.Inspect(data, sniff.LooksLikeXML, q.Limits)
	if err != nil {
		return err
	}
	if err := writeJSON(c.out, frameReport, report); err != nil {
		return err
	}
	total := len(data)
	for _, file := range report.Files {
		if err := writeFrame(c.out, frameData, file.Data); err != nil {
			return err
		}
		total += len(file.Data)
	}
	if total > costly {
		report = nil
		defer debug.FreeOSMemory()
	}
	return nil
}

// wordBytes is about what the characters and the text of a word take while a
// page is read.
const wordBytes = 1 << 10

func (c *child) text(f *os.File, q request) error {
	if c.engine == nil {
		e, err := newEngine(q.CacheDir)
		if err != nil {
			return fmt.Errorf("start the PDF engine: %w", err)
		}
		c.engine = e
	}
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("read document: %w", err)
	}
	total := info.Size()
	defer func() {
		if total > costly {
			debug.FreeOSMemory()
		}
	}()
	return c.engine.read(f, q.Text, func(page *layout.Page) error {
		total += int64(len(page.Words)) * wordBytes
		return writeJSON(c.out, framePage, page)
	})
}

func (c *child) send(kind byte, payload []byte) error {
	if err := writeFrame(c.out, kind, payload); err != nil {
		return err
	}
	return c.out.Flush()
}
