package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

// File is a file or folder, with the fields that the client requests.
type File struct {
	ID           string    `json:"id"`
	Name         string    `json:"name"`
	MimeType     string    `json:"mimeType"`
	Parents      []string  `json:"parents"` // at most one
	DriveID      string    `json:"driveId"` // "" outside shared drives
	Trashed      bool      `json:"trashed"` // the file itself or a folder above it
	Size         string    `json:"size"`    // digits; "" for what has no bytes
	MD5          string    `json:"md5Checksum"`
	SHA256       string    `json:"sha256Checksum"`
	HeadRevision string    `json:"headRevisionId"` // "" for what has no bytes
	ModifiedTime time.Time `json:"modifiedTime"`
	WebViewLink  string    `json:"webViewLink"`
}

const fileFields = "id,name,mimeType,parents,driveId,trashed,size,md5Checksum,sha256Checksum,headRevisionId,modifiedTime,webViewLink"

// Folder reports whether f is a folder.
func (f *File) Folder() bool { return f.MimeType == FolderType }

// Native reports whether f is of one of the provider's own types, which have no bytes.
func (f *File) Native() bool { return strings.HasPrefix(f.MimeType, ownTypes) }

// Exportable reports whether the provider can export f as PDF.
func (f *File) Exportable() bool {
	switch strings.TrimPrefix(f.MimeType, ownTypes) {
	case "document", "spreadsheet", "presentation", "drawing":
		return f.Native()
	}
	return false
}

// Parent returns the id of the folder that contains f, or "" for a top folder.
func (f *File) Parent() string {
	if len(f.Parents) == 0 {
		return ""
	}
	return f.Parents[0]
}

// Bytes returns the size in bytes, or -1 if it is unknown or differs from the size of the export.
func (f *File) Bytes() int64 {
	n, err := strconv.ParseInt(f.Size, 10, 64)
	if err != nil || n < 0 || f.Native() {
		return -1
	}
	return n
}

// everywhere includes shared drives in a request.
func everywhere(q url.Values) url.Values {
	q.Set("supportsAllDrives", "true")
	return q
}

// File returns one file.
func (c *Client) File(ctx context.Context, a integration.Access, id string) (*File, error) {
	const doing = "read file"
	var f File
	if err := c.get(ctx, doing, a, &f, everywhere(url.Values{"fields": {fileFields}}), "files", id); err != nil {
		return nil, err
	}
	if f.ID != id {
		return nil, httpclient.Broken(doing, "the response describes a different file")
	}
	return &f, nil
}

// Quote returns a text as a literal of the query language.
func Quote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

// Query selects files.
type Query struct {
	Text  string // in the query language
	Drive string // a shared drive's id; "" for what the account has itself
}

// Page is one page of a list of files.
type Page struct {
	Files []File `json:"files"`
	Next  string `json:"nextPageToken"` // "" at the end
	// Incomplete reports that the provider did not search all files.
	Incomplete bool `json:"incompleteSearch"`
}

// FilePage returns a page of a list; the first page has token "".
func (c *Client) FilePage(ctx context.Context, a integration.Access, query Query, token string) (Page, error) {
	const doing = "list files"
	q := everywhere(url.Values{
		"q": {query.Text}, "pageSize": {strconv.Itoa(filePage)}, "includeItemsFromAllDrives": {"true"},
		"fields": {"nextPageToken,incompleteSearch,files(" + fileFields + ")"},
	})
	if query.Drive != "" {
		q.Set("corpora", "drive")
		q.Set("driveId", query.Drive)
	}
	if token != "" {
		q.Set("pageToken", token)
	}
	var p Page
	if err := c.get(ctx, doing, a, &p, q, "files"); err != nil {
		return Page{}, err
	}
	if p.Incomplete {
		return Page{}, httpclient.Broken(doing, "the provider searched only a part of the files")
	}
	return p, nil
}

// Files returns all pages of a list.
func (c *Client) Files(ctx context.Context, a integration.Access, query Query) ([]File, error) {
	return all(func(token string) ([]File, string, error) {
		p, err := c.FilePage(ctx, a, query, token)
		return p.Files, p.Next, err
	})
}

// Drive is a shared drive. Its top folder has the same id.
type Drive struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Drives lists the shared drives that the account is a member of.
func (c *Client) Drives(ctx context.Context, a integration.Access) ([]Drive, error) {
	return all(func(token string) ([]Drive, string, error) {
		var p struct {
			Drives []Drive `json:"drives"`
			Next   string  `json:"nextPageToken"`
		}
		q := url.Values{"pageSize": {strconv.Itoa(drivePage)}, "fields": {"nextPageToken,drives(id,name)"}}
		if token != "" {
			q.Set("pageToken", token)
		}
		err := c.get(ctx, "list drives", a, &p, q, "drives")
		return p.Drives, p.Next, err
	})
}

// all returns the elements of all pages, of at most maxPages.
func all[T any](page func(token string) ([]T, string, error)) (list []T, err error) {
	token := ""
	for range maxPages {
		some, next, err := page(token)
		if err != nil {
			return nil, err
		}
		if list = append(list, some...); next == "" {
			return list, nil
		}
		if next == token {
			break
		}
		token = next
	}
	return nil, httpclient.Broken("read a list", "it does not end")
}

// Download opens the bytes of a file.
func (c *Client) Download(ctx context.Context, a integration.Access, id string) (httpclient.Stream, error) {
	return c.link.Open(ctx, c.request("download file", http.MethodGet, a, everywhere(url.Values{"alt": {"media"}}), "files", id))
}

// Export opens the PDF export of a document of the provider's own type.
func (c *Client) Export(ctx context.Context, a integration.Access, id string) (httpclient.Stream, error) {
	return c.link.Open(ctx, c.request("export file", http.MethodGet, a, url.Values{"mimeType": {"application/pdf"}}, "files", id, "export"))
}
