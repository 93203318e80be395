package gdrive

import (
	"net/url"
	"strings"
)

// tree contains field names and the fields below them. An empty tree selects all fields.
type tree map[string]tree

// selectable lists the fields that can be selected in a response, and the default selection.
type selectable struct {
	all    tree
	normal string
}

func names(list string) tree {
	t, err := parseFields(list)
	if err != "" {
		panic("fields " + list + ": " + err) // the lists are part of this package
	}
	return t
}

const (
	fileNames = "kind,id,name,mimeType,trashed,explicitlyTrashed,version,createdTime,modifiedTime,webViewLink,ownedByMe,spaces,parents," +
		"sharedWithMeTime,driveId,size,md5Checksum,sha256Checksum,headRevisionId,originalFilename,fileExtension,resourceKey,description," +
		"capabilities(canDownload,canListChildren),shortcutDetails(targetId,targetMimeType,targetResourceKey)"
	driveNames = "kind,id,name,createdTime"
	brief      = "kind,id,name,mimeType"
)

var (
	fileFields       = &selectable{names(fileNames), brief}
	fileListFields   = &selectable{names("kind,incompleteSearch,nextPageToken,files(" + fileNames + ")"), "kind,incompleteSearch,nextPageToken,files(" + brief + ")"}
	driveFields      = &selectable{names(driveNames), "kind,id,name"}
	driveListFields  = &selectable{names("kind,nextPageToken,drives(" + driveNames + ")"), "kind,nextPageToken,drives(kind,id,name)"}
	startFields      = &selectable{names("kind,startPageToken"), "*"}
	changeListFields = &selectable{
		names("kind,nextPageToken,newStartPageToken,changes(kind,changeType,type,fileId,driveId,removed,time,file(" + fileNames + "),drive(" + driveNames + "))"),
		"kind,nextPageToken,newStartPageToken,changes(kind,changeType,type,fileId,driveId,removed,time,file(" + brief + "),drive(kind,id,name))",
	}
	channelFields = &selectable{names("kind,id,resourceId,resourceUri,token,expiration"), "*"}
	aboutFields   = &selectable{names("kind,user(kind,displayName,emailAddress,me,permissionId)"), "*"}
)

// parse parses the parameter fields.
func (s *selectable) parse(q url.Values) (tree, *refusal) {
	text := s.normal
	if q.Has("fields") {
		text = q.Get("fields")
	}
	t, bad := parseFields(text)
	if bad == "" {
		bad = unknown(t, s.all)
	}
	if bad != "" {
		return nil, invalid("fields", "Invalid field selection "+bad)
	}
	return t, nil
}

// unknown returns the first unknown field; "" for none.
func unknown(t, all tree) string {
	for name, below := range t {
		known, ok := all[name]
		switch {
		case name == "*":
		case !ok:
			return name
		case len(below) > 0:
			if bad := unknown(below, known); bad != "" {
				return bad
			}
		}
	}
	return ""
}

// parseFields parses a list such as a,b(c,d),e/f. bad is the part that cannot be parsed.
func parseFields(text string) (t tree, bad string) {
	t, rest := fieldList(text, 0)
	if rest != "" || len(t) == 0 {
		return nil, "'" + text + "'"
	}
	return t, ""
}

// fieldList parses a list up to its end or a closing bracket. It returns the rest, and a nil tree
// if the list is invalid.
func fieldList(text string, depth int) (tree, string) {
	const deepest = 8
	out := tree{}
	if depth > deepest {
		return nil, text
	}
	for {
		end := strings.IndexAny(text, ",()/")
		name := text
		if end >= 0 {
			name = text[:end]
		}
		if name = strings.TrimSpace(name); name == "" {
			return nil, text
		}
		if out[name] == nil {
			out[name] = tree{}
		}
		if end < 0 {
			return out, ""
		}
		mark := text[end]
		text = text[end+1:]
		if mark == '(' || mark == '/' {
			var below tree
			below, text = beneath(text, mark, depth)
			if below == nil {
				return nil, text + "("
			}
			for k, v := range below {
				out[name][k] = v
			}
			if text == "" {
				return out, ""
			}
			mark, text = text[0], text[1:]
		}
		switch mark {
		case ')':
			return out, ")" + text
		case ',':
		default:
			return nil, text
		}
	}
}

// beneath parses the fields below a name: a list in brackets, or one name.
func beneath(text string, mark byte, depth int) (tree, string) {
	if mark == '(' {
		below, rest := fieldList(text, depth+1)
		if below == nil || !strings.HasPrefix(rest, ")") {
			return nil, rest
		}
		return below, rest[1:]
	}
	end := strings.IndexAny(text, ",)")
	if end < 0 {
		end = len(text)
	}
	below, rest := fieldList(text[:end], depth+1)
	if below == nil || rest != "" {
		return nil, text
	}
	return below, text[end:]
}

// apply keeps only the selected fields of a value.
func (t tree) apply(v any) any {
	if _, all := t["*"]; all || len(t) == 0 {
		return v
	}
	switch v := v.(type) {
	case []any:
		out := make([]any, 0, len(v))
		for _, one := range v {
			out = append(out, t.apply(one))
		}
		return out
	case object:
		out := object{}
		for name, below := range t {
			if value, ok := v[name]; ok {
				out[name] = below.apply(value)
			}
		}
		return out
	}
	return v
}
