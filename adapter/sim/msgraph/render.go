package msgraph

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// object is a JSON object of a response.
type object = map[string]any

func moment(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

func (i *item) eTag() string { return fmt.Sprintf(`"{%s},%d"`, i.guid, i.version) }
func (i *item) cTag() string { return fmt.Sprintf(`"c:{%s},%d"`, i.guid, i.contentVersion) }

func (at *site) render() object {
	return object{
		"id": at.id, "name": at.path[strings.LastIndex(at.path, "/")+1:], "displayName": at.name, "webUrl": "https://" + siteHost + at.path,
		"createdDateTime": moment(at.made), "lastModifiedDateTime": moment(at.made),
		"siteCollection": object{"hostname": siteHost}, "root": object{},
	}
}

func (d *drive) render() object {
	return object{
		"id": d.id, "name": d.name, "driveType": "documentLibrary", "webUrl": "https://" + siteHost + d.site.path + "/" + url.PathEscape(d.name),
		"createdDateTime": moment(d.made), "lastModifiedDateTime": moment(d.made), "description": "",
		"owner": object{"group": object{"displayName": d.site.name + " Owners"}},
		"quota": object{"state": "normal", "total": int64(27) << 40, "used": d.size(), "deleted": 0, "remaining": int64(26) << 40},
	}
}

func (d *drive) size() (total int64) {
	for _, i := range d.items {
		total += i.content.size
	}
	return total
}

// render returns an item as in a delta, without the path of its folder.
func (i *item) render() object {
	out := object{
		"id": i.id, "name": i.name, "eTag": i.eTag(), "webUrl": i.webURL(), "size": i.bytes(),
		"createdDateTime": moment(i.made), "lastModifiedDateTime": moment(i.modified),
		"fileSystemInfo": object{"createdDateTime": moment(i.made), "lastModifiedDateTime": moment(i.modified)},
		"parentReference": object{
			"driveId": i.drive.id, "driveType": "documentLibrary", "siteId": strings.Split(i.drive.site.id, ",")[1],
		},
	}
	if i.parent == nil {
		out["root"] = object{}
	} else {
		out["parentReference"].(object)["id"] = i.parent.id
	}
	if i.folder {
		out["folder"] = object{"childCount": len(i.kids)}
		return out
	}
	out["cTag"] = i.cTag()
	file := object{"mimeType": i.media}
	if i.content.hash != "" && !i.uploading {
		file["hashes"] = object{"quickXorHash": i.content.hash}
	}
	out["file"] = file
	if i.uploading {
		out["pendingOperations"] = object{"pendingContentUpdate": object{"queuedDateTime": moment(i.modified)}}
	}
	if i.infected {
		out["malware"] = object{"description": "EICAR"}
	}
	return out
}

// bytes is the size of a file, or of all files in a folder.
func (i *item) bytes() int64 {
	total := i.content.size
	for _, kid := range i.kids {
		total += kid.bytes()
	}
	return total
}

// renderGone returns a deleted item as in a delta: without a name.
func (i *item) renderGone() object {
	never := "0001-01-01T08:00:00Z"
	out := object{
		"id": i.id, "deleted": object{"state": "deleted"}, "size": 0, "createdDateTime": never, "lastModifiedDateTime": never,
		"parentReference": object{"driveId": i.drive.id, "driveType": "documentLibrary"},
	}
	if i.parent != nil {
		out["parentReference"].(object)["id"] = i.parent.id
	}
	if i.folder {
		out["folder"] = object{"childCount": 0}
	} else {
		out["file"] = object{}
	}
	return out
}

// whole returns an item as in a single read: with the path of its folder and an address of its
// content. The caller holds the lock.
func (s *Server) whole(i *item) object {
	out := i.render()
	if i.parent != nil {
		parent := out["parentReference"].(object)
		parent["name"] = i.parent.name
		parent["path"] = "/drives/" + i.drive.id + "/root:" + strings.TrimSuffix((&url.URL{Path: i.parent.path()}).EscapedPath(), "/")
	}
	if !i.folder && !i.locked && !i.uploading && !i.infected {
		out["@microsoft.graph.downloadUrl"] = s.address(i)
	}
	return out
}

// choose removes the fields that $select does not name, including the deletion mark of a delta.
func choose(o object, names string) object {
	if names == "" {
		return o
	}
	wanted := strings.Split(names, ",")
	for name := range o {
		if !slices.ContainsFunc(wanted, func(w string) bool { return strings.EqualFold(strings.TrimSpace(w), name) }) {
			delete(o, name)
		}
	}
	return o
}
