package quickbooks

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"mime"
	"mime/multipart"
	"path"
	"slices"
	"strings"
)

// refusedMedia are the file types that uploads refuse.
var refusedMedia = []string{"text/plain", "application/x-msdownload", "application/octet-stream"}

// file is one file of an upload.
type file struct {
	metadata object
	name     string
	media    string
	size     int
	sum      string
}

// upload accepts a multipart body. Each file has a part file_content_N and, before or after it, a
// part file_metadata_N with the records to which it is attached. A refused file is a fault in a
// response with status 200.
func (s *Server) upload(c *call) answer {
	files, f := readFiles(c)
	if f != nil {
		return s.refused(f)
	}
	out := []any{}
	for _, one := range files {
		r, f := s.attach(c.book, one)
		if f != nil {
			out = append(out, f.body("ValidationFault"))
			continue
		}
		out = append(out, object{"Attachable": s.shownAttachable(c.book, r)})
	}
	return s.found(object{"AttachableResponse": out})
}

func readFiles(c *call) ([]*file, *fault) {
	bad := business("The request is not a multipart upload with file_content parts")
	media, parameters, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" {
		return nil, bad
	}
	parts := multipart.NewReader(bytes.NewReader(c.body), parameters["boundary"])
	files, order := map[string]*file{}, []string{}
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, bad
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return nil, bad
		}
		kind, number, _ := cutLast(part.FormName(), "_")
		one := files[number]
		if one == nil {
			one = &file{}
			files[number] = one
			order = append(order, number)
		}
		switch kind {
		case "file_metadata":
			var f *fault
			if one.metadata, f = input(content); f != nil {
				return nil, f
			}
		case "file_content":
			sum := sha256.Sum256(content)
			one.name, one.size, one.sum = part.FileName(), len(content), hex.EncodeToString(sum[:])
			one.media, _, _ = mime.ParseMediaType(part.Header.Get("Content-Type"))
		default:
			return nil, badProperty(part.FormName())
		}
	}
	out := []*file{}
	for _, number := range order {
		if files[number].sum == "" {
			return nil, bad
		}
		out = append(out, files[number])
	}
	if len(out) == 0 {
		return nil, bad
	}
	return out, nil
}

func cutLast(s, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(s, separator); i >= 0 {
		return s[:i], s[i+len(separator):], true
	}
	return s, "", false
}

func (s *Server) attach(b *book, one *file) (*row, *fault) {
	fields := object{
		"FileName":    path.Base(cmp.Or(str(one.metadata["FileName"]), one.name, "file")),
		"ContentType": cmp.Or(str(one.metadata["ContentType"]), one.media, "application/octet-stream"),
	}
	if note := str(one.metadata["Note"]); note != "" {
		fields["Note"] = note
	}
	fields["Size"] = one.size
	if slices.Contains(refusedMedia, str(fields["ContentType"])) || one.size == 0 {
		return nil, business("File type %s is not supported", fields["ContentType"])
	}
	if f := b.link(fields, one.metadata["AttachableRef"]); f != nil {
		return nil, f
	}
	r := b.add("Attachable", "", fields, s.Kit.Clock.Now())
	r.sum = one.sum
	return r, nil
}

// link attaches an attachment to the records in its references.
func (b *book) link(fields object, references any) *fault {
	list, _ := references.([]any)
	for _, one := range list {
		reference, _ := one.(object)
		entity, _ := reference["EntityRef"].(object)
		kind := kindNamed(str(entity["type"]))
		if kind == "" || b.tables[kind].byID[str(entity["value"])] == nil {
			return badReference("Entity", str(entity["value"]))
		}
		entity["type"] = kind
	}
	if list != nil {
		fields["AttachableRef"] = list
	}
	return nil
}

// updateAttachable changes the records to which an attachment is attached.
func (s *Server) updateAttachable(c *call) answer {
	in, f := input(c.body)
	if f != nil {
		return s.refused(f)
	}
	r := c.book.tables["Attachable"].byID[str(in["Id"])]
	switch {
	case in["Id"] == nil:
		return s.refused(business("An attachable without a file needs a note"))
	case r == nil:
		return s.refused(notFound())
	case str(in["SyncToken"]) != r.shown()["SyncToken"]:
		return s.refused(&fault{code: "5010", message: "Stale Object Error", detail: "Stale Object Error : You and someone else were working on this at the same time."})
	}
	if f := c.book.link(r.fields, in["AttachableRef"]); f != nil {
		return s.refused(f)
	}
	for _, name := range []string{"FileName", "ContentType", "Note"} {
		if given := str(in[name]); given != "" {
			r.fields[name] = given
		}
	}
	r.token++
	r.updated = s.Kit.Clock.Now()
	return s.found(object{"Attachable": s.shownAttachable(c.book, r)})
}

func (s *Server) shownAttachable(b *book, r *row) object {
	out := r.shown()
	at := "/v3/company/" + b.company.RealmID + "/download/" + r.key()
	out["FileAccessUri"], out["TempDownloadUri"] = at, s.options.Origin+at
	return out
}
