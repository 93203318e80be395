package container_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"docledger/adapter/extract/container"
	"docledger/domain/extraction"
)

// entry is a file of an archive or an attachment.
type entry struct{ name, content string }

func archive(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		f, err := w.Create(e.name)
		if err == nil {
			_, err = f.Write([]byte(e.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

const mailHeader = "From: Shop <shop@example.com>\r\nTo: in@example.net\r\nSubject: Invoice\r\nDate: Mon, 2 Mar 2026 10:00:00 +0000\r\nMessage-ID: <1@example.com>\r\nMIME-Version: 1.0\r\n"

func attachment(header, content string) string {
	return header + "\r\nContent-Transfer-Encoding: base64\r\n\r\n" + base64.StdEncoding.EncodeToString([]byte(content)) + "\r\n"
}

func mail(parts ...string) []byte {
	var b strings.Builder
	b.WriteString(mailHeader + "Content-Type: multipart/mixed; boundary=b\r\n\r\n")
	for _, p := range parts {
		b.WriteString("--b\r\n" + p + "\r\n")
	}
	b.WriteString("--b--\r\n")
	return []byte(b.String())
}

// forwarded returns the bytes of a mail that is a part of another one.
func forwarded(parts ...string) string {
	return strings.NewReplacer("boundary=b", "boundary=f", "--b", "--f").Replace(string(mail(parts...)))
}

func picture(t testing.TB, width, height int) string {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, width, height))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = byte(random.Uint32())
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

const pdf = "%PDF-1.4\n1 0 obj\n"

// walk returns the paths of documents and of other files.
func walk(t testing.TB, data []byte, l container.Limits) (documents, other []string, err error) {
	t.Helper()
	err = container.Walk(data, l, func(f *container.File) error {
		if f.Document {
			documents = append(documents, f.Path)
		} else {
			other = append(other, f.Path)
		}
		return nil
	})
	return documents, other, err
}

func TestFilesOfAMail(t *testing.T) {
	t.Parallel()
	data := mail(
		"Content-Type: text/plain\r\n\r\nPlease find the invoice attached.",
		attachment(`Content-Type: application/octet-stream; name="=?utf-8?B?UmVjaG51bmcgw6QucGRm?="`, pdf),
		attachment("Content-Type: application/pdf\r\nContent-Disposition: attachment; filename*=utf-8''re%C3%A7u.pdf", pdf+"2"),
		attachment("Content-Type: application/pdf\r\nContent-Disposition: attachment; filename=\"../../etc/cron.d/x.pdf\"", pdf+"3"),
		"Content-Type: multipart/related; boundary=r\r\n\r\n--r\r\nContent-Type: text/html\r\n\r\n<p>Hello</p>\r\n--r\r\n"+
			attachment("Content-Type: image/png; name=logo.png\r\nContent-ID: <logo>", picture(t, 120, 60))+
			"--r\r\n"+attachment("Content-Type: image/png; name=banner.png\r\nContent-Disposition: inline\r\nContent-ID: <b>", picture(t, 1200, 400))+
			"--r\r\n"+attachment("Content-Type: image/png; name=receipt.png\r\nContent-Disposition: inline\r\nContent-ID: <c>", picture(t, 600, 900))+"--r--\r\n",
		"Content-Type: message/rfc822\r\n\r\n"+forwarded(attachment("Content-Type: application/pdf; name=inner.pdf", pdf)),
		attachment("Content-Type: application/zip; name=all.zip", string(archive(t, entry{"a/b.xml", "<Invoice/>"}, entry{"__MACOSX/a/._b.xml", "x"}))),
		"Content-Type: text/plain; name=disclaimer.txt\r\nContent-Disposition: attachment\r\n\r\nThis e-mail is confidential.",
		attachment("Content-Type: application/pkcs7-signature; name=smime.p7s", "0\x80"),
		attachment("Content-Type: text/calendar; name=invite.ics", "BEGIN:VCALENDAR"),
	)
	documents, other, err := walk(t, data, container.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Rechnung ä.pdf", "reçu.pdf", "x.pdf", "receipt.png", "message.eml/inner.pdf", "all.zip/a/b.xml"}
	if !slices.Equal(documents, want) {
		t.Errorf("documents: %q, want %q", documents, want)
	}
	if want := []string{"logo.png", "banner.png", "disclaimer.txt", "smime.p7s", "invite.ics"}; !slices.Equal(other, want) {
		t.Errorf("other files: %q, want %q", other, want)
	}
}

func TestImperfectMails(t *testing.T) {
	t.Parallel()
	cases := map[string][]byte{
		"one part":        []byte(mailHeader + attachment("Content-Type: application/pdf; name=a.pdf", pdf)),
		"no end boundary": bytes.TrimSuffix(mail(attachment("Content-Type: application/pdf; name=a.pdf", pdf)), []byte("--b--\r\n")),
		"encoding":        mail("Content-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: x-unknown\r\n\r\n" + pdf),
		"charset":         mail("Content-Type: text/plain; charset=x-unknown\r\n\r\nHello", attachment("Content-Type: application/pdf; name=a.pdf; charset=x-unknown", pdf)),
		"base64":          mail("Content-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n" + base64.StdEncoding.EncodeToString([]byte(pdf+"12")) + "!!!\r\n"),
		"bare line feeds": bytes.ReplaceAll(mail(attachment("Content-Type: application/pdf; name=a.pdf", pdf)), []byte("\r\n"), []byte("\n")),
	}
	for name, data := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			documents, _, err := walk(t, data, container.DefaultLimits())
			if err != nil || !slices.Equal(documents, []string{"a.pdf"}) {
				t.Errorf("documents: %q, %v", documents, err)
			}
		})
	}
}

// TestNames verifies names in other character sets, and that a name never leaves the
// container.
func TestNames(t *testing.T) {
	t.Parallel()
	data := archive(t, entry{"../../a.pdf", pdf}, entry{`c:\b\c.pdf`, pdf}, entry{"/abs.pdf", pdf}, entry{"M\x81ller.pdf", pdf},
		entry{"x\x00\n\u202efdp.exe", pdf}, entry{strings.Repeat("ä", 400) + ".pdf", pdf}, entry{"folder/", ""})
	documents, _, err := walk(t, data, container.DefaultLimits())
	if err != nil || len(documents) != 6 {
		t.Fatalf("documents: %q, %v", documents, err)
	}
	if want := []string{"a.pdf", "c:/b/c.pdf", "abs.pdf", "Müller.pdf", "xfdp.exe"}; !slices.Equal(documents[:5], want) {
		t.Errorf("documents: %q, want %q", documents, want)
	}
	if len(documents[5]) > container.MaxPath || !strings.HasSuffix(documents[5], "ä.pdf") {
		t.Errorf("the long name: %q", documents[5])
	}
}

// TestHostileContainers verifies that each limit ends a container with a named reason.
func TestHostileContainers(t *testing.T) {
	t.Parallel()
	deep := archive(t, entry{"a.pdf", pdf})
	for range 10 {
		deep = archive(t, entry{"inner.zip", string(deep)})
	}
	parts := make([]string, 10_000)
	for i := range parts {
		parts[i] = "Content-Type: application/pdf; name=a.pdf\r\n\r\n" + pdf
	}
	nested := mailHeader
	for i := range 200 {
		nested += fmt.Sprintf("Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n", i, i)
	}
	mails := pdf
	for range 10 {
		mails = mailHeader + "Content-Type: message/rfc822\r\n\r\n" + mails
	}
	many := make([]entry, 100_000)
	for i := range many {
		many[i] = entry{fmt.Sprintf("%d.pdf", i), ""}
	}
	zeros := strings.Repeat("\x00", 40<<20)
	bomb := archive(t, entry{"a.pdf", zeros})
	cases := map[string]struct {
		data []byte
		code extraction.Reason
	}{
		"nested archives":     {deep, extraction.NestingTooDeep},
		"nested mails":        {[]byte(mails), extraction.NestingTooDeep},
		"nested parts":        {[]byte(nested), extraction.NestingTooDeep},
		"10,000 parts":        {mail(parts...), extraction.TooLarge},
		"100,000 entries":     {archive(t, many...), extraction.TooLarge},
		"bomb":                {bomb, extraction.ExpandsTooFar},
		"nested bombs":        {archive(t, entry{"a.zip", string(bomb)}, entry{"b.zip", string(bomb)}), extraction.ExpandsTooFar},
		"large file":          {archive(t, entry{"a.pdf", strings.Repeat("\x00", 49<<20)}), extraction.TooLarge},
		"false size":          {falseSize(t, zeros), extraction.Malformed},
		"vast size":           {vastSize(t), extraction.ExpandsTooFar},
		"cut off":             {deep[:len(deep)-30], extraction.Malformed},
		"wrong checksum":      {wrongChecksum(t), extraction.Malformed},
		"office document":     {archive(t, entry{"word/document.xml", "<a/>"}, entry{"[Content_Types].xml", "<a/>"}), extraction.UnsupportedType},
		"long header":         {[]byte(mailHeader + "X-A: " + strings.Repeat("a", 2<<20) + "\r\n\r\nHello"), extraction.Malformed},
		"many header fields":  {[]byte(mailHeader + strings.Repeat("X-A: b\r\n", 300_000) + "\r\nHello"), extraction.Malformed},
		"a header as content": {[]byte(strings.Repeat("From: a\r\n", 300_000)), extraction.Malformed},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := walk(t, c.data, container.DefaultLimits())
			var failure *extraction.Failure
			if !errors.As(err, &failure) || failure.Reason != c.code {
				t.Errorf("%v, want %s", err, c.code)
			}
		})
	}
}

