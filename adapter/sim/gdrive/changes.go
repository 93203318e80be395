package gdrive

import (
	"strconv"
	"strings"
)

// fullMark ends a page token after its empty page was returned.
const fullMark = "-1"

// feed returns the scope of the requested changes: a shared drive, or everything that the user
// sees, on request including shared drives.
func (s *Server) feed(c *call) (func(e event) bool, *refusal) {
	if id := c.q.Get("driveId"); id != "" {
		if !c.flag("supportsAllDrives") {
			return nil, forbidden("teamDrivesParamMustBeSpecified", "The supportsAllDrives parameter must be set to true.")
		}
		if s.store.driveOf(id, c.user) == nil {
			return nil, noDrive(id)
		}
		return func(e event) bool { return e.drive == id }, nil
	}
	all := c.flag("includeItemsFromAllDrives") && c.flag("supportsAllDrives")
	return func(e event) bool {
		if e.drive != "" {
			return all && s.store.driveOf(e.drive, c.user) != nil
		}
		return e.owner == c.user
	}, nil
}

// startPageToken is changes.getStartPageToken.
func (s *Server) startPageToken(c *call) (object, *refusal) {
	if _, f := s.feed(c); f != nil {
		return nil, f
	}
	return object{"kind": "drive#startPageToken", "startPageToken": strconv.FormatInt(s.store.last+1, 10)}, nil
}

// pageToken parses the position in the feed. It returns full = true if no empty page precedes the
// next page.
func (s *Server) pageToken(c *call) (from int64, full bool, f *refusal) {
	text := c.q.Get("pageToken")
	text, full = strings.CutSuffix(text, fullMark)
	n, ok := number(text)
	switch {
	case text == "":
		return 0, false, &refusal{400, "global", "required", "Required parameter: pageToken", "parameter", "pageToken"}
	case !ok || n < s.store.oldest || n > s.store.last+1:
		return 0, false, invalid("pageToken", "Invalid Value")
	}
	return n, full || !s.settings.EmptyPages, nil
}

// listChanges is changes.list: the latest change of each file after a page token. The last page
// contains the token for the next call.
func (s *Server) listChanges(c *call) (object, *refusal) {
	size, f := c.pageSize(s.limits.DefaultPage, 1000, s.limits.MaxPage)
	if f != nil {
		return nil, f
	}
	mine, f := s.feed(c)
	if f != nil {
		return nil, f
	}
	from, full, f := s.pageToken(c)
	if f != nil {
		return nil, f
	}
	some, next := s.happened(c, mine, from, size)
	out := object{"kind": "drive#changeList"}
	if !full && len(some) > 0 {
		some, next = nil, strconv.FormatInt(from, 10)+fullMark
	}
	list := make([]any, 0, len(some)+1)
	for _, e := range some {
		list = append(list, s.shownChange(c, e))
	}
	if s.settings.Repeats && len(list) > 0 {
		list = append(list, list[len(list)-1])
	}
	if out["changes"] = list; next != "" {
		out["nextPageToken"] = next
	} else {
		out["newStartPageToken"] = strconv.FormatInt(s.store.last+1, 10)
	}
	return out, nil
}

// happened returns a page of events and the token of the following page; "" after the last one.
func (s *Server) happened(c *call, mine func(event) bool, from int64, size int) (out []event, next string) {
	latest := map[string]int64{}
	for _, e := range s.store.events {
		latest[e.file] = e.number
	}
	for _, e := range s.store.events {
		if e.number < from || !mine(e) || !s.settings.Repeats && latest[e.file] != e.number {
			continue
		}
		if s.gone(c, e) && c.q.Get("includeRemoved") == "false" {
			continue
		}
		if len(out) == size {
			return out, strconv.FormatInt(e.number, 10)
		}
		out = append(out, e)
	}
	return out, ""
}

// gone reports that a user cannot see a file any more.
func (s *Server) gone(c *call, e event) bool {
	f := s.store.files[e.file]
	return f == nil || s.store.refusal(f, c.user) != 0
}

func (s *Server) shownChange(c *call, e event) object {
	out := object{
		"kind": "drive#change", "changeType": "file", "type": "file", "fileId": e.file, "time": e.at.Format(timeLayout), "removed": s.gone(c, e),
	}
	if e.drive != "" {
		out["driveId"] = e.drive
	}
	if !s.gone(c, e) {
		out["file"] = s.store.shown(s.store.files[e.file])
	}
	return out
}
