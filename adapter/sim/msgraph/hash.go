package msgraph

import (
	"encoding/base64"
	"encoding/binary"
)

// quickXorHash is the digest of business drives. It XORs each byte into 160 bits, shifted by
// eleven bits more than the byte before it, and the length into the last eight bytes.
func quickXorHash(data []byte) string {
	const bits, shift = 160, 11
	var sum [bits / 8]byte
	at := 0
	for _, b := range data {
		i, off := at/8, at%8
		sum[i] ^= b << off
		sum[(i+1)%len(sum)] ^= byte(uint16(b) << off >> 8)
		at = (at + shift) % bits
	}
	tail := sum[len(sum)-8:]
	binary.LittleEndian.PutUint64(tail, binary.LittleEndian.Uint64(tail)^uint64(len(data)))
	return base64.StdEncoding.EncodeToString(sum[:])
}
