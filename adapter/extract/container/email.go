package container

import (
	"bytes"
	"errors"
	"image"
	_ "image/gif"  // sizes of images
	_ "image/jpeg" // sizes of images
	_ "image/png"  // sizes of images
	"io"
	"mime"
	"regexp"
	"slices"
	"strings"

	"docledger/adapter/extract/signed"
	"docledger/adapter/extract/sniff"
	"docledger/domain/extraction"

	"github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset" // names of files in other character sets
)

const (
	maxHeaderBytes = 1 << 20 // of a message
	maxMultiparts  = 30      // parts that have parts, in each other
)

// email visits the files that are attached to an e-mail.
func (w *walker) email(data []byte, path string, depth int) error {
	e, err := message.ReadWithOptions(bytes.NewReader(data), &message.ReadOptions{MaxHeaderBytes: maxHeaderBytes})
	if e == nil || err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) {
		return damagedMail()
	}
	return w.part(e, path, depth, 0)
}

func damagedMail() error {
	return extraction.Fail(extraction.Malformed, "The e-mail is damaged or its header is too long. Save its attachments and upload them.")
}

// part visits a part of an e-mail and the parts in it.
func (w *walker) part(e *message.Entity, path string, depth, level int) error {
	if err := w.count(); err != nil {
		return err
	}
	parts := e.MultipartReader()
	if parts == nil {
		return w.body(e, path, depth, level)
	}
	if level == maxMultiparts {
		return extraction.Fail(extraction.NestingTooDeep, "The parts of the e-mail are in each other, more than %d deep. Save its attachments and upload them.", maxMultiparts)
	}
	for {
		p, err := parts.NextPart()
		if errors.Is(err, io.EOF) || err != nil && strings.HasSuffix(err.Error(), "EOF") {
			return nil // a message may end without its last boundary
		}
		if p == nil || err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) {
			return damagedMail()
		}
		if err := w.part(p, path, depth, level+1); err != nil {
			return err
		}
	}
}

// body visits a part without further parts.
func (w *walker) body(e *message.Entity, path string, depth, level int) error {
	media, params, _ := e.Header.ContentType()
	media = strings.ToLower(media)
	disposition, name := dispositionOf(e.Header, params)
	if name == "" && disposition != "attachment" && (media == "" || strings.HasPrefix(media, "text/")) {
		return nil // the text of the message
	}
	// Bytes before an error are kept: the document itself shows what is damaged.
	data, err := w.read(e.Body, 0)
	if errors.Is(err, errLong) {
		return w.tooLarge(name)
	}
	if err := w.grow(int64(len(data))); err != nil {
		return err
	}
	t := sniff.Detect(data)
	if name == "" {
		name = unnamed(media, t)
	}
	f := &File{Path: join(path, name), Data: data, MediaType: t.MediaType}
	switch {
	case media == "message/rfc822" || media == "message/global":
		return w.inside(f, sniff.Type{Kind: sniff.Email, MediaType: "message/rfc822"}, depth)
	case isOpaque(media):
		if inner, ok := signedMail(data); ok {
			return w.inside(&File{Path: f.Path, Data: inner}, sniff.Type{Kind: sniff.Email, MediaType: "message/rfc822"}, depth)
		}
	}
	f.Document = !isMailPart(media, name) && !isDecoration(data, t, inline(e.Header, disposition))
	return w.leaf(f, depth)
}

// dispositionOf returns the disposition of a part and the name of its file.
func dispositionOf(h message.Header, params map[string]string) (disposition, name string) {
	disposition, dispositionParams, _ := h.ContentDisposition()
	name = dispositionParams["filename"]
	if name == "" {
		name = params["name"]
	}
	// Many programs encode names as words of a header, which RFC 2231 does not allow.
	if decoded, err := (&mime.WordDecoder{CharsetReader: message.CharsetReader}).DecodeHeader(name); err == nil {
		name = decoded
	}
	return strings.ToLower(disposition), base(cleanName(name))
}

// inline reports whether a part is shown within the text of the message.
func inline(h message.Header, disposition string) bool {
	return disposition == "inline" || disposition == "" && h.Get("Content-Id") != ""
}

// unnamed returns a name for a file without one.
func unnamed(media string, t sniff.Type) string {
	switch {
	case media == "message/rfc822", media == "message/global":
		return "message.eml"
	case t.Kind == sniff.PDF:
		return "attachment.pdf"
	case t.Kind == sniff.XML:
		return "attachment.xml"
	case t.Kind == sniff.Image:
		return "attachment." + strings.TrimPrefix(t.MediaType, "image/")
	}
	return "attachment"
}

// partTypes are types of parts that belong to the message and are never documents.
var partTypes = []string{
	"application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature", "application/pgp-keys", "application/pgp-encrypted",
	"application/ics", "application/vcard", "text/calendar", "text/vcard", "text/x-vcard", "text/directory", "text/rfc822-headers",
	"message/delivery-status", "message/disposition-notification", "message/feedback-report",
}

// partNames match names of files that mail systems add to a message: signatures, the
// texts that Outlook splits off, and the receipts of certified mail in Italy.
var partNames = regexp.MustCompile(`(?i)^(smime\.p7s|signature\.asc|daticert\.xml|att\d+\.(txt|htm|html)|.*\.(vcf|ics|p7s))$`)

// isMailPart reports whether a part belongs to the message and is not a document.
func isMailPart(media, name string) bool {
	return slices.Contains(partTypes, media) || partNames.MatchString(name)
}

func isOpaque(media string) bool {
	return media == "application/pkcs7-mime" || media == "application/x-pkcs7-mime"
}

// signedMail returns the message in an S/MIME envelope that is signed and not
// encrypted. A signed invoice has another content and is not a message.
func signedMail(data []byte) ([]byte, bool) {
	envelope, err := signed.Open(data)
	if err != nil || len(envelope.Signatures) == 0 {
		return nil, false
	}
	head := envelope.Content[:min(len(envelope.Content), len("content-type:"))]
	return envelope.Content, strings.EqualFold(string(head), "content-type:")
}

// An image of an e-mail is not a document if it is too small to be read: an A4 page
// with 50 dots per inch has 413 × 585 pixels. Within the text it is not one either if
// its bytes are few or its form is that of a banner. A photo of a receipt that is shown
// within the text is a document.
const (
	minImageSide   = 300
	minImagePixels = 180_000
	minInlineBytes = 24 << 10
	bannerRatio    = 2 // width : height
)

// isDecoration reports whether an image of an e-mail is a logo, an icon or a part of
// a signature.
func isDecoration(data []byte, t sniff.Type, inline bool) bool {
	if t.Kind != sniff.Image {
		return false
	}
	if t.MediaType == "image/svg+xml" || inline && len(data) < minInlineBytes {
		return true
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return false // its document shows what is damaged
	}
	return min(c.Width, c.Height) < minImageSide || c.Width*c.Height < minImagePixels || inline && c.Width > bannerRatio*c.Height
}
