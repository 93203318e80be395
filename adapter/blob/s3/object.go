package s3

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"docledger/adapter/blob/spool"

	"github.com/minio/minio-go/v7"
)

// resumes is the maximum number of consecutive reconnects without progress after a
// broken connection.
const resumes = 3

// object reads one blob. Seek makes no request; the next Read does.
type object struct {
	ctx   context.Context
	store *Store
	key   string
	size  int64

	at     int64 // offset of the next byte to read
	body   io.ReadCloser
	bodyAt int64 // offset of the next byte of body

	hash   hash.Hash
	hashed int64 // number of leading bytes that hash includes
}

// Read implements io.Reader.
func (o *object) Read(p []byte) (int, error) {
	if o.at >= o.size {
		return 0, io.EOF
	}
	if len(p) == 0 {
		return 0, nil
	}
	for try := 0; ; try++ {
		n, err := o.read(p)
		if n > 0 {
			return o.count(p[:n])
		}
		if o.ctx.Err() != nil {
			return 0, o.ctx.Err()
		}
		if try == resumes || o.body == nil { // each request has separate retries
			return 0, err
		}
		o.drop()
	}
}

// read reads from a request that is positioned at the next byte.
func (o *object) read(p []byte) (int, error) {
	if o.body != nil && o.bodyAt != o.at {
		o.drop()
	}
	if o.body == nil {
		if err := o.request(); err != nil {
			return 0, err
		}
	}
	n, err := o.body.Read(p)
	o.bodyAt += int64(n)
	if n > 0 {
		return n, nil
	}
	return 0, spool.Unavailable("read the blob", errors.Join(io.ErrUnexpectedEOF, err))
}

// count records the bytes that were read. At the end it compares the hash of the
// content with the key.
func (o *object) count(p []byte) (int, error) {
	if o.at == o.hashed {
		o.hash.Write(p)
		o.hashed += int64(len(p))
		if o.hashed == o.size && hex.EncodeToString(o.hash.Sum(nil)) != o.key {
			return 0, fmt.Errorf("the content of %s in the object store has changed", o.key)
		}
	}
	o.at += int64(len(p))
	return len(p), nil
}

// request requests the bytes from the next one on.
func (o *object) request() error {
	var options minio.GetObjectOptions
	if o.at > 0 {
		if err := options.SetRange(o.at, 0); err != nil {
			return fmt.Errorf("request a part of the blob: %w", err)
		}
	}
	body, info, _, err := o.store.client.GetObject(o.ctx, o.store.bucket, o.store.name(o.key), options)
	if err != nil {
		return o.store.failed(o.ctx, "open the blob", err)
	}
	o.body, o.bodyAt = body, o.at
	if o.at == 0 {
		o.size = info.Size
	}
	return nil
}

// Seek implements io.Seeker.
func (o *object) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += o.at
	case io.SeekEnd:
		offset += o.size
	}
	if offset < 0 || whence < io.SeekStart || whence > io.SeekEnd {
		return 0, errors.New("seek before the start of the blob")
	}
	o.at = offset
	return offset, nil
}

// Close implements io.Closer.
func (o *object) Close() error {
	o.drop()
	return nil
}

// drop ends the request. Its error adds nothing to the error of the read.
func (o *object) drop() {
	if o.body != nil {
		_ = o.body.Close()
		o.body = nil
	}
}
