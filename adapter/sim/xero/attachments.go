package xero

import (
	"crypto/sha256"
	"encoding/hex"
	"mime"
	"net/url"
	"path"
	"strings"

	"github.com/google/uuid"
)

// attachable are the permitted media types of attachments by file extension. XML is not
// permitted.
var attachable = map[string][]string{
	".pdf": {"application/pdf"}, ".png": {"image/png"}, ".jpg": {"image/jpeg", "image/jpg"}, ".jpeg": {"image/jpeg", "image/jpg"},
	".gif": {"image/gif"}, ".tif": {"image/tiff"}, ".tiff": {"image/tiff"}, ".bmp": {"image/bmp"},
	".txt": {"text/plain"}, ".csv": {"text/csv", "text/plain"}, ".rtf": {"application/rtf", "text/rtf"},
	".doc": {"application/msword"}, ".docx": {"application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
	".xls": {"application/vnd.ms-excel"}, ".xlsx": {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
	".odt": {"application/vnd.oasis.opendocument.text"}, ".ods": {"application/vnd.oasis.opendocument.spreadsheet"},
	".eml": {"message/rfc822"}, ".msg": {"application/vnd.ms-outlook"}, ".zip": {"application/zip"},
}

// attach stores a file under its name. It replaces a file of the same name.
func (s *Server) attach(k *kind) operation {
	return func(c *call) answer {
		d := c.book.document(k, c.PathValue("id"))
		if d == nil {
			return missing()
		}
		name := c.PathValue("file")
		media, _, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
		old := find(d.attachments, func(a *attachment) bool { return a.name == name })
		problem := fileProblem(name, media)
		switch {
		case err != nil || len(c.body) == 0:
			problem = "The attachment is empty, or its Content-Type is missing."
		case problem == "" && old == nil && s.limits.Attachments > 0 && len(d.attachments) >= s.limits.Attachments:
			problem = "The document has the most attachments it can have."
		}
		if problem != "" {
			refused := object{{"AttachmentID", guid(uuid.Nil.String())}, {"FileName", name}, {"MimeType", media}, {"ContentLength", len(c.body)}}
			return wrong([]object{append(refused, refusal([]string{problem})...)})
		}
		sum := sha256.Sum256(c.body)
		file := &attachment{id: uuid.NewString(), name: name, media: media, size: len(c.body), sum: hex.EncodeToString(sum[:])}
		if old != nil {
			file.id = old.id
			*old = *file
		} else {
			d.attachments, d.brief = append(d.attachments, file), nil
		}
		return s.list("Attachments", []object{s.renderAttachment(d, file)}, nil)
	}
}

// fileProblem returns the reason why a file of this name and type is refused; "" for none.
func fileProblem(name, media string) string {
	if name == "" || len(name) > 255 || strings.ContainsAny(name, `<>:"/\|?*+`) {
		return "The file name has characters that are not allowed."
	}
	for _, fits := range attachable[strings.ToLower(path.Ext(name))] {
		if fits == media {
			return ""
		}
	}
	return "The file couldn't be uploaded because it isn't a supported file type."
}

func (s *Server) listAttachments(k *kind) operation {
	return func(c *call) answer {
		d := c.book.document(k, c.PathValue("id"))
		if d == nil {
			return missing()
		}
		var out []object
		for _, a := range d.attachments {
			out = append(out, s.renderAttachment(d, a))
		}
		return s.list("Attachments", out, nil)
	}
}

func (s *Server) renderAttachment(d *document, a *attachment) object {
	at := s.options.Origin + accountingPrefix + d.kind.plural + "/" + d.id + "/Attachments/" + url.PathEscape(a.name)
	out := object{
		{"AttachmentID", guid(a.id)}, {"FileName", a.name}, {"Url", at}, {"MimeType", a.media}, {"ContentLength", a.size},
	}
	return out
}
