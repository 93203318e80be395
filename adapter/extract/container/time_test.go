package container_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"docledger/adapter/extract/container"
	"docledger/test/lib/cputime"
)

// FuzzTime checks that the time for an e-mail or archive that repeats any text is proportional to its
// size and that of its files: in its header, between and within its parts, in parts within parts, and
// in the names and the contents of an archive.
func FuzzTime(f *testing.F) {
	for _, piece := range []string{
		"--b\r\n", "--b--\r\n", "--\r\n", "-", "\r\n", "a", "X: y\r\n", "=?utf-8?q?a?= ", "=?utf-8?b?YQ==?=", "=3D", "=\r\n", "Li4v", "../", "\\", "\u202e",
		"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n", "Content-Disposition: attachment; filename*0=a; filename*1=b\r\n\r\nx\r\n--b\r\n",
		"filename*1=a; ", "PK\x03\x04", "PK\x01\x02", "begin 644 a\r\n",
	} {
		for place := range uint8(places) {
			f.Add(piece, uint32(20_000), place)
		}
	}
	f.Fuzz(func(t *testing.T, piece string, times uint32, place uint8) {
		const most = 128 << 10 // bytes
		if len(piece) == 0 || len(piece) > 300 {
			return
		}
		many := strings.Repeat(piece, min(int(times), most/len(piece)))
		data, size := placed(t, many, place%places)
		cputime.Within(t, size, func() {
			_, _, _ = walk(t, data, container.DefaultLimits())
		})
	})
}

const places = 9

// placed returns a container with the text in a place, and the size of its decoded content.
func placed(t *testing.T, many string, place uint8) (data []byte, size int) {
	t.Helper()
	const file = "Content-Type: application/pdf; name=a.pdf\r\n"
	switch place {
	case 0:
		data = append([]byte(many), mail(attachment(file, pdf))...)
	case 1:
		data = []byte(mailHeader + "Subject: " + many + "\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n" + attachment(file, pdf) + "--b--\r\n")
	case 2:
		data = mail(attachment(file, pdf), many, attachment(file, pdf))
	case 3:
		data = mail(attachment("Content-Type: application/pdf; name=\""+many+"\"", pdf))
	case 4:
		data = mail("Content-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" + many)
	case 5:
		data = mail("Content-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n" + many)
	case 6: // parts in each other, as deep as is accepted
		const depth = 29
		var b strings.Builder
		b.WriteString(mailHeader)
		for i := range depth {
			fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n", i, i)
		}
		b.WriteString("Content-Type: application/pdf; name=a.pdf\r\n\r\n" + many)
		data = []byte(b.String())
	case 7:
		name := strings.TrimRight(many[:min(len(many), 60_000)], "/") + "x"
		entries := make([]entry, 1+len(many)/len(name))
		for i := range entries {
			entries[i] = entry{name, many}
		}
		entries = entries[:min(len(entries), 8)]
		return archive(t, entries...), len(entries) * len(many)
	default:
		inner := archive(t, entry{"a.zip", string(archive(t, entry{"b.pdf", many}))})
		return bytes.Clone(archive(t, entry{"c.zip", string(inner)})), 3 * len(many)
	}
	return data, len(data)
}
