// Package signedtest makes signed envelopes for tests. Their signatures are not valid.
package signedtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"testing"
	"time"
)

// The tags of context-specific elements.
const (
	context0 = 0xa0
	sequence = 0x30
	set      = 0x31
)

// Envelope returns a signed envelope in DER with the content, the certificate of the
// signer and the time of the signature.
func Envelope(t testing.TB, content []byte, signer string, at time.Time) []byte {
	t.Helper()
	octets := marshal(t, content)
	return Around(t, octets, signer, at)
}

// Around is Envelope for content that is an encoded octet string.
func Around(t testing.TB, octets []byte, signer string, at time.Time) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial := big.NewInt(0x80c1)
	template := &x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: signer, Organization: []string{"Esempio S.p.A."}}, NotAfter: at.AddDate(1, 0, 0)}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	version := marshal(t, 1)
	sha256 := element(sequence, marshal(t, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}))
	signingTime := element(sequence, marshal(t, asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 5}), element(set, marshal(t, at.UTC())))
	info := element(sequence, version, element(sequence, certificate.RawIssuer, marshal(t, serial)), sha256,
		element(context0, signingTime), sha256, marshal(t, make([]byte, 64)))
	data := element(sequence, marshal(t, asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1}), element(context0, octets))
	if octets == nil {
		data = element(sequence, marshal(t, asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1}))
	}
	signed := element(sequence, version, element(set, sha256), data, element(context0, raw), element(set, info))
	return element(sequence, marshal(t, asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}), element(context0, signed))
}

// element encodes an element with the parts as its content.
func element(tag byte, parts ...[]byte) []byte {
	var content []byte
	for _, p := range parts {
		content = append(content, p...)
	}
	out := []byte{tag}
	switch n := len(content); {
	case n < 0x80:
		out = append(out, byte(n))
	case n < 1<<16:
		out = append(out, 0x82, byte(n>>8), byte(n))
	default:
		out = append(out, 0x84, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
	return append(out, content...)
}

func marshal(t testing.TB, v any) []byte {
	t.Helper()
	out, err := asn1.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
