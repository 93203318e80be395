package einvoice

import (
	"context"
	"path"
	"strings"

	"docledger/adapter/extract/einvoice/xmltree"
	"docledger/domain/document"
	"docledger/domain/extraction"
)

// attachment is an embedded file before its text is measured.
type attachment struct {
	name      string
	mediaType string
	content   xmltree.Elem
}

// attachments lists the files embedded in the document. Their names are those of the
// sender, without directories.
func attachments(d dialect, root xmltree.Elem) []document.Attachment {
	var list []document.Attachment
	embedded(d, root, func(a document.Attachment, _ xmltree.Elem) { list = append(list, a) })
	return list
}

func embedded(d dialect, root xmltree.Elem, yield func(document.Attachment, xmltree.Elem)) {
	count := 0
	d.attachments(root, func(a attachment) bool {
		size := a.content.Base64Size()
		if size == 0 {
			return true
		}
		yield(document.Attachment{
			Name:      baseName(a.name),
			MediaType: strings.ToLower(shorten(oneLine(a.mediaType), maxSource)),
			SizeBytes: size,
		}, a.content)
		count++
		return count < maxAttachments
	})
}

// Embedded is a file embedded in an XML document.
type Embedded struct {
	document.Attachment
	// Content decodes the file.
	Content func() ([]byte, error)
}

// Attachments returns the files embedded in an XML document, in the order of
// Found.Attachments. Its errors are those of Parse.
func Attachments(ctx context.Context, data []byte) ([]Embedded, error) {
	tree, err := xmltree.Parse(ctx, data)
	if err != nil {
		return nil, failure(err)
	}
	root := unwrap(tree.Root())
	d, err := detect(root)
	if err != nil {
		return nil, err
	}
	var list []Embedded
	embedded(d, root, func(a document.Attachment, content xmltree.Elem) {
		list = append(list, Embedded{a, func() ([]byte, error) {
			data, err := content.Base64()
			if err != nil {
				return nil, extraction.Fail(extraction.Malformed, "The embedded file is not valid base64. Ask the sender for the file.")
			}
			return data, nil
		}})
	})
	return list, nil
}

func baseName(name string) string {
	name = path.Base(strings.ReplaceAll(oneLine(name), `\`, "/"))
	if name == "." || name == ".." || name == "/" {
		return ""
	}
	return shorten(name, maxSource)
}

func attachmentsNone(xmltree.Elem, func(attachment) bool) {}

func attachmentsUBL(root xmltree.Elem, yield func(attachment) bool) {
	for ref := range root.Named("AdditionalDocumentReference") {
		content := ref.Path("Attachment", "EmbeddedDocumentBinaryObject")
		name := content.Attr("filename")
		if name == "" {
			name = ref.Child("ID").Text()
		}
		if !yield(attachment{name, content.Attr("mimeCode"), content}) {
			return
		}
	}
}

func attachmentsCII(root xmltree.Elem, yield func(attachment) bool) {
	trade := root.FirstOf("SupplyChainTradeTransaction", "SpecifiedSupplyChainTradeTransaction")
	agreement := trade.FirstOf("ApplicableHeaderTradeAgreement", "ApplicableSupplyChainTradeAgreement")
	for ref := range agreement.Named("AdditionalReferencedDocument") {
		for content := range ref.Named("AttachmentBinaryObject") {
			name := content.Attr("filename")
			if name == "" {
				name = ref.FirstOf("IssuerAssignedID", "ID").Text()
			}
			if !yield(attachment{name, content.Attr("mimeCode"), content}) {
				return
			}
		}
	}
}

func attachmentsFatturaPA(root xmltree.Elem, yield func(attachment) bool) {
	for body := range root.Named("FatturaElettronicaBody") {
		for a := range body.Named("Allegati") {
			if !yield(attachment{a.Child("NomeAttachment").Text(), mediaType(a.Child("FormatoAttachment").Text()), a.Child("Attachment")}) {
				return
			}
		}
	}
}

func attachmentsFacturae(root xmltree.Elem, yield func(attachment) bool) {
	for inv := range root.Child("Invoices").Named("Invoice") {
		for a := range inv.Path("AdditionalData", "RelatedDocuments").Named("Attachment") {
			format := a.Child("AttachmentFormat").Text()
			name := a.Child("AttachmentDescription").Text()
			if !yield(attachment{name, mediaType(format), a.Child("AttachmentData")}) {
				return
			}
		}
	}
}

// mediaType converts the file formats of FatturaPA and Facturae into media types.
func mediaType(format string) string {
	switch f := strings.ToLower(oneLine(format)); f {
	case "":
		return ""
	case "pdf", "xml", "zip", "rtf", "json":
		return "application/" + f
	case "html", "csv":
		return "text/" + f
	case "txt":
		return "text/plain"
	case "jpg", "jpeg":
		return "image/jpeg"
	case "png", "gif", "bmp", "tiff":
		return "image/" + f
	case "doc":
		return "application/msword"
	default:
		if strings.Contains(f, "/") {
			return f
		}
		return "application/octet-stream"
	}
}
