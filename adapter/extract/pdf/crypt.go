package pdf

import (
	"bufio"
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"io"
)

// method is the encryption method of a crypt filter (7.6.6).
type method uint8

const (
	plain method = iota
	useRC4
	useAES128
	useAES256
)

// crypt decrypts the strings and streams of a document that opens without a password
// (7.6). Such a document only restricts the functions of viewers; reading it is
// allowed.
type crypt struct {
	key      []byte
	streams  method
	texts    method
	files    method // of embedded files
	named    map[name]method
	metadata bool // metadata streams are encrypted too
}

// objectKey derives the key of one object (7.6.3.2, algorithm 1).
func (c *crypt) objectKey(m method, id ref) []byte {
	if m == useAES256 {
		return c.key
	}
	h := md5.New()
	h.Write(c.key)
	var n [4]byte
	binary.LittleEndian.PutUint32(n[:], id.num)
	h.Write(n[:3])
	h.Write([]byte{byte(id.gen), byte(id.gen >> 8)})
	if m == useAES128 {
		h.Write([]byte("sAlT"))
	}
	return h.Sum(nil)[:min(len(c.key)+5, 16)]
}

// strings decrypts the strings of an object in place. The object was just parsed, so
// no other code refers to it, and its depth is limited.
func (c *crypt) strings(o object, id ref) {
	if c.texts == plain {
		return
	}
	switch v := o.(type) {
	case array:
		for i, e := range v {
			if s, ok := e.(text); ok {
				v[i] = c.text(s, id)
			} else {
				c.strings(e, id)
			}
		}
	case dict:
		for k, e := range v {
			if s, ok := e.(text); ok {
				v[k] = c.text(s, id)
			} else {
				c.strings(e, id)
			}
		}
	case *stream:
		c.strings(v.dict, id)
	}
}

func (c *crypt) text(s text, id ref) text {
	r, err := decrypt(bytes.NewReader(s), c.texts, c.objectKey(c.texts, id))
	if err != nil {
		return s
	}
	out, err := io.ReadAll(r)
	if err != nil {
		return s
	}
	return out
}

// stream returns the decrypted bytes of a stream, still filtered.
func (c *crypt) stream(s *stream, filters []name, params []dict) (io.Reader, error) {
	m := c.streams
	switch {
	case s.dict["Type"] == name("XRef"):
		m = plain
	case s.dict["Type"] == name("Metadata") && !c.metadata:
		m = plain
	case s.dict["Type"] == name("EmbeddedFile"):
		m = c.files
	}
	for i, f := range filters {
		if f != "Crypt" {
			continue
		}
		which, _ := params[i]["Name"].(name)
		m = c.named[which]
	}
	return decrypt(bytes.NewReader(s.raw), m, c.objectKey(m, s.id))
}

func decrypt(r io.Reader, m method, key []byte) (io.Reader, error) {
	switch m {
	case useRC4:
		k, err := rc4.NewCipher(key)
		if err != nil {
			return nil, err
		}
		return &cipher.StreamReader{S: k, R: r}, nil
	case useAES128, useAES256:
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		var iv [aes.BlockSize]byte
		if _, err := io.ReadFull(r, iv[:]); err != nil {
			return bytes.NewReader(nil), nil //nolint:nilerr // an empty string has no initialization vector
		}
		return &cbcReader{r: bufio.NewReader(r), mode: cipher.NewCBCDecrypter(block, iv[:])}, nil
	}
	return r, nil
}

// cbcReader decrypts block by block and removes the padding of the last block
// (7.6.3.1). It drops an incomplete last block.
type cbcReader struct {
	r     *bufio.Reader
	mode  cipher.BlockMode
	block [aes.BlockSize]byte
	ready []byte
	done  bool
}

func (c *cbcReader) Read(b []byte) (int, error) {
	for len(c.ready) == 0 {
		if c.done {
			return 0, io.EOF
		}
		if err := c.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(b, c.ready)
	c.ready = c.ready[n:]
	return n, nil
}

func (c *cbcReader) fill() error {
	if _, err := io.ReadFull(c.r, c.block[:]); err != nil {
		c.done = true
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil
		}
		return err
	}
	c.mode.CryptBlocks(c.block[:], c.block[:])
	c.ready = c.block[:]
	if _, err := c.r.Peek(1); err != nil {
		c.done = true
		if pad := int(c.block[aes.BlockSize-1]); pad >= 1 && pad <= aes.BlockSize {
			c.ready = c.block[:aes.BlockSize-pad]
		}
	}
	return nil
}
