package sniff_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"
	"unicode/utf16"

	"docledger/adapter/extract/sniff"
)

func utf16Bytes(s string, order binary.AppendByteOrder, mark bool) []byte {
	var out []byte
	if mark {
		out = order.AppendUint16(out, 0xfeff)
	}
	for _, u := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, u)
	}
	return out
}

func TestDetect(t *testing.T) {
	t.Parallel()
	const xml = `<?xml version="1.0"?><Invoice/>`
	cases := map[string]struct {
		head []byte
		kind sniff.Kind
	}{
		"pdf":                     {[]byte("%PDF-1.7\n"), sniff.PDF},
		"pdf after garbage":       {append(bytes.Repeat([]byte("\x01"), 900), "%PDF-1.4"...), sniff.PDF},
		"pdf after a mail":        {[]byte("X-Header: 1\r\n\r\n%PDF-1.4"), sniff.PDF},
		"pdf too far in":          {append(bytes.Repeat([]byte("\x01"), 1100), "%PDF-1.4"...), sniff.Unknown},
		"pdf inside a program":    {append([]byte("MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff"), "%PDF-1.4"...), sniff.Program},
		"xml":                     {[]byte(xml), sniff.XML},
		"xml without declaration": {[]byte("\n <ubl:Invoice xmlns:ubl='urn:x'/>"), sniff.XML},
		"xml with a comment":      {[]byte("<!-- made by hand --><a/>"), sniff.XML},
		"xml with a mark":         {[]byte("\xef\xbb\xbf" + xml), sniff.XML},
		"xml in UTF-16 LE":        {utf16Bytes(xml, binary.LittleEndian, true), sniff.XML},
		"xml in UTF-16 BE":        {utf16Bytes(xml, binary.BigEndian, true), sniff.XML},
		"xml in unmarked UTF-16":  {utf16Bytes(xml, binary.LittleEndian, false), sniff.XML},
		"html":                    {[]byte("<!DOCTYPE html><html>"), sniff.Web},
		"html without a type":     {[]byte("<HTML><body>"), sniff.Web},
		"png":                     {[]byte("\x89PNG\r\n\x1a\n"), sniff.Image},
		"jpeg":                    {[]byte("\xff\xd8\xff\xe0\x00\x10JFIF"), sniff.Image},
		"tiff":                    {[]byte("II*\x00\x08\x00\x00\x00"), sniff.Image},
		"zip":                     {[]byte("PK\x03\x04\x14\x00\x00\x00"), sniff.Archive},
		"gzip":                    {[]byte("\x1f\x8b\x08\x00"), sniff.Archive},
		"elf":                     {append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 60)...), sniff.Program},
		"exe":                     {append([]byte("MZ\x90\x00"), make([]byte, 60)...), sniff.Program},
		"mail":                    {[]byte("From: a@example.com\r\nTo: b@example.com\r\nSubject: Invoice\r\n\r\nHello"), sniff.Email},
		"signed":                  {[]byte("\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x80"), sniff.Signed},
		"text":                    {[]byte("Dear customer, please pay."), sniff.PlainText},
		"less than":               {[]byte("< 5 items"), sniff.PlainText},
		"nothing":                 {nil, sniff.PlainText},
		"noise":                   {[]byte("\x00\x01\x02\x03\x9f\x8e\x7d"), sniff.Unknown},
	}
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			got := sniff.Detect(c.head)
			if got.Kind != c.kind || got.MediaType == "" {
				t.Errorf("Detect = %+v, want kind %d", got, c.kind)
			}
			if sniff.LooksLikeXML(c.head) != (c.kind == sniff.XML) {
				t.Errorf("LooksLikeXML = %v", sniff.LooksLikeXML(c.head))
			}
		})
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	canvas := image.NewGray(image.Rect(0, 0, 30, 20))
	encoders := map[string]func(*bytes.Buffer) error{
		"png":                    func(b *bytes.Buffer) error { return png.Encode(b, canvas) },
		"jpeg":                   func(b *bytes.Buffer) error { return jpeg.Encode(b, canvas, nil) },
		"gif":                    func(b *bytes.Buffer) error { return gif.Encode(b, canvas, nil) },
		"tiff, big end first":    func(b *bytes.Buffer) error { return tiff(b, binary.BigEndian, "MM\x00*") },
		"tiff, little end first": func(b *bytes.Buffer) error { return tiff(b, binary.LittleEndian, "II*\x00") },
	}
	for title, encode := range encoders {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		w, h, err := sniff.Size(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil || w != 30 || h != 20 {
			t.Errorf("%s: %d by %d, %v", title, w, h, err)
		}
		half := b.Bytes()[:6]
		if _, _, err := sniff.Size(bytes.NewReader(half), int64(len(half))); err == nil {
			t.Errorf("%s: an incomplete header has a size", title)
		}
	}
}

