// Package s3 stores the bytes of documents in a bucket of an object store with the
// Amazon S3 protocol.
package s3

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"docledger/adapter/blob/spool"
	"docledger/domain/document"
	"docledger/domain/fault"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

const (
	// tries is the maximum number of attempts of one request. With the delays between
	// them, an unreachable store fails after about two seconds.
	tries = 4
	// partSize is the size of an upload part, and the size above which an upload uses
	// parts. The interface allows 5 GiB in one part and 10,000 parts.
	partSize       = 64 << 20
	parallelParts  = 2
	dialTimeout    = 3 * time.Second
	answerTimeout  = time.Minute // for the first byte; joining a large upload takes time
	idleTimeout    = 90 * time.Second
	idlePerStore   = 32
	checksumHeader = "X-Amz-Checksum-Sha256"
)

// Options configure the bucket.
type Options struct {
	URL       string // address of the store, without path: http or https
	Region    string
	Bucket    string
	Prefix    string // prefix of every object name; "" for none
	AccessKey string
	SecretKey string
	PathStyle bool   // the bucket is in the path of URLs, not in their host
	SpoolDir  string // local folder for files in transfer; processes may share it

	Transport http.RoundTripper // nil for a transport with timeouts
}

// Store implements document.Blobs. A blob is the object prefix/ab/cd/abcd…, named by
// its SHA-256. The upload includes the SHA-256, so that the store verifies it too. An
// object appears completely or not at all. Uploaded bytes are in a local file until
// their hash, which is their name, is known.
type Store struct {
	client *minio.Core
	bucket string
	region string
	prefix string
	spool  *spool.Spool
}

var _ document.Blobs = (*Store)(nil)

// New returns a store. It connects on first use.
func New(o Options) (*Store, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" {
		return nil, errors.New("the address of the object store is not a URL")
	}
	transport := o.Transport
	if transport == nil {
		transport = newTransport()
	}
	lookup := minio.BucketLookupAuto
	if o.PathStyle {
		lookup = minio.BucketLookupPath
	}
	client, err := minio.NewCore(u.Host, &minio.Options{
		Creds: credentials.NewStaticV4(o.AccessKey, o.SecretKey, ""), Secure: u.Scheme == "https", Region: o.Region,
		BucketLookup: lookup, Transport: transport, MaxRetries: tries,
	})
	if err != nil {
		return nil, fmt.Errorf("set up the object store's client: %w", err)
	}
	files, err := spool.Open(o.SpoolDir)
	if err != nil {
		return nil, err
	}
	return &Store{client: client, bucket: o.Bucket, region: o.Region, prefix: o.Prefix, spool: files}, nil
}

func newTransport() http.RoundTripper {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: dialTimeout, ResponseHeaderTimeout: answerTimeout, IdleConnTimeout: idleTimeout,
		MaxIdleConnsPerHost: idlePerStore,
		DisableCompression:  true, // the client must receive the stored bytes and sizes
	}
}

// Prepare creates the bucket if it does not exist.
func (s *Store) Prepare(ctx context.Context) error {
	there, err := s.client.BucketExists(ctx, s.bucket)
	if err != nil {
		return fmt.Errorf("look for the bucket: %w", err)
	}
	if there {
		return nil
	}
	err = s.client.MakeBucket(ctx, s.bucket, minio.MakeBucketOptions{Region: s.region})
	if code := minio.ToErrorResponse(err).Code; err != nil && code != minio.BucketAlreadyOwnedByYou {
		return fmt.Errorf("create the bucket: %w", err)
	}
	return nil
}

// Put implements document.Blobs.
func (s *Store) Put(ctx context.Context, r io.Reader) (key string, size int64, err error) {
	file, err := s.spool.Create()
	if err != nil {
		return "", 0, err
	}
	defer discard(file)
	if key, size, err = spool.Copy(ctx, file, r); err != nil {
		return "", 0, err
	}
	if err := s.upload(ctx, file, key, size); err != nil {
		return "", 0, err
	}
	return key, size, nil
}

func (s *Store) upload(ctx context.Context, file *os.File, key string, size int64) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return spool.Unavailable("read the spool file", err)
	}
	options := minio.PutObjectOptions{
		PartSize: partSize, NumThreads: parallelParts,
		// Some servers leave the chunk of an empty signed upload on the connection,
		// where it breaks the next request.
		DisableContentSha256: size == 0,
	}
	if size <= partSize { // an object in parts has a different checksum
		sum, err := hex.DecodeString(key)
		if err != nil {
			return fmt.Errorf("read the hash: %w", err)
		}
		options.UserMetadata = map[string]string{checksumHeader: base64.StdEncoding.EncodeToString(sum)}
	}
	if _, err := s.client.Client.PutObject(ctx, s.bucket, s.name(key), file, size, options); err != nil {
		return s.failed(ctx, "store the blob", err)
	}
	stored, err := s.client.StatObject(ctx, s.bucket, s.name(key), minio.StatObjectOptions{})
	if err != nil {
		return s.failed(ctx, "check the stored blob", err)
	}
	if stored.Size != size {
		return spool.Unavailable("store the blob", fmt.Errorf("%d bytes were sent and %d stored", size, stored.Size))
	}
	return nil
}

// Open implements document.Blobs. A reader that reads a blob from the first byte to
// the last gets an error instead of io.EOF if the bytes differ from the stored ones.
func (s *Store) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !spool.Valid(key) {
		return nil, fault.Missing("file")
	}
	o := &object{ctx: ctx, store: s, key: key, hash: sha256.New()}
	if err := o.request(); err != nil {
		return nil, err
	}
	return o, nil
}

// Local implements document.Blobs.
func (s *Store) Local(ctx context.Context, key string) (_ string, release func(), err error) {
	source, err := s.Open(ctx, key)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	file, err := s.spool.Create()
	if err != nil {
		return "", nil, err
	}
	if _, _, err := spool.Copy(ctx, file, source); err != nil {
		discard(file)
		return "", nil, err
	}
	return file.Name(), func() { discard(file) }, nil
}

// Remove implements document.Blobs.
func (s *Store) Remove(ctx context.Context, key string) error {
	if !spool.Valid(key) {
		return nil
	}
	err := s.client.RemoveObject(ctx, s.bucket, s.name(key), minio.RemoveObjectOptions{})
	if err == nil || minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return nil
	}
	return s.failed(ctx, "remove the blob", err)
}

// failed converts an error into one that a caller may see.
func (s *Store) failed(ctx context.Context, doing string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return fault.Missing("file")
	}
	return spool.Unavailable(doing, err)
}

func (s *Store) name(key string) string {
	name := key[:2] + "/" + key[2:4] + "/" + key
	if s.prefix != "" {
		name = s.prefix + "/" + name
	}
	return name
}

// discard removes a spool file. The next start removes a file that cannot be removed
// now.
func discard(file *os.File) {
	_ = os.Remove(file.Name())
	_ = file.Close()
}
