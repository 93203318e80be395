package signed_test

import (
	"bytes"
	"encoding/base64"
	"testing"

	"docledger/adapter/extract/signed"
	"docledger/adapter/extract/signed/signedtest"
	"docledger/test/lib/cputime"
)

// FuzzTime checks that the time for an envelope that repeats any bytes is proportional to its size:
// in the file, among the certificates and the signers, and in Base64.
func FuzzTime(f *testing.F) {
	for _, piece := range []string{
		"\x04\x01a", "\x04\x00", "\x24\x80", "\x24\x80\x04\x01a\x00\x00", "\x24\x84\x00\x00\x00\x03\x04\x01a", "\x30\x80\x00\x00", "\x30\x00",
		"\x31\x80", "\xa0\x80", "\x30\x84\x00\x00\x00\x00", "\x00\x00", "<a/>", "\x1f\x80",
	} {
		f.Add([]byte(piece), uint32(60_000), uint8(0))
		f.Add([]byte(piece), uint32(60_000), uint8(1))
	}
	plain := signedtest.Envelope(f, []byte("<a/>"), "Mario Rossi", at)
	f.Fuzz(func(t *testing.T, piece []byte, times uint32, place uint8) {
		const most = 1 << 20 // bytes
		if len(piece) == 0 || len(piece) > 500 {
			return
		}
		many := bytes.Repeat(piece, min(int(times), most/len(piece)))
		var data []byte
		switch place % 4 {
		case 0: // an octet string of indefinite length
			data = signedtest.Around(t, append([]byte{0x24, 0x80}, append(many, 0, 0)...), "Mario Rossi", at)
		case 1: // anything in the place of the octet string
			data = signedtest.Around(t, many, "Mario Rossi", at)
		case 2: // after the first bytes of an envelope, and without an end
			data = append(bytes.Clone(plain[:40]), many...)
		default:
			data = signedtest.Envelope(t, many, "Mario Rossi", at)
		}
		for _, form := range [][]byte{data, []byte(base64.StdEncoding.EncodeToString(data))} {
			cputime.Within(t, len(form), func() { signed.Open(form) }) //nolint:errcheck // only the time matters
		}
	})
}
