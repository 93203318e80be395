// Package s3 keeps the bytes of documents in a bucket of an object store that
// speaks the protocol of Amazon S3.
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
	// tries bounds how often one request is sent: with the pauses between them a
	// store that is out of reach is given up after some two seconds.
	tries = 4
	// partSize is where an upload begins to go in parts, and how large they are.
	// The interface takes 5 GiB in one part and 10,000 parts.
	partSize       = 64 << 20
	parallelParts  = 2
	dialTimeout    = 3 * time.Second
	answerTimeout  = time.Minute // of the first byte; a large upload takes its time to be joined
	idleTimeout    = 90 * time.Second
	idlePerStore   = 32
	checksumHeader = "X-Amz-Checksum-Sha256"
)

// Options say where the bucket is.
type Options struct {
	URL       string // of the store, without path: http or https
	Region    string
	Bucket    string
	Prefix    string // of every name in the bucket; "" for none
	AccessKey string
	SecretKey string
	PathStyle bool   // the bucket stands in the path of URLs rather than in their host
	SpoolDir  string // for files on their way; local, and this process's or shared

	Transport http.RoundTripper // nil for one with time-outs
}

// Store implements document.Blobs. A blob is the object prefix/ab/cd/abcd…,
// named by its SHA-256, which is sent along so that the store checks it too. An
// object appears whole or not at all. Bytes on their way in lie in a local file
// until their hash, which is their name, is known.
type Store struct {
	client *minio.Core
	bucket string
	region string
	prefix string
	spool  *spool.Spool
}

var _ document.Blobs = (*Store)(nil)

// New connects when it is used, not before.
func New(o Options) (*Store, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" {
		return nil, errors.New("the address of the object store is no URL")
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
		DisableCompression:  true, // bytes and sizes are those that were stored
	}
}

// Prepare makes the bucket where there is none.
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
		return fmt.Errorf("make the bucket: %w", err)
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
		// Signed in chunks, nothing at all would still be sent as a chunk, which
		// some servers leave on the connection for the next request to trip over.
		DisableContentSha256: size == 0,
	}
	if size <= partSize { // the checksum of an object in parts is another
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
		return s.failed(ctx, "look at the stored blob", err)
	}
	if stored.Size != size {
		return spool.Unavailable("store the blob", fmt.Errorf("%d bytes were sent and %d stored", size, stored.Size))
	}
	return nil
}

// Open implements document.Blobs. Whoever reads a blob from its first byte to
// its last gets an error in place of the end if the bytes are not those that
// were stored.
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

// failed says what went wrong as a caller may see it.
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

// discard ends a spool file; what can't be removed now, the next start removes.
func discard(file *os.File) {
	_ = os.Remove(file.Name())
	_ = file.Close()
}
