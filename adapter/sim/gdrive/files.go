package gdrive

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"docledger/adapter/sim/kit/oidc"
)

// position is the content of a page token of a list.
type position struct {
	After   int64  `json:"a"` // the last entry of the page before
	Query   string `json:"q"` // of the first page; all pages must repeat it
	Drive   string `json:"d"`
	Listing int    `json:"g"` // see store.listing
	Full    bool   `json:"f"` // the preceding empty page was returned
}

func (p position) token() string { return "~!!~" + base64.RawURLEncoding.EncodeToString(oidc.JSON(p)) }

// readPosition parses a page token; "" is the beginning.
func (s *Server) readPosition(c *call) (position, *refusal) {
	first := position{Query: c.q.Get("q"), Drive: c.q.Get("driveId"), Listing: s.store.listing, Full: !s.settings.EmptyPages}
	text := c.q.Get("pageToken")
	if text == "" {
		return first, nil
	}
	var p position
	raw, err := base64.RawURLEncoding.DecodeString(text[min(len(text), len("~!!~")):])
	if err != nil || json.Unmarshal(raw, &p) != nil || p.Listing != first.Listing || p.Query != first.Query || p.Drive != first.Drive {
		return p, invalid("pageToken", "Invalid Value")
	}
	return p, nil
}

// page returns the page of the sorted entries that follows a position. next is the token of the
// following page; "" after the last one.
func page[T any](s *Server, all []T, order func(T) int64, p position, size int) (out []T, next string) {
	from, _ := slices.BinarySearchFunc(all, p.After+1, func(one T, want int64) int {
		return int(order(one) - want)
	})
	all = all[from:]
	if !p.Full && len(all) > 0 {
		p.Full = true
		return nil, p.token()
	}
	if len(all) <= size {
		return all, ""
	}
	p.After, p.Full = order(all[size-1]), !s.settings.EmptyPages
	return all[:size], p.token()
}

// scope returns the requested scope: a shared drive, or all files of the user, on request
// including shared drives.
func (s *Server) scope(c *call) (func(drive string) bool, *refusal) {
	corpora, driveID := c.q.Get("corpora"), c.q.Get("driveId")
	all := c.flag("includeItemsFromAllDrives") && c.flag("supportsAllDrives")
	switch {
	case c.flag("includeItemsFromAllDrives") && !c.flag("supportsAllDrives"):
		return nil, forbidden("teamDrivesParamMustBeSpecified", "The supportsAllDrives parameter must be set to true if includeItemsFromAllDrives is set.")
	case (corpora == "drive") != (driveID != ""):
		return nil, invalid("driveId", "The driveId parameter must be specified if and only if corpora is set to drive.")
	case corpora == "drive" && !all || corpora == "allDrives" && !all:
		return nil, forbidden("teamDrivesParamMustBeSpecified", "The includeItemsFromAllDrives parameter must be set to true when items of shared drives are searched.")
	case corpora == "drive" && s.store.driveOf(driveID, c.user) == nil:
		return nil, noDrive(driveID)
	case corpora == "drive":
		return func(drive string) bool { return drive == driveID }, nil
	case corpora == "" || corpora == "user" || corpora == "allDrives":
		return func(drive string) bool { return drive == "" || all }, nil
	}
	return nil, invalid("corpora", "Invalid value for corpora: "+corpora)
}

// listFiles is files.list.
func (s *Server) listFiles(c *call) (object, *refusal) {
	size, f := c.pageSize(s.limits.DefaultPage, 1000, s.limits.MaxPage)
	if f != nil {
		return nil, f
	}
	among, f := s.scope(c)
	if f != nil {
		return nil, f
	}
	from, f := s.readPosition(c)
	if f != nil {
		return nil, f
	}
	found, f := s.search(c, among)
	if f != nil {
		return nil, f
	}
	some, next := page(s, found, func(f *file) int64 { return f.order }, from, size)
	list := make([]any, 0, len(some))
	for _, one := range some {
		list = append(list, s.store.shown(one))
	}
	out := object{"kind": "drive#fileList", "incompleteSearch": false, "files": list}
	if next != "" {
		out["nextPageToken"] = next
	}
	return out, nil
}

