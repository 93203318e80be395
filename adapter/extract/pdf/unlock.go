package pdf

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
)

// padding pads passwords to 32 bytes (7.6.4.3.2). The empty password is only padding.
var padding = []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08" +
	"\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")

// unlock opens an encrypted document with the empty password. errPassword reports
// that the document needs another password or an unsupported method.
func (d *document) unlock() error {
	o, encrypted := d.trailer["Encrypt"]
	if !encrypted || d.get(o) == nil {
		return nil
	}
	m := dictOf(d.get(o))
	if m == nil || d.get(m["Filter"]) != name("Standard") {
		return errPassword
	}
	v, _ := intOf(d.get(m["V"]))
	r, _ := intOf(d.get(m["R"]))
	c := &crypt{metadata: d.get(m["EncryptMetadata"]) != false}
	length := d.keyLength(m, v)
	if !d.methods(c, m, v) {
		return errPassword
	}
	switch {
	case v == 5 && (r == 5 || r == 6):
		c.key = d.key256(m, r)
	case v >= 1 && v <= 4 && r >= 2 && r <= 4:
		c.key = d.key128(m, r, length, c.metadata)
	}
	if c.key == nil {
		return errPassword
	}
	d.crypt = c
	return nil
}

// keyLength returns the length of the file's key in bytes.
func (d *document) keyLength(m dict, v int64) int {
	switch v {
	case 1:
		return 5
	case 4:
		return 16
	}
	bits, ok := intOf(d.get(m["Length"]))
	if !ok || bits < 40 || bits > 128 {
		return 5
	}
	return int(bits / 8)
}

// methods reads the crypt filters (7.6.6). Before version 4 the only method is RC4.
func (d *document) methods(c *crypt, m dict, v int64) bool {
	if v < 4 {
		c.streams, c.texts, c.files = useRC4, useRC4, useRC4
		return true
	}
	c.named = map[name]method{"Identity": plain}
	for key, o := range dictOf(d.get(m["CF"])) {
		switch d.get(dictOf(d.get(o))["CFM"]) {
		case name("V2"):
			c.named[key] = useRC4
		case name("AESV2"):
			c.named[key] = useAES128
		case name("AESV3"):
			c.named[key] = useAES256
		case name("None"):
			c.named[key] = plain
		}
	}
	pick := func(key name, otherwise method) (method, bool) {
		which, stated := d.get(m[key]).(name)
		if !stated {
			return otherwise, true
		}
		found, known := c.named[which]
		return found, known
	}
	var ok1, ok2, ok3 bool
	c.streams, ok1 = pick("StmF", plain)
	c.texts, ok2 = pick("StrF", plain)
	c.files, ok3 = pick("EFF", c.streams)
	return ok1 && ok2 && ok3
}

// key128 computes the key of revisions 2 to 4 from the empty password and verifies it
// (7.6.4.3.2 and 7.6.4.4.4, algorithms 2, 4 and 5). It returns nil if the key does
// not open the document.
func (d *document) key128(m dict, r int64, length int, metadata bool) []byte {
	owner, _ := d.get(m["O"]).(text)
	user, _ := d.get(m["U"]).(text)
	permissions, _ := intOf(d.get(m["P"]))
	var id text
	if ids, _ := d.get(d.trailer["ID"]).(array); len(ids) > 0 {
		id, _ = d.get(ids[0]).(text)
	}
	if len(owner) < 32 || len(user) < 16 {
		return nil
	}
	h := md5.New()
	h.Write(padding)
	h.Write(owner[:32])
	var p [4]byte
	binary.LittleEndian.PutUint32(p[:], uint32(permissions))
	h.Write(p[:])
	h.Write(id)
	if r >= 4 && !metadata {
		h.Write([]byte{0xff, 0xff, 0xff, 0xff})
	}
	key := h.Sum(nil)
	if r >= 3 {
		for range 50 {
			sum := md5.Sum(key[:length])
			key = sum[:]
		}
	}
	key = key[:length]
	if !bytes.HasPrefix(user, proof128(key, r, id)) {
		return nil
	}
	return key
}

// proof128 computes the expected start of /U for a correct key.
func proof128(key []byte, r int64, id []byte) []byte {
	if r == 2 {
		return withRC4(key, 0, padding)
	}
	h := md5.New()
	h.Write(padding)
	h.Write(id)
	sum := h.Sum(nil)
	for i := range 20 {
		sum = withRC4(key, byte(i), sum)
	}
	return sum
}

// withRC4 encrypts in with the key, each byte XORed with x.
func withRC4(key []byte, x byte, in []byte) []byte {
	k := make([]byte, len(key))
	for i := range key {
		k[i] = key[i] ^ x
	}
	c, err := rc4.NewCipher(k)
	if err != nil {
		return nil
	}
	out := make([]byte, len(in))
	c.XORKeyStream(out, in)
	return out
}

// key256 opens revisions 5 and 6 with the empty password (7.6.4.3.3, algorithm 2.A).
// It returns nil if the password does not open the document.
func (d *document) key256(m dict, r int64) []byte {
	user, _ := d.get(m["U"]).(text)
	sealed, _ := d.get(m["UE"]).(text)
	if len(user) < 48 || len(sealed) < 32 {
		return nil
	}
	proofSalt, keySalt := user[32:40], user[40:48]
	if !bytes.Equal(hash256(proofSalt, r), user[:32]) {
		return nil
	}
	block, err := aes.NewCipher(hash256(keySalt, r))
	if err != nil {
		return nil
	}
	key := make([]byte, 32)
	cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(key, sealed[:32])
	return key
}

// hash256 hashes the empty password with a salt (7.6.4.3.4, algorithm 2.B;
// revision 5 stops after the first sum).
func hash256(salt []byte, r int64) []byte {
	first := sha256.Sum256(salt)
	k := first[:]
	if r < 6 {
		return k
	}
	for round := 1; ; round++ {
		in := bytes.Repeat(k, 64)
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		e := make([]byte, len(in))
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(e, in)
		rest := 0
		for _, b := range e[:16] {
			rest += int(b)
		}
		switch rest % 3 {
		case 0:
			sum := sha256.Sum256(e)
			k = sum[:]
		case 1:
			sum := sha512.Sum384(e)
			k = sum[:]
		default:
			sum := sha512.Sum512(e)
			k = sum[:]
		}
		if round >= 64 && int(e[len(e)-1]) <= round-32 {
			return k[:32]
		}
	}
}
