// Package blobtest contains the contract tests of document.Blobs, which every
// implementation must pass.
package blobtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"docledger/domain/document"
	"docledger/domain/fault"
)

// Run runs the contract tests; open returns an empty store for each test.
func Run(t *testing.T, open func(t testing.TB) document.Blobs) {
	for name, test := range map[string]func(*testing.T, document.Blobs){
		"round trip":     testRoundTrip,
		"missing":        testMissing,
		"source error":   testSourceError,
		"cancelled":      testCancelled,
		"remove":         testRemove,
		"concurrent":     testConcurrent,
		"bounded memory": testMemory,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func put(t *testing.T, blobs document.Blobs, content []byte) string {
	t.Helper()
	key, size, err := blobs.Put(context.Background(), bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	if want := hex.EncodeToString(sum[:]); key != want || size != int64(len(content)) {
		t.Errorf("key %s of %d bytes, want %s of %d", key, size, want, len(content))
	}
	return key
}

func testRoundTrip(t *testing.T, blobs document.Blobs) {
	ctx := context.Background()
	for _, content := range [][]byte{nil, []byte("a"), bytes.Repeat([]byte("0123456789"), 100_000)} {
		key := put(t, blobs, content)
		put(t, blobs, content) // again
		r, err := blobs.Open(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		half := int64(len(content) / 2)
		if _, err := r.Seek(half, io.SeekStart); err != nil {
			t.Error(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, content[half:]) {
			t.Errorf("read %d bytes, want %d (%v)", len(got), len(content)-int(half), err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		path, release, err := blobs.Local(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		if got, err = os.ReadFile(path); err != nil || !bytes.Equal(got, content) {
			t.Errorf("the local file has %d bytes, want %d (%v)", len(got), len(content), err)
		}
		release()
	}
}

func testMissing(t *testing.T, blobs document.Blobs) {
	for _, key := range []string{
		strings.Repeat("0", 64), "", "00", "../../etc/passwd", strings.Repeat("../", 21) + "x", strings.Repeat("A", 64),
	} {
		if _, err := blobs.Open(context.Background(), key); fault.CodeOf(err) != fault.CodeNotFound {
			t.Errorf("open %q: %v", key, err)
		}
		if _, _, err := blobs.Local(context.Background(), key); fault.CodeOf(err) != fault.CodeNotFound {
			t.Errorf("local %q: %v", key, err)
		}
	}
}

// testRemove removes a blob while it is open, and stores it again.
func testRemove(t *testing.T, blobs document.Blobs) {
	ctx := context.Background()
	kept, gone := put(t, blobs, []byte("kept")), put(t, blobs, []byte("removed"))
	for range 2 { // a missing blob is no error
		if err := blobs.Remove(ctx, gone); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := blobs.Open(ctx, gone); fault.CodeOf(err) != fault.CodeNotFound {
		t.Errorf("open a removed blob: %v", err)
	}
	for _, key := range []string{"", "../../etc/passwd"} {
		if err := blobs.Remove(ctx, key); err != nil {
			t.Errorf("remove %q: %v", key, err)
		}
	}
	put(t, blobs, []byte("removed"))
	for _, key := range []string{kept, gone} {
		r, err := blobs.Open(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

var errSource = errors.New("the line was cut")

func testSourceError(t *testing.T, blobs document.Blobs) {
	content := bytes.Repeat([]byte("x"), 300_000)
	broken := io.MultiReader(bytes.NewReader(content), failing{})
	if _, _, err := blobs.Put(context.Background(), broken); err != errSource {
		t.Errorf("error %v, want the error of the source", err)
	}
	sum := sha256.Sum256(content)
	if _, err := blobs.Open(context.Background(), hex.EncodeToString(sum[:])); fault.CodeOf(err) != fault.CodeNotFound {
		t.Errorf("the bytes before the error were stored (%v)", err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errSource }

func testCancelled(t *testing.T, blobs document.Blobs) {
	ctx, cancel := context.WithCancel(context.Background())
	endless := readFunc(func(p []byte) (int, error) {
		cancel()
		return len(p), nil
	})
	if _, _, err := blobs.Put(ctx, endless); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

func testConcurrent(t *testing.T, blobs document.Blobs) {
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			content := bytes.Repeat([]byte{byte(i % 3)}, 100_000)
			key, _, err := blobs.Put(context.Background(), bytes.NewReader(content))
			if err != nil {
				t.Error(err)
				return
			}
			r, err := blobs.Open(context.Background(), key)
			if err != nil {
				t.Error(err)
				return
			}
			got, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(got, content) {
				t.Errorf("read %d bytes (%v)", len(got), err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// testMemory stores 64 MiB and measures the allocated memory.
func testMemory(t *testing.T, blobs document.Blobs) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, size, err := blobs.Put(context.Background(), io.LimitReader(readFunc(func(p []byte) (int, error) { return len(p), nil }), 64<<20))
	runtime.ReadMemStats(&after)
	if err != nil || size != 64<<20 {
		t.Errorf("stored %d bytes (%v)", size, err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
		t.Errorf("allocated %d MiB", grown>>20)
	}
}
