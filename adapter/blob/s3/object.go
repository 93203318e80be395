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

// resumes bounds how often in a row reading goes on after a cut connection
// without getting a byte further.
const resumes = 3

// object reads one blob. Seeking costs nothing until the next byte is read.
type object struct {
	ctx   context.Context
	store *Store
	key   string
	size  int64

	at     int64 // the next byte to be read
	body   io.ReadCloser
	bodyAt int64 // the next byte of body

	hash   hash.Hash
	hashed int64 // so many bytes from the first one on are in hash
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
		if try == resumes || o.body == nil { // a request has its own tries
			return 0, err
		}
		o.drop()
	}
}

// read reads from a request that stands at the next byte.
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

// count takes what was read, and holds the whole against its name.
func (o *object) count(p []byte) (int, error) {
	if o.at == o.hashed {
		o.hash.Write(p)
		o.hashed += int64(len(p))
		if o.hashed == o.size && hex.EncodeToString(o.hash.Sum(nil)) != o.key {
			return 0, fmt.Errorf("the object store has other bytes under %s than were stored", o.key)
		}
	}
	o.at += int64(len(p))
	return len(p), nil
}

// request asks for the bytes from the next one on.
func (o *object) request() error {
	var options minio.GetObjectOptions
	if o.at > 0 {
		if err := options.SetRange(o.at, 0); err != nil {
			return fmt.Errorf("ask for a part of the blob: %w", err)
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
		return 0, errors.New("seek before the beginning of a blob")
	}
	o.at = offset
	return offset, nil
}

// Close implements io.Closer.
func (o *object) Close() error {
	o.drop()
	return nil
}

// drop ends the request. Its error tells nothing that reading has not told.
func (o *object) drop() {
	if o.body != nil {
		_ = o.body.Close()
		o.body = nil
	}
}
