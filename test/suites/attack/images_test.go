//go:build linux

package attack

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/adapter/extract/pdf/pdftest"
)

// packed returns n zeros, compressed.
func packed(n int) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	block := make([]byte, 1<<20)
	for left := n; left > 0; left -= len(block) {
		_, _ = w.Write(block[:min(left, len(block))])
	}
	_ = w.Close()
	return out.Bytes()
}

// png returns an image of zeros with the size that it states.
func png(width, height uint32, data []byte) []byte {
	out := bytes.NewBufferString("\x89PNG\r\n\x1a\n")
	chunk := func(name string, body []byte) {
		_ = binary.Write(out, binary.BigEndian, uint32(len(body))) //nolint:gosec // small
		at := out.Len()
		out.WriteString(name)
		out.Write(body)
		_ = binary.Write(out, binary.BigEndian, crc32.ChecksumIEEE(out.Bytes()[at:]))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	chunk("IHDR", append(head, 8, 0, 0, 0, 0))
	chunk("IDAT", data)
	chunk("IEND", nil)
	return out.Bytes()
}

// tiff returns a file of directories, of which the last refers to the first one.
func tiff(directories int) []byte {
	out := []byte("II*\x00\x08\x00\x00\x00")
	const size = 2 + 2*12 + 4
	for i := range directories {
		next := uint32(8 + (i+1)%directories*size) //nolint:gosec // small
		out = binary.LittleEndian.AppendUint16(out, 2)
		for _, tag := range []uint16{256, 257} { // width and height
			out = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(out, tag), 4)
			out = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(out, 1), 60_000)
		}
		out = binary.LittleEndian.AppendUint32(out, next)
	}
	return out
}

// drawn returns a PDF of one page that draws an image of zeros many times.
func drawn(width, height, times int) []byte {
	b := pdftest.New()
	image := b.Stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8 /ColorSpace /DeviceGray /Filter /FlateDecode", width, height), packed(width*height))
	text := b.Stream("/Filter /FlateDecode", pdftest.Deflate([]byte(strings.Repeat("q 600 0 0 780 0 0 cm /I Do Q\n", times))))
	tree := b.Reserve()
	page := b.Add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 14400 14400] /Resources << /XObject << /I %d 0 R >> >> /Contents %d 0 R >>", tree, image, text)
	b.Set(tree, fmt.Sprintf("<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", page))
	b.Catalog = fmt.Sprintf("/Pages %d 0 R", tree)
	return b.Table()
}

// hostileImages are small files that are expensive to show.
func hostileImages() map[string][]byte {
	const side = 30_000
	return map[string][]byte{
		"a bomb.png":           png(side, side, packed(200<<20)),
		"an empty giant.png":   png(1<<31-1, 1<<31-1, nil),
		"a cut giant.jpg":      append([]byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xc0\x00\x0b\x08\xff\xff\xff\xff\x01\x01\x11\x00"), bytes.Repeat([]byte("\xff\xd9\x00"), 300_000)...),
		"a loop.tif":           tiff(1),
		"many pages.tif":       tiff(50_000),
		"a bomb in a page.pdf": drawn(20_000, 10_000, 2_000),
	}
}

// TestHostileImages sends 50 files at once to each form of the upload, and then asks for the images
// of their pages, 50 at once, while another caller uses the API.
func TestHostileImages(t *testing.T) {
	p := start(t)
	base := p.values["BASE_URL"]
	entity := p.json("GET", base+"/api/entities", p.token, "")["items"].([]any)[0].(map[string]any)["id"].(string)
	images := hostileImages()
	names := slices.Sorted(maps.Keys(images))
	idle := p.memory("VmRSS")
	var mu sync.Mutex
	documents := map[string]bool{}
	salt := 0
	upload := func(form bool) func(int) string {
		salt++
		mark := fmt.Appendf(nil, "%d", salt)
		return func(i int) string {
			name := names[i%len(names)]
			// Each file is another one, so that none is a duplicate.
			content := slices.Concat(images[name], mark, fmt.Appendf(nil, " %d", i))
			contentType, body := js, fmt.Sprintf(`{"entity_id":%q,"filename":%q,"content":%q}`, entity, name, base64.StdEncoding.EncodeToString(content))
			if form {
				contentType = "multipart/form-data; boundary=boundary"
				body = "--boundary\r\nContent-Disposition: form-data; name=\"entity_id\"\r\n\r\n" + entity +
					"\r\n--boundary\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name + "\"\r\n\r\n" + string(content) + "\r\n--boundary--\r\n"
			} else if len(body) > jsonBytes {
				return "" // too large for JSON, which TestHostileBodies covers
			}
			status, answer, err := p.send("POST", base+"/api/documents/upload", p.token, contentType, strings.NewReader(body))
			if err != nil {
				return err.Error()
			}
			var document struct{ ID string }
			if status == http.StatusOK && json.Unmarshal(answer, &document) == nil {
				mu.Lock()
				documents[document.ID] = true
				mu.Unlock()
				return ""
			}
			if status >= http.StatusInternalServerError && status != http.StatusServiceUnavailable || status == http.StatusUnauthorized {
				return fmt.Sprintf("%s: %d %.300s", name, status, answer)
			}
			return ""
		}
	}
	show := func(i int) string {
		mu.Lock()
		ids := slices.Sorted(maps.Keys(documents))
		mu.Unlock()
		id := ids[i%len(ids)]
		status, answer, err := p.send("GET", base+"/api/documents/"+id+"/pages/1?width=2000", p.token, js, nil)
		if err != nil {
			return err.Error()
		}
		if status >= http.StatusInternalServerError && status != http.StatusServiceUnavailable {
			return fmt.Sprintf("page of %s: %d %.300s", id, status, answer)
		}
		return ""
	}
	for _, e := range []struct {
		name string
		one  func() func(int) string
	}{
		{"a form", func() func(int) string { return upload(true) }},
		{"JSON", func() func(int) string { return upload(false) }},
		{"pages", func() func(int) string { return show }},
	} {
		t.Run(e.name, func(t *testing.T) {
			for attempt := 1; ; attempt++ {
				one := e.one()
				var slowest time.Duration
				grown := p.above(idle, func() {
					var running sync.WaitGroup
					for i := range atOnce {
						running.Go(func() {
							if fault := one(i); fault != "" {
								t.Error(fault)
							}
						})
					}
					done := make(chan struct{})
					go func() { running.Wait(); close(done) }()
					slowest = p.others(t, 100, done)
				})
				t.Logf("%d files, %d MB above idle, others' p99 %v", len(documents), grown>>20, slowest)
				if grown > mostMemory {
					t.Errorf("%d MB above idle, more than %d", grown>>20, mostMemory>>20)
				}
				if slowest <= mostP99 {
					return
				}
				if attempt == attempts {
					t.Fatalf("others' p99 is %v in each of %d attempts, more than %v", slowest, attempts, mostP99)
				}
			}
		})
	}
	if len(documents) < atOnce {
		t.Errorf("only %d files were accepted", len(documents))
	}
}
