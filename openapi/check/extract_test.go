package check_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"docledger/openapi/check"
)

func extract(document string, path ...string) (rest string, file []byte, moved bool, err error) {
	var out bytes.Buffer
	x := check.Extraction{Path: path, Inline: 8, Max: 1000, File: func() (io.Writer, error) { return &out, nil }}
	got, moved, err := x.Read(iotest.OneByteReader(strings.NewReader(document)))
	return string(got), out.Bytes(), moved, err
}

func TestALongTextIsMovedOutOfItsDocument(t *testing.T) {
	t.Parallel()
	want := bytes.Repeat([]byte{0xfb, 0xff, 'a'}, 20)
	text := base64.StdEncoding.EncodeToString(want)
	broken := text[:10] + `\n` + text[10:20] + `\r\n` + text[20:]
	escaped := strings.ReplaceAll(strings.ReplaceAll(text, "/", `\/`), "+", `\u002b`)
	for _, written := range []string{text, broken, escaped, text[:4] + "\n" + text[4:]} {
		if strings.Contains(written, "\n") && !strings.Contains(written, `\n`) {
			continue // a raw line break is no JSON
		}
		rest, file, moved, err := extract(`{"entity_id":"x","content":"`+written+`","list":[{"content":"a long text that stays"}]}`, "content")
		if err != nil || !moved || !bytes.Equal(file, want) || rest != `{"entity_id":"x","content":"AA==","list":[{"content":"a long text that stays"}]}` {
			t.Errorf("%q: %q, %d bytes, %v, %v", written, rest, len(file), moved, err)
		}
	}
	rest, file, moved, err := extract(`{"id":1,"params":{"name":"upload_document","arguments":{"content":"`+text+`"}}}`, "params", "arguments", "content")
	if err != nil || !moved || !bytes.Equal(file, want) || !json.Valid([]byte(rest)) {
		t.Errorf("nested: %q, %v, %v", rest, moved, err)
	}
}

func TestOtherTextsStay(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("QUJD", 10)
	for _, document := range []string{
		`{"content":"QUJD"}`, `{"other":"` + long + `"}`, `["content","` + long + `"]`, `{"a":{"content":"` + long + `"}}`,
		`{"content":["` + long + `"]}`, `{"content":{"content":"` + long + `"}}`, `[{"content":"` + long + `"}]`, `{"con\"tent":"` + long + `"}`,
		`{"a":"content","b":"` + long + `"}`, `"` + long + `"`, `{"content`, `{"content":"QU`, ``, `}]{"content":1}`,
	} {
		rest, file, moved, err := extract(document, "content")
		if err != nil || moved || rest != document || len(file) > 0 {
			t.Errorf("%s: %q, %v, %v", document, rest, moved, err)
		}
	}
}

func TestATextThatIsNoBase64IsInvalid(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("QUJD", 10)
	for _, text := range []string{long + "!", long + "Q", "QQ==" + long, long + "=", long + "QQ==QQ==", long + `\t`, long + `\u00e9`, long + `\"` + long, long + `\uZZZZ`, long + "\x01"} {
		rest, _, moved, err := extract(`{"content":"`+text+`"}`, "content")
		if err != nil || moved || rest != `{"content":"!"}` {
			t.Errorf("%s: %q, %v, %v", text, rest, moved, err)
		}
	}
	// The second text of a repeated key stays, so that the validation refuses the key.
	rest, _, _, err := extract(`{"content":"`+long+`","content":"`+long+`"}`, "content")
	if err != nil || rest != `{"content":"AA==","content":"`+long+`"}` {
		t.Errorf("a repeated key: %q, %v", rest, err)
	}
	if rest, _, moved, err := extract(`{"content":"`+long, "content"); err != nil || moved || json.Valid([]byte(rest)) {
		t.Errorf("an incomplete text: %q, %v, %v", rest, moved, err)
	}
}

func TestAnExtractionIsBounded(t *testing.T) {
	t.Parallel()
	if _, _, _, err := extract(`{"a":"`+strings.Repeat("x", 1000)+`"}`, "content"); !errors.Is(err, check.ErrDocumentTooLong) {
		t.Errorf("a long document: %v", err)
	}
	failure := errors.New("failure")
	x := check.Extraction{Path: []string{"content"}, Inline: 8, Max: 1000, File: func() (io.Writer, error) { return io.Discard, nil }}
	long := `{"content":"` + strings.Repeat("QUJD", 100)
	if _, _, err := x.Read(io.MultiReader(strings.NewReader(long), iotest.ErrReader(failure))); !errors.Is(err, failure) {
		t.Errorf("a source that fails: %v", err)
	}
	reserved := int64(0)
	x.Grow = func(n int64) error {
		reserved += n
		return nil
	}
	if _, _, err := x.Read(strings.NewReader(`{"content":"` + strings.Repeat("QUJD", 1<<20) + `"}`)); err != nil || reserved > 1<<20 {
		t.Errorf("%d bytes reserved, %v", reserved, err)
	}
	x.Grow = func(int64) error { return failure }
	if _, _, err := x.Read(strings.NewReader(long)); !errors.Is(err, failure) {
		t.Errorf("without memory: %v", err)
	}
}

// TestAShortDocumentTakesLittleMemory checks that the buffers of an extraction are used again.
func TestAShortDocumentTakesLittleMemory(t *testing.T) {
	// Not parallel: it measures the allocations of the process.
	const documents, limit = 100, 64 << 10
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range documents {
		if _, _, moved, err := extract(`{"content":"`+strings.Repeat("QUJD", 10)+`"}`, "content"); err != nil || !moved {
			t.Fatal(moved, err)
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / documents; each > limit {
		t.Errorf("a short document takes %d bytes of memory", each)
	}
}