// falseSize returns an archive that states fewer bytes than it has.
func falseSize(t testing.TB, content string) []byte {
	data := archive(t, entry{"a.pdf", content})
	at := bytes.LastIndex(data, []byte("PK\x01\x02"))
	copy(data[at+24:], []byte{9, 0, 0, 0})
	return data
}

// vastSize returns an archive that states four GiB.
func vastSize(t testing.TB) []byte {
	data := archive(t, entry{"a.pdf", pdf})
	at := bytes.LastIndex(data, []byte("PK\x01\x02"))
	copy(data[at+24:], []byte{0xfe, 0xff, 0xff, 0xff})
	return data
}

func wrongChecksum(t testing.TB) []byte {
	data := archive(t, entry{"a.pdf", pdf})
	at := bytes.LastIndex(data, []byte("PK\x01\x02"))
	data[at+16] ^= 0xff
	return data
}

func TestEncryptedArchive(t *testing.T) {
	t.Parallel()
	data := archive(t, entry{"a.pdf", pdf})
	at := bytes.LastIndex(data, []byte("PK\x01\x02"))
	data[at+8] |= 1
	var failure *extraction.Failure
	if documents, _, err := walk(t, data, container.DefaultLimits()); !errors.As(err, &failure) || failure.Reason != extraction.Encrypted || documents != nil {
		t.Errorf("%q, %v", documents, err)
	}
	// In another container it is a document, which shows the reason.
	documents, _, err := walk(t, mail(attachment("Content-Type: application/zip; name=a.zip", string(data)), attachment("Content-Type: application/pdf; name=b.pdf", pdf)), container.DefaultLimits())
	if err != nil || !slices.Equal(documents, []string{"a.zip", "b.pdf"}) {
		t.Errorf("documents: %q, %v", documents, err)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	data := archive(t, entry{"a.txt", "one"}, entry{"a.pdf", pdf}, entry{"a.txt", "two"})
	for nth, want := range []string{"one", "two", ""} {
		found, err := container.Find(data, container.DefaultLimits(), "a.txt", "text/plain", 3, nth)
		if err != nil || string(found) != want {
			t.Errorf("file %d: %q, %v", nth, found, err)
		}
	}
	if found, err := container.Find(data, container.DefaultLimits(), "a.pdf", "application/pdf", int64(len(pdf)), 0); found != nil || err != nil {
		t.Errorf("a document: %q, %v", found, err)
	}
}