// tiff writes the header and directory of an image.
func tiff(b *bytes.Buffer, order binary.AppendByteOrder, mark string) error {
	out := order.AppendUint32([]byte(mark), 8)
	out = order.AppendUint16(out, 2)
	for _, e := range [][2]uint16{{256, 30}, {257, 20}} {
		out = order.AppendUint16(out, e[0])
		out = order.AppendUint16(out, 3)
		out = order.AppendUint32(out, 1)
		out = order.AppendUint16(out, e[1])
		out = order.AppendUint16(out, 0)
	}
	b.Write(out)
	return nil
}

// TestEnvelopesAndInterchangesAreNotPlainText checks that signed envelopes in Base64
// and EDI differ from plain text.
func TestEnvelopesAndInterchangesAreNotPlainText(t *testing.T) {
	t.Parallel()
	der := append([]byte{0x30, 0x82, 0x10, 0x00, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02}, make([]byte, 300)...)
	text := base64.StdEncoding.EncodeToString(der)
	wrapped := text[:64] + "\r\n" + text[64:128] + "\r\n" + text[128:]
	for name, c := range map[string]struct {
		data string
		want sniff.Kind
	}{
		"Base64":          {text, sniff.Signed},
		"Base64 in lines": {wrapped, sniff.Signed},
		"PEM":             {"-----BEGIN PKCS7-----\n" + wrapped + "\n-----END PKCS7-----\n", sniff.Signed},
		"MIME header fields": {"MIME-Version: 1.0\r\nContent-Type: application/pkcs7-mime; smime-type=signed-data;\r\n name=\"a.xml.p7m\"\r\n" +
			"Content-Transfer-Encoding: base64\r\n\r\n" + wrapped, sniff.Signed},
		"MIME of another type":       {"MIME-Version: 1.0\r\nContent-Type: text/plain\r\n\r\nHello", sniff.PlainText},
		"an e-mail with an envelope": {"From: a@example.com\r\nTo: b@example.com\r\nSubject: Invoice\r\nContent-Type: application/pkcs7-mime\r\n\r\n" + wrapped, sniff.Email},
		"EDIFACT with a mark":        {"\xef\xbb\xbfUNB+UNOC:3+A+B+261120:1200+1'UNH+1+INVOIC:D:96A:UN'", sniff.EDI},
		"an EDIFACT message":         {"UNH+1+INVOIC:D:96A:UN'BGM+380+4711'DTM+137:20261120:102'", sniff.EDI},
		"an EDIFACT group":           {"UNG+INVOIC+A+B+261120:1200+1+UN+D:96A'UNH+1+INVOIC:D:96A:UN'", sniff.EDI},
		"other Base64":               {base64.StdEncoding.EncodeToString(make([]byte, 300)), sniff.PlainText},
		"EDIFACT":                    {"UNA:+.? '\r\nUNB+UNOC:3+4000001000005:14+4000001000012:14+261120:1200+1'UNH+1+INVOIC:D:96A:UN'", sniff.EDI},
		"EDIFACT without UNA":        {"UNB+UNOC:3+A+B+261120:1200+1'UNH+1+INVOIC:D:96A:UN'", sniff.EDI},
		"X12":                        {"ISA*00*          *00*          *ZZ*SENDER         *ZZ*RECEIVER       *261120*1200*U*00401*000000001*0*P*>~GS*IN*", sniff.EDI},
		"text":                       {"UNAMBIGUOUS text about an invoice\nISABEL wrote this", sniff.PlainText},
	} {
		if got := sniff.Detect([]byte(c.data)); got.Kind != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
