package s3_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"docledger/adapter/blob/blobtest"
	"docledger/adapter/blob/s3"
	"docledger/domain/document"
	"docledger/domain/fault"
	"docledger/test/lib/objectstore"
)

const bucket = "documents"

// options returns the options of a new bucket on the server.
func options(t testing.TB, server *objectstore.Instance) s3.Options {
	t.Helper()
	return s3.Options{
		URL: server.URL, Region: objectstore.Region, Bucket: bucket, Prefix: "installation", SpoolDir: t.TempDir(), PathStyle: true,
		AccessKey: objectstore.AccessKey, SecretKey: objectstore.SecretKey,
	}
}

func open(t testing.TB, o s3.Options) *s3.Store {
	t.Helper()
	store, err := s3.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// prepared opens a store on a separate server.
func prepared(t testing.TB) (*objectstore.Instance, s3.Options, *s3.Store) {
	t.Helper()
	server := objectstore.New(t)
	o := options(t, server)
	store := open(t, o)
	for range 2 { // the second call finds the bucket
		if err := store.Prepare(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	return server, o, store
}

func TestStore(t *testing.T) {
	// Not parallel: the contract tests measure the allocations of the process.
	server := objectstore.New(t)
	count := 0
	blobtest.Run(t, func(t testing.TB) document.Blobs {
		count++
		o := options(t, server)
		o.Bucket += "-" + string(rune('a'+count))
		store := open(t, o)
		if err := store.Prepare(context.Background()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { wantFiles(t, o.SpoolDir, 0) })
		return store
	})
}

func put(t *testing.T, store *s3.Store, content []byte) string {
	t.Helper()
	key, size, err := store.Put(context.Background(), bytes.NewReader(content))
	if err != nil || size != int64(len(content)) {
		t.Fatalf("stored %d of %d bytes: %v", size, len(content), err)
	}
	return key
}

func read(t *testing.T, store *s3.Store, key string) ([]byte, error) {
	t.Helper()
	r, err := store.Open(context.Background(), key)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

func wantFiles(t testing.TB, dir string, want int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != want {
		t.Errorf("%d files are left, want %d", len(entries), want)
	}
}

// file returns the path of a blob on the server.
func file(server *objectstore.Instance, key string) string {
	return filepath.Join(server.Folder, bucket, "installation", key[:2], key[2:4], key)
}

// TestLargeBlobIsUploadedInParts also checks that the hash is verified on download.
func TestLargeBlobIsUploadedInParts(t *testing.T) {
	t.Parallel()
	server, o, store := prepared(t)
	const size = 130 << 20
	key, n, err := store.Put(context.Background(), io.LimitReader(pattern{}, size))
	if err != nil || n != size {
		t.Fatalf("stored %d bytes: %v", n, err)
	}
	info, err := os.Stat(file(server, key))
	if err != nil || info.Size() != size {
		t.Errorf("the server has %v: %v", info, err)
	}
	path, release, err := store.Local(context.Background(), key)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != size {
		t.Errorf("the local file is %v: %v", info, err)
	}
	wantFiles(t, o.SpoolDir, 1)
	release()
	wantFiles(t, o.SpoolDir, 0)
}

type pattern struct{}

func (pattern) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(i)
	}
	return len(p), nil
}

// TestUploadSendsTheHash checks that the server receives the hash, so that it can
// refuse other bytes.
func TestUploadSendsTheHash(t *testing.T) {
	t.Parallel()
	_, o, _ := prepared(t)
	var hashes sync.Map
	o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPut {
			hashes.Store(r.URL.Path, r.Header.Get("X-Amz-Checksum-Sha256"))
		}
		return http.DefaultTransport.RoundTrip(r)
	})
	content := []byte("hashed")
	key := put(t, open(t, o), content)
	sum := sha256.Sum256(content)
	path := "/" + bucket + "/installation/" + key[:2] + "/" + key[2:4] + "/" + key
	if got, _ := hashes.Load(path); got != base64.StdEncoding.EncodeToString(sum[:]) {
		t.Errorf("it received %v", got)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestRefusedBytesAreNotStored(t *testing.T) {
	t.Parallel()
	_, o, _ := prepared(t)
	o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.Header.Get("X-Amz-Checksum-Sha256") != "" {
			r.Header.Set("X-Amz-Checksum-Sha256", base64.StdEncoding.EncodeToString(make([]byte, sha256.Size)))
		}
		return http.DefaultTransport.RoundTrip(r)
	})
	store := open(t, o)
	_, _, err := store.Put(context.Background(), strings.NewReader("x"))
	if fault.CodeOf(err) != fault.CodeUnavailable {
		t.Errorf("stored with another hash: %v", err)
	}
	sum := sha256.Sum256([]byte("x"))
	if _, err := read(t, store, hex.EncodeToString(sum[:])); fault.CodeOf(err) != fault.CodeNotFound {
		t.Errorf("it can be read: %v", err)
	}
}

// TestReadResumesAfterBrokenConnection checks that a read continues at its position.
func TestReadResumesAfterBrokenConnection(t *testing.T) {
	t.Parallel()
	server, _, store := prepared(t)
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<18) // 4 MiB
	key := put(t, store, content)
	server.CutAfter(1<<20, 3)
	got, err := read(t, store, key)
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("read %d of %d bytes: %v", len(got), len(content), err)
	}
	server.CutAfter(600, 1000) // the response header and little more
	if got, err := read(t, store, key); err == nil || len(got) == len(content) {
		t.Errorf("read %d bytes over a connection that always breaks", len(got))
	}
}

