package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"docledger/adapter/extract/container"
	"docledger/domain/extraction"
)

// Limits of opening a container. Its files are sent in several answers, each of which
// opens the container again, so that no process holds all of them.
const (
	openWall   = 30 * time.Second
	openCPU    = 10 * time.Second
	openMemory = 512 << 20
	openTotal  = 3 * time.Minute
	// openBytes is the size from which on an answer takes no further file.
	openBytes = 16 << 20
)

// insideFile is a file in a container. Only documents have data.
type insideFile struct {
	Path      string
	MediaType string
	Size      int64
	Document  bool
	Readable  bool

	data []byte
}

// insideEnd ends the files of an answer.
type insideEnd struct {
	More bool // further files follow in the next answer
}

// insideFrame is the payload of frameInside; one of both is set.
type insideFrame struct {
	File *insideFile
	End  *insideEnd
}

// errFull ends a walk when the answer takes no further file.
var errFull = errors.New("the answer is full")

// open sends the files in a container.
func (c *child) open(f *os.File, q request) error {
	data, release, err := mapFile(f)
	if err != nil {
		return fmt.Errorf("read document: %w", err)
	}
	defer release()
	defer freeAfter(costly + 1)
	index, sent := 0, 0
	err = container.Walk(data, container.DefaultLimits(), func(file *container.File) error {
		if index++; index <= q.From {
			return nil
		}
		out := &insideFile{Path: file.Path, MediaType: file.MediaType, Size: int64(len(file.Data)), Document: file.Document, Readable: file.Readable}
		if !out.Document {
			return writeJSON(c.out, frameInside, insideFrame{File: out})
		}
		if sent > 0 && sent+len(file.Data) > openBytes {
			return errFull
		}
		sent += max(1, len(file.Data))
		if err := writeJSON(c.out, frameInside, insideFrame{File: out}); err != nil {
			return err
		}
		return c.sendFile(file.Data)
	})
	if err != nil && !errors.Is(err, errFull) {
		return err
	}
	return writeJSON(c.out, frameInside, insideFrame{End: &insideEnd{More: err != nil}})
}

// addInside takes a frame with a file or the end of the files.
func (a *answer) addInside(payload []byte) bool {
	frame := insideFrame{}
	if json.Unmarshal(payload, &frame) != nil || a.end != nil || (frame.File == nil) == (frame.End == nil) {
		return false
	}
	if frame.End != nil {
		a.end = frame.End
		return true
	}
	a.inside = append(a.inside, *frame.File)
	return len(a.inside) <= container.DefaultLimits().Entries
}

// Open calls visit with each file in a container. A container at fault gives an
// *extraction.Failure; visit may have been called before.
func (p *Pool) Open(ctx context.Context, path string, visit func(extraction.ContainedFile) error) error {
	ctx, cancel := context.WithTimeout(ctx, openTotal)
	defer cancel()
	limits := container.DefaultLimits()
	total := int64(0)
	for from := 0; ; {
		b := &budget{memory: max(p.config.Memory, openMemory), wall: openWall}
		if hardLimit {
			b.cpu = openCPU
		}
		a, err := p.do(ctx, b, request{Operation: opOpen, Path: path, From: from}, false)
		if err != nil {
			return lateOver(ctx, err)
		}
		if a.end == nil || a.end.More && len(a.inside) == 0 {
			return errProtocol
		}
		for i := range a.inside {
			f := &a.inside[i]
			total += int64(len(f.data))
			if f.Document && f.Size != int64(len(f.data)) || total > limits.Total {
				return errProtocol
			}
			err := visit(extraction.ContainedFile{Path: f.Path, MediaType: f.MediaType, SizeBytes: f.Size, Data: f.data, Document: f.Document, Readable: f.Readable})
			if err != nil {
				return err
			}
			f.data = nil
		}
		if from += len(a.inside); from > limits.Entries {
			return errProtocol
		}
		if !a.end.More {
			return nil
		}
	}
}