// search finds the files that match q, in the order of their creation.
func (s *Server) search(c *call, among func(drive string) bool) ([]*file, *refusal) {
	text := c.q.Get("q")
	if len(text) > s.limits.MaxQuery {
		return nil, invalid("q", "The query is too complex.")
	}
	q, err := parseQuery(text, s.store.roots[c.user])
	if err != nil {
		return nil, invalid("q", "Invalid Value")
	}
	for _, id := range q.parents {
		parent := s.store.files[id]
		if parent == nil || !among(parent.drive) {
			return nil, noFile("")
		}
		if status := s.store.refusal(parent, c.user); status != 0 {
			return nil, refused(status, "")
		}
	}
	var found []*file
	keep := func(f *file) {
		if f.parent != "" && among(f.drive) && s.store.refusal(f, c.user) == 0 && q.fits(&s.store, f) {
			found = append(found, f)
		}
	}
	for _, f := range s.store.files {
		keep(f)
	}
	slices.SortFunc(found, func(a, b *file) int { return int(a.order - b.order) })
	return found, nil
}

// getFile is files.get: the metadata of a file, or its bytes with alt=media.
func (s *Server) getFile(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("alt") == "media" {
		s.enter(readScopes(), s.download)(w, r)
		return
	}
	s.guard(metadataScopes(), func(c *call) (object, *refusal) {
		f, no := s.file(c, c.PathValue("id"))
		if no != nil {
			return nil, no
		}
		return s.store.shown(f), nil
	}, fileFields)(w, r)
}

// download serves bytes or the requested range of them.
func (s *Server) download(c *call) sender {
	f, no := s.file(c, c.PathValue("id"))
	if no == nil {
		switch {
		case f.native():
			no = forbidden("fileNotDownloadable", "Only files with binary content can be directly downloaded. Use Export with Docs Editors files.")
		case f.partial:
			no = forbidden("fileNotDownloadable", "The file has no content yet.")
		case f.locked:
			no = forbidden("cannotDownloadFile", "This file cannot be downloaded by the user.")
		}
	}
	if no != nil {
		return no.send
	}
	media, sum, changed, content := f.mime, f.md5, f.changed, f.content
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", media)
		w.Header().Set("X-Goog-Hash", "md5="+sum)
		http.ServeContent(w, c.Request, "", changed, bytes.NewReader(content))
	}
}

// exportable are the provider's own document types that can be exported as PDF.
func exportable() []string {
	return []string{DocumentType, ownType + "spreadsheet", ownType + "presentation", ownType + "drawing"}
}

// export serves the PDF of a document of the provider's own type.
func (s *Server) export(c *call) sender {
	f, no := s.file(c, c.PathValue("id"))
	if no == nil {
		switch {
		case !slices.Contains(exportable(), f.mime):
			no = forbidden("fileNotExportable", "Export only supports Docs Editors files.")
		case c.q.Get("mimeType") != "application/pdf":
			no = invalid("mimeType", "The requested conversion is not supported.")
		case int64(len(f.content)) > s.limits.ExportBytes:
			no = forbidden("exportSizeLimitExceeded", "This file is too large to be exported.")
		case f.locked:
			no = forbidden("cannotDownloadFile", "This file cannot be downloaded by the user.")
		}
	}
	if no != nil {
		return no.send
	}
	content := f.content
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/pdf")
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(content) // a caller that disconnected needs no response
	}
}

// listDrives is drives.list.
func (s *Server) listDrives(c *call) (object, *refusal) {
	size, f := c.pageSize(s.limits.DefaultDrivePage, 100, s.limits.MaxDrivePage)
	if f != nil {
		return nil, f
	}
	from, f := s.readPosition(c)
	if f != nil {
		return nil, f
	}
	type numbered struct {
		*drive
		number int64
	}
	var mine []numbered
	for n, d := range s.store.drives {
		if d.has(c.user) {
			mine = append(mine, numbered{d, int64(n) + 1})
		}
	}
	some, next := page(s, mine, func(d numbered) int64 { return d.number }, from, size)
	list := make([]any, 0, len(some))
	for _, d := range some {
		list = append(list, d.shown())
	}
	out := object{"kind": "drive#driveList", "drives": list}
	if next != "" {
		out["nextPageToken"] = next
	}
	return out, nil
}

func (d *drive) shown() object {
	return object{"kind": "drive#drive", "id": d.id, "name": d.name, "createdTime": d.created.Format(timeLayout)}
}

// getDrive is drives.get.
func (s *Server) getDrive(c *call) (object, *refusal) {
	d := s.store.driveOf(c.PathValue("id"), c.user)
	if d == nil {
		return nil, noDrive(c.PathValue("id"))
	}
	return d.shown(), nil
}

// number parses a page token of changes.
func number(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}
