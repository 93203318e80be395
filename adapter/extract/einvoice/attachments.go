package einvoice

import (
	"path"
	"strings"

	"docledger/adapter/extract/einvoice/xmltree"
	"docledger/domain/document"
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
	d.attachments(root, func(a attachment) bool {
		size := a.content.Base64Size()
		if size == 0 {
			return true
		}
		list = append(list, document.Attachment{
			Name:      baseName(a.name),
			MediaType: strings.ToLower(shorten(oneLine(a.mediaType), maxSource)),
			SizeBytes: size,
		})
		return len(list) < maxAttachments
	})
	return list
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
