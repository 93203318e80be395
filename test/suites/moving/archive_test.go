package moving

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// member is a member of a forged archive.
type member struct {
	header tar.Header
	body   []byte
}

func unpack(t *testing.T, file string) (out []member) {
	t.Helper()
	r := tar.NewReader(bytes.NewReader(read(t, file)))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		must(t, err)
		body, err := io.ReadAll(r)
		must(t, err)
		out = append(out, member{*h, body})
	}
}

// pack writes members to a new file.
func pack(t *testing.T, members []member) string {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, m := range members {
		m.header.Size = int64(len(m.body))
		if m.header.Typeflag != tar.TypeReg {
			m.header.Size = 0
		}
		must(t, w.WriteHeader(&m.header))
		if m.header.Size > 0 {
			_, err := w.Write(m.body)
			must(t, err)
		}
	}
	must(t, w.Close())
	return write(t, out.Bytes())
}

func write(t *testing.T, content []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "forged.tar")
	must(t, os.WriteFile(file, content, 0o600))
	return file
}

func plain(name string, body []byte) member {
	return member{tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}, body}
}

// place returns the index of the first member with the prefix.
func place(t *testing.T, members []member, prefix string) int {
	t.Helper()
	for i, m := range members {
		if strings.HasPrefix(m.header.Name, prefix) {
			return i
		}
	}
	t.Fatalf("no member %s", prefix)
	return -1
}

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// sign sets checksums that match a changed manifest.
func sign(t *testing.T, members []member, change func(manifest map[string]any)) []member {
	t.Helper()
	at := place(t, members, "manifest.json")
	var manifest map[string]any
	must(t, json.Unmarshal(members[at].body, &manifest))
	change(manifest)
	text, err := json.Marshal(manifest)
	must(t, err)
	members[at].body = text
	members[at+1].body = []byte(sumOf(text) + "  manifest.json\n")
	return members
}