// TestServerErrorsAreRetried checks that a failed request is repeated a limited
// number of times with the whole body.
func TestServerErrorsAreRetried(t *testing.T) {
	t.Parallel()
	_, o, _ := prepared(t)
	var failures, calls atomic.Int32
	o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		calls.Add(1)
		if failures.Add(-1) < 0 {
			return http.DefaultTransport.RoundTrip(r)
		}
		if r.Body != nil {
			_, _ = io.CopyN(io.Discard, r.Body, 10)
		}
		return &http.Response{
			StatusCode: http.StatusServiceUnavailable, Header: http.Header{}, Body: http.NoBody, Request: r,
		}, nil
	})
	store := open(t, o)
	failures.Store(2)
	content := bytes.Repeat([]byte("again"), 1000)
	key := put(t, store, content)
	failures.Store(2)
	if got, err := read(t, store, key); err != nil || !bytes.Equal(got, content) {
		t.Errorf("read %d bytes: %v", len(got), err)
	}
	failures.Store(1000)
	before := calls.Load()
	if _, _, err := store.Put(context.Background(), strings.NewReader("never")); fault.CodeOf(err) != fault.CodeUnavailable {
		t.Errorf("stored by a failing server: %v", err)
	}
	if n := calls.Load() - before; n < 2 || n > 10 {
		t.Errorf("%d tries", n)
	}
	wantFiles(t, o.SpoolDir, 0)
}

func TestChangedBytesAreRefused(t *testing.T) {
	t.Parallel()
	server, o, store := prepared(t)
	content := bytes.Repeat([]byte("true"), 100_000)
	for name, change := range map[string][]byte{
		"changed": append(bytes.Clone(content[:len(content)-1]), 'X'),
		"cut":     content[:len(content)/2],
	} {
		key := put(t, store, content)
		if err := os.WriteFile(file(server, key), change, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := read(t, store, key); err == nil || len(got) == len(content) {
			t.Errorf("%s: read %d bytes", name, len(got))
		}
		if _, _, err := store.Local(context.Background(), key); err == nil {
			t.Errorf("%s: there is a local file", name)
		}
		wantFiles(t, o.SpoolDir, 0)
	}
	key := put(t, store, content) // storing it again repairs it
	if got, err := read(t, store, key); err != nil || !bytes.Equal(got, content) {
		t.Errorf("stored again, it reads %d bytes: %v", len(got), err)
	}
}

// TestUnreachable checks that an unreachable store is reported as unavailable. A
// missing bucket or a wrong key is not reported as a missing blob.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	server, o, store := prepared(t)
	key := put(t, store, []byte("here"))
	noBucket, wrongKey := o, o
	noBucket.Bucket, wrongKey.SecretKey = "none-such", "another"
	for name, store := range map[string]*s3.Store{"no bucket": open(t, noBucket), "wrong key": open(t, wrongKey)} {
		wantUnavailable(t, name, store, key)
	}
	server.Shut()
	wantUnavailable(t, "shut", store, key)
	server.Reopen()
	if got, err := read(t, store, key); err != nil || string(got) != "here" {
		t.Errorf("after it: %q, %v", got, err)
	}
}

func wantUnavailable(t *testing.T, name string, store *s3.Store, key string) {
	t.Helper()
	_, _, putting := store.Put(context.Background(), strings.NewReader("x"))
	_, opening := store.Open(context.Background(), key)
	_, _, local := store.Local(context.Background(), key)
	for what, err := range map[string]error{"put": putting, "open": opening, "local": local} {
		if fault.CodeOf(err) != fault.CodeUnavailable {
			t.Errorf("%s: %s: %v", name, what, err)
		}
		if err != nil && strings.Contains(err.Error(), objectstore.SecretKey) {
			t.Errorf("%s: %s: the error contains the key", name, what)
		}
	}
}

func TestSeek(t *testing.T) {
	t.Parallel()
	_, _, store := prepared(t)
	r, err := store.Open(context.Background(), put(t, store, []byte("0123456789")))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, c := range []struct {
		offset int64
		whence int
		want   string
	}{{7, io.SeekStart, "789"}, {-2, io.SeekEnd, "89"}, {-4, io.SeekCurrent, "6789"}, {0, io.SeekStart, "0123456789"}, {5, io.SeekEnd, ""}} {
		if _, err := r.Seek(c.offset, c.whence); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != c.want {
			t.Errorf("seek %d from %d reads %q, want %q (%v)", c.offset, c.whence, got, c.want, err)
		}
	}
	if _, err := r.Seek(-1, io.SeekStart); err == nil {
		t.Error("a seek before the first byte succeeded")
	}
}

func TestCancelledReadEnds(t *testing.T) {
	t.Parallel()
	_, _, store := prepared(t)
	key := put(t, store, bytes.Repeat([]byte("x"), 1<<20))
	ctx, cancel := context.WithCancel(context.Background())
	r, err := store.Open(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cancel()
	if _, err := io.ReadAll(r); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
