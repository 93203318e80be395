package toolserver

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"io"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// splices are the answers of the calls of one request. The protocol library would parse and copy
// each answer ten times, which takes longer than the call. It gets marks instead, and the answers
// replace the marks when the response is written.
type splices struct {
	mu    sync.Mutex
	marks []mark
}

// mark is a JSON text that the answer replaces. It is random, so that no argument can contain it.
type mark struct {
	text   []byte
	answer []byte
	quoted bool // the answer replaces it as a JSON string
}

// answered returns the result of a call as data and as text, because some
// clients support only one of them.
func (s *splices) answered(text []byte) *mcp.CallToolResult {
	if s == nil || !isOneLine(text) {
		return &mcp.CallToolResult{StructuredContent: json.RawMessage(text), Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}
	}
	name := rand.Text()
	shown, data := "text-"+name, []byte(`{"data-`+name+`":0}`)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks = append(s.marks, mark{text: []byte(`"` + shown + `"`), answer: text, quoted: true}, mark{text: data, answer: text})
	return &mcp.CallToolResult{StructuredContent: json.RawMessage(data), Content: []mcp.Content{&mcp.TextContent{Text: shown}}}
}

// isOneLine reports whether a JSON text has no control characters. A line break between its values
// would end an event.
func isOneLine(text []byte) bool {
	return !slices.ContainsFunc(text, func(c byte) bool { return c < ' ' })
}

// write writes part of a response with the answers instead of their marks.
func (s *splices) write(w io.Writer, p []byte) error {
	type place struct {
		at int
		mark
	}
	var places []place
	s.mu.Lock()
	s.marks = slices.DeleteFunc(s.marks, func(m mark) bool {
		at := bytes.Index(p, m.text)
		if at >= 0 {
			places = append(places, place{at, m})
		}
		return at >= 0
	})
	s.mu.Unlock()
	if len(places) == 0 {
		_, err := w.Write(p)
		return err
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	// One write needs fewer calls of the system than one for each part.
	size := len(p)
	for _, one := range places {
		size += len(one.answer)
		if one.quoted {
			size += len(`""`) + bytes.Count(one.answer, []byte{'"'}) + bytes.Count(one.answer, []byte{'\\'})
		}
	}
	out, done := make([]byte, 0, size), 0
	for _, one := range places {
		out = append(out, p[done:one.at]...)
		if one.quoted {
			out = appendQuoted(out, one.answer)
		} else {
			out = append(out, one.answer...)
		}
		done = one.at + len(one.text)
	}
	_, err := w.Write(append(out, p[done:]...))
	return err
}

// appendQuoted appends a text without control characters as a JSON string.
func appendQuoted(out, text []byte) []byte {
	out = append(out, '"')
	for {
		n := bytes.IndexAny(text, `"\`)
		if n < 0 {
			return append(append(out, text...), '"')
		}
		out = append(append(out, text[:n]...), '\\', text[n])
		text = text[n+1:]
	}
}
