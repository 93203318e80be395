package xmltree

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

var (
	bomUTF8    = []byte{0xEF, 0xBB, 0xBF}
	bomUTF16LE = []byte{0xFF, 0xFE}
	bomUTF16BE = []byte{0xFE, 0xFF}
)

// charmaps contains the single-byte encodings of invoices. Latin-1 is decoded as
// Windows-1252, which has additional characters such as the euro sign instead of
// control codes that invoices never use.
var charmaps = map[string]*charmap.Charmap{
	"iso-8859-1": charmap.Windows1252, "latin1": charmap.Windows1252, "iso8859-1": charmap.Windows1252, "iso_8859-1": charmap.Windows1252,
	"iso-8859-2": charmap.ISO8859_2, "iso-8859-3": charmap.ISO8859_3, "iso-8859-4": charmap.ISO8859_4,
	"iso-8859-5": charmap.ISO8859_5, "iso-8859-6": charmap.ISO8859_6, "iso-8859-7": charmap.ISO8859_7,
	"iso-8859-8": charmap.ISO8859_8, "iso-8859-9": charmap.ISO8859_9, "iso-8859-10": charmap.ISO8859_10,
	"iso-8859-13": charmap.ISO8859_13, "iso-8859-14": charmap.ISO8859_14, "iso-8859-15": charmap.ISO8859_15,
	"latin9": charmap.ISO8859_15, "iso-8859-16": charmap.ISO8859_16,
	"windows-1250": charmap.Windows1250, "cp1250": charmap.Windows1250, "windows-1251": charmap.Windows1251, "cp1251": charmap.Windows1251,
	"windows-1252": charmap.Windows1252, "cp1252": charmap.Windows1252, "windows-1253": charmap.Windows1253,
	"windows-1254": charmap.Windows1254, "windows-1255": charmap.Windows1255, "windows-1256": charmap.Windows1256,
	"windows-1257": charmap.Windows1257, "windows-1258": charmap.Windows1258,
	"ibm850": charmap.CodePage850, "cp850": charmap.CodePage850, "koi8-r": charmap.KOI8R, "macintosh": charmap.Macintosh,
}

// decode returns the document in UTF-8 without a byte order mark. A byte order mark
// takes precedence over the declaration. A document that declares UTF-16 but has a
// single-byte declaration is UTF-8, a frequent mistake of string writers.
func decode(data []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(data, bomUTF8):
		return checkedUTF8(data[len(bomUTF8):])
	case bytes.HasPrefix(data, bomUTF16LE):
		return fromUTF16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, bomUTF16BE):
		return fromUTF16(data[2:], binary.BigEndian)
	case len(data) >= 4 && data[0] == '<' && data[1] == 0 && data[2] != 0:
		return fromUTF16(data, binary.LittleEndian)
	case len(data) >= 4 && data[0] == 0 && data[1] == '<' && data[2] == 0:
		return fromUTF16(data, binary.BigEndian)
	}
	label := strings.ToLower(declaredEncoding(data))
	switch label {
	case "", "utf-8", "utf8", "us-ascii", "ascii", "utf-16", "utf-16le", "utf-16be", "unicode":
		return checkedUTF8(data)
	}
	table, ok := charmaps[label]
	if !ok {
		return nil, &SyntaxError{1, "the encoding " + quote(label) + " is unknown"}
	}
	return fromCharmap(data, table)
}

// declaredEncoding returns the encoding in the XML declaration.
func declaredEncoding(data []byte) string {
	if !bytes.HasPrefix(data, []byte("<?xml")) {
		return ""
	}
	end := bytes.Index(data[:min(len(data), 512)], []byte("?>"))
	if end < 0 {
		return ""
	}
	_, rest, ok := bytes.Cut(data[:end], []byte("encoding"))
	if !ok {
		return ""
	}
	rest = bytes.TrimLeft(rest, " \t\r\n=")
	if len(rest) < 2 || rest[0] != '"' && rest[0] != '\'' {
		return ""
	}
	value, _, ok := bytes.Cut(rest[1:], rest[:1])
	if !ok {
		return ""
	}
	return string(value)
}

func checkedUTF8(data []byte) ([]byte, error) {
	data = bytes.TrimRight(data, "\x00") // padding after an embedded file
	if len(data) > MaxBytes {
		return nil, ErrSize
	}
	for i, c := range data {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			return nil, &SyntaxError{lineAt(data, i), "a control character"}
		}
	}
	if !utf8.Valid(data) {
		i := 0
		for {
			r, n := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && n <= 1 {
				return nil, &SyntaxError{lineAt(data, i), "a byte that is not UTF-8"}
			}
			i += n
		}
	}
	return data, nil
}

func fromUTF16(data []byte, order binary.ByteOrder) ([]byte, error) {
	if len(data) > maxOtherBytes {
		return nil, ErrSize
	}
	out := make([]byte, 0, len(data))
	for len(data) >= 2 {
		r := rune(order.Uint16(data))
		data = data[2:]
		if utf16.IsSurrogate(r) {
			if len(data) < 2 {
				return nil, ErrTruncated
			}
			if r = utf16.DecodeRune(r, rune(order.Uint16(data))); r == utf8.RuneError {
				return nil, &SyntaxError{0, "a half of a UTF-16 character"}
			}
			data = data[2:]
		}
		out = utf8.AppendRune(out, r)
	}
	return checkedUTF8(out)
}

func fromCharmap(data []byte, table *charmap.Charmap) ([]byte, error) {
	if len(data) > maxOtherBytes {
		return nil, ErrSize
	}
	out := make([]byte, 0, len(data)+len(data)/8)
	for i, c := range data {
		if c < utf8.RuneSelf {
			out = append(out, c)
			continue
		}
		r := table.DecodeByte(c)
		if r == utf8.RuneError {
			return nil, &SyntaxError{lineAt(data, i), "a byte that the declared encoding does not have"}
		}
		out = utf8.AppendRune(out, r)
	}
	return checkedUTF8(out)
}

func lineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:offset], []byte{'\n'})
}

func quote(s string) string {
	const most = 40
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return "“" + s + "”"
}
