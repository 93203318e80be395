package signed_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"docledger/adapter/extract/signed"
	"docledger/adapter/extract/signed/signedtest"
)

var at = time.Date(2026, 5, 4, 10, 30, 0, 0, time.UTC)

// indefinite encodes an element of indefinite length.
func indefinite(tag byte, parts ...[]byte) []byte {
	return append(append([]byte{tag, 0x80}, bytes.Join(parts, nil)...), 0, 0)
}

func TestEnvelopesOfEveryForm(t *testing.T) {
	t.Parallel()
	content := []byte("<?xml version=\"1.0\"?><a>Prova</a>")
	der := signedtest.Envelope(t, content, "Mario Rossi", at)
	octet := func(s []byte) []byte { return append([]byte{0x04, byte(len(s))}, s...) }
	parts := indefinite(0x24, octet(content[:10]), octet(content[10:]))
	lines := base64.StdEncoding.EncodeToString(der)
	var wrapped strings.Builder
	for i := 0; i < len(lines); i += 64 {
		wrapped.WriteString(lines[i:min(i+64, len(lines))] + "\r\n")
	}
	for name, data := range map[string][]byte{
		"DER":                    der,
		"octets in parts":        signedtest.Around(t, parts, "Mario Rossi", at),
		"trailing bytes":         append(bytes.Clone(der), 0, 0, 0),
		"Base64":                 []byte(lines),
		"Base64 in lines":        []byte(wrapped.String()),
		"Base64 in spaced lines": []byte("\ufeff\r\n  " + strings.ReplaceAll(wrapped.String(), "\r\n", " \n  ")),
		"PEM":                    []byte("-----BEGIN PKCS7-----\n" + wrapped.String() + "-----END PKCS7-----\n"),
		"MIME":                   []byte("Content-Type: application/pkcs7-mime;\r\n name=a.p7m\r\nContent-Transfer-Encoding: base64\r\n\r\n" + wrapped.String()),
	} {
		if !signed.Is(data[:min(len(data), 4096)]) {
			t.Errorf("%s: no envelope", name)
		}
		e, err := signed.Open(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !bytes.Equal(e.Content, content) || len(e.Signatures) != 1 || e.Signatures[0].Signer != "Mario Rossi" || !e.Signatures[0].SignedAt.Equal(at) {
			t.Errorf("%s: %q %+v", name, e.Content, e.Signatures)
		}
	}
}

// TestEnvelopeInAnEnvelope checks that both signatures are stated, the outer one first.
func TestEnvelopeInAnEnvelope(t *testing.T) {
	t.Parallel()
	inner := signedtest.Envelope(t, []byte("<a/>"), "Anna\x00 Bianchi", at)
	e, err := signed.Open(signedtest.Envelope(t, inner, "Mario Rossi", at.AddDate(0, 0, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if string(e.Content) != "<a/>" || len(e.Signatures) != 2 || e.Signatures[0].Signer != "Mario Rossi" || e.Signatures[1].Signer != "Anna Bianchi" {
		t.Errorf("%q %+v", e.Content, e.Signatures)
	}
	deep := []byte("<a/>")
	for range 5 {
		deep = signedtest.Envelope(t, deep, "Mario Rossi", at)
	}
	if _, err := signed.Open(deep); !errors.Is(err, signed.ErrDamaged) {
		t.Errorf("five envelopes: %v", err)
	}
}

func TestDamagedEnvelopes(t *testing.T) {
	t.Parallel()
	der := signedtest.Envelope(t, []byte("<a/>"), "Mario Rossi", at)
	for n := 32; n < len(der); n += 7 {
		if _, err := signed.Open(der[:n]); !errors.Is(err, signed.ErrDamaged) {
			t.Fatalf("cut after %d bytes: %v", n, err)
		}
	}
	if _, err := signed.Open(signedtest.Around(t, nil, "Mario Rossi", at)); !errors.Is(err, signed.ErrDetached) {
		t.Errorf("without the file: %v", err)
	}
	nested := bytes.Repeat([]byte{0x24, 0x80}, 100_000)
	if _, err := signed.Open(signedtest.Around(t, nested, "Mario Rossi", at)); !errors.Is(err, signed.ErrDamaged) {
		t.Errorf("nested octets: %v", err)
	}
	if e, err := signed.Open([]byte("<a/>")); err != nil || string(e.Content) != "<a/>" || e.Signatures != nil {
		t.Errorf("no envelope: %+v, %v", e, err)
	}
}

// FuzzOpen checks that no input stops the process.
func FuzzOpen(f *testing.F) {
	der := signedtest.Envelope(f, []byte("<a/>"), "Mario Rossi", at)
	f.Add(der)
	f.Add([]byte(base64.StdEncoding.EncodeToString(der)))
	f.Add(signedtest.Around(f, indefinite(0x24, []byte{0x04, 1, 'a'}), "Mario Rossi", at))
	f.Fuzz(func(t *testing.T, data []byte) {
		if e, err := signed.Open(data); err == nil && len(e.Content) > len(data) {
			t.Errorf("%d bytes of %d", len(e.Content), len(data))
		}
	})
}
