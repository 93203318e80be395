package httpapi

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"docledger/adapter/httpapi/edge"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/link"
	"docledger/gen/backend"
	"docledger/usecase/links"

	"github.com/gin-gonic/gin"
)

// The routes of links. Their last part is a token, so that no log contains more than the pattern.
const (
	uploadRoute = "/upload/:token"
	// uploadFileRoute is what curl -T requests for an address that ends with a slash.
	uploadFileRoute = "/upload/:token/*filename"
	downloadRoute   = "/download/:token"
)

// LinkTransfers are the routes of links in the limits of the edge.
var LinkTransfers = map[string]edge.Transfer{uploadRoute: edge.TransferIn, uploadFileRoute: edge.TransferIn, downloadRoute: edge.TransferOut}

//go:embed upload.html
var uploadSource string

var (
	uploadBefore, uploadAfter, _ = strings.Cut(uploadSource, "<!-- content -->\n")
	// uploadPolicy lets the page send its form and use its own style. The page has no script.
	uploadPolicy = "default-src 'none'; style-src '" + styleHash(uploadSource) + "'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)

// styleHash returns the hash of the style of a page for its policy.
func styleHash(page string) string {
	_, rest, _ := strings.Cut(page, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(style))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// CreateUploadLink implements the operation createUploadLink.
func (s *Server) CreateUploadLink(ctx context.Context, r backend.CreateUploadLinkRequestObject) (backend.CreateUploadLinkResponseObject, error) {
	in := links.UploadInput{EntityID: r.Body.EntityId}
	if r.Body.ExpiresIn != nil {
		in.Lifetime = time.Duration(*r.Body.ExpiresIn) * time.Second
	}
	if r.Body.MaxFiles != nil {
		in.MaxFiles = *r.Body.MaxFiles
	}
	l, token, err := s.Links.CreateUpload(ctx, actor(ctx), in)
	if err != nil {
		return nil, err
	}
	url := s.BaseURL + "/upload/" + token
	return backend.CreateUploadLink200JSONResponse{Body: backend.UploadLink{
		Url: url, ExpiresAt: l.ExpiresAt, MaxFiles: l.MaxUses, Curl: "curl -fsS -T FILE '" + url + "/'",
	}}, nil
}

// registerLinks adds the routes of links.
func (s *Server) registerLinks(routes gin.IRouter) {
	routes.GET(uploadRoute, s.showUpload)
	routes.GET(downloadRoute, s.download)
	routes.GET(connectRoute, s.showConnect)
	routes.POST(connectRoute, s.beginConnect)
	routes.GET(connectedPath, s.showConnected)
	for _, method := range []string{http.MethodPut, http.MethodPost} {
		routes.Handle(method, uploadRoute, s.receiveUpload)
		routes.Handle(method, uploadFileRoute, s.receiveUpload)
	}
}

// open returns the link of a request. It refuses the request before its body is read.
func (s *Server) open(c *gin.Context, p link.Purpose) (*link.Link, identity.Actor, bool) {
	l, a, err := s.Links.Open(c.Request.Context(), p, c.Param("token"))
	if err != nil {
		if c.Request.ContentLength != 0 {
			c.Header("Connection", "close") // the body is not read
		}
		s.linkError(c, err)
		return nil, identity.Actor{}, false
	}
	a.RequestID = edge.RequestID(c).String()
	edge.ActAs(c, a)
	return l, a, true
}

// linkError writes an error as a page for browsers, and as JSON for programs.
func (s *Server) linkError(c *gin.Context, err error) {
	if c.FullPath() == connectRoute {
		s.connectError(c, err)
		return
	}
	if !wantsPage(c) {
		edge.WriteError(c, err)
		return
	}
	f, status := edge.Fault(c, err)
	s.writeUpload(c, status, uploadView{Problem: f})
}

func wantsPage(c *gin.Context) bool {
	return edge.Preferred(c.Request.Header.Values("Accept"), "application/json", "text/html") == "text/html"
}

// uploadView is what the page shows.
type uploadView struct {
	Entity  string
	Left    int
	Expires string
	Files   []receivedFile
	Problem string
}

// receivedFile is one file of a response.
type receivedFile struct {
	DocumentID string `json:"document_id"`
	Filename   string `json:"filename"`
	SizeBytes  int64  `json:"size_bytes"`
	Duplicate  bool   `json:"duplicate"`
}

// html returns the content of the page. Every value is escaped.
func (v uploadView) html() string {
	var page strings.Builder
	if v.Problem != "" {
		page.WriteString(`<p class="problem" role="alert">` + html.EscapeString(v.Problem) + "</p>\n")
	}
	if len(v.Files) > 0 {
		page.WriteString("<p role=\"status\">These documents were received:</p>\n<ul>\n")
		for _, f := range v.Files {
			before := ""
			if f.Duplicate {
				before = " (it was there before)"
			}
			page.WriteString("<li>" + html.EscapeString(f.Filename) + before + "</li>\n")
		}
		page.WriteString("</ul>\n")
	}
	if v.Entity == "" || v.Left <= 0 {
		if len(v.Files) > 0 {
			page.WriteString("<p>This link is used up. You can close this page.</p>\n")
		}
		return page.String()
	}
	accepts, label, multiple := "one more file", "Choose a file, or drop it here", ""
	if v.Left > 1 {
		accepts, label, multiple = fmt.Sprintf("up to %d files", v.Left), "Choose files, or drop them here", " multiple"
	}
	fmt.Fprintf(&page, `<p>The files go to <strong>%s</strong>. This link accepts %s until %s.</p>
<form method="post" enctype="multipart/form-data">
<label for="file">%s</label>
<input type="file" id="file" name="file" required%s>
<button>Upload</button>
</form>
`, html.EscapeString(v.Entity), accepts, html.EscapeString(v.Expires), label, multiple)
	return page.String()
}

func (s *Server) showUpload(c *gin.Context) {
	l, a, ok := s.open(c, link.Upload)
	if !ok {
		return
	}
	s.writeUpload(c, http.StatusOK, s.viewOf(c, l, a))
}

func (s *Server) viewOf(c *gin.Context, l *link.Link, a identity.Actor) uploadView {
	v := uploadView{Left: l.MaxUses - l.Uses, Expires: l.ExpiresAt.UTC().Format("15:04 UTC")}
	if e, err := s.Entities.Get(c.Request.Context(), a.Scope(), l.EntityID); err == nil {
		v.Entity = e.Name
	}
	return v
}

func (s *Server) writeUpload(c *gin.Context, status int, v uploadView) {
	c.Header("Content-Security-Policy", uploadPolicy)
	c.Header("Cache-Control", "no-store")
	c.Data(status, "text/html; charset=utf-8", []byte(uploadBefore+v.html()+uploadAfter))
}

// receiveUpload stores the files of a request: the body itself, or the parts of a form.
func (s *Server) receiveUpload(c *gin.Context) {
	l, a, ok := s.open(c, link.Upload)
	if !ok {
		return
	}
	files, err := s.receiveFiles(c, l, a)
	if err != nil && len(files) == 0 {
		s.linkError(c, err)
		return
	}
	l.Uses += len(files)
	if wantsPage(c) {
		v := s.viewOf(c, l, a)
		v.Files = files
		if err != nil {
			v.Problem, _ = edge.Fault(c, err)
		}
		s.writeUpload(c, http.StatusOK, v)
		return
	}
	if err != nil {
		edge.WriteError(c, withReceived(err, files))
		return
	}
	c.JSON(http.StatusOK, gin.H{"items": files})
}

// maxSkipped is the maximum number of parts of a form that have no file. Each takes processor time.
const maxSkipped = 50

// withReceived names the files that were stored before one of the same form failed.
func withReceived(err error, files []receivedFile) error {
	if f, ok := fault.As(err); ok {
		return f.With("received", files)
	}
	return err
}

func (s *Server) receiveFiles(c *gin.Context, l *link.Link, a identity.Actor) (files []receivedFile, err error) {
	ctx := c.Copy()
	store := func(name string, content io.Reader) error {
		up, err := s.Links.Upload(ctx, l, a, name, &capped{r: content, left: s.MaxUploadBytes, limit: s.MaxUploadBytes})
		if err == nil {
			d := up.Document
			files = append(files, receivedFile{DocumentID: d.ID.String(), Filename: d.Filename, SizeBytes: d.SizeBytes, Duplicate: up.Duplicate})
		}
		return err
	}
	mediaType, parameters, _ := mime.ParseMediaType(c.GetHeader("Content-Type"))
	if mediaType != "multipart/form-data" {
		if c.Request.ContentLength > s.MaxUploadBytes {
			return nil, (&capped{limit: s.MaxUploadBytes}).tooLarge()
		}
		err = store(filenameOf(c), c.Request.Body)
		return files, err
	}
	form := multipart.NewReader(c.Request.Body, parameters["boundary"])
	skipped := 0
	for {
		end := edge.PartHeaders(c)
		part, err := form.NextPart()
		end()
		if errors.Is(err, io.EOF) {
			if len(files) == 0 {
				return nil, fault.InvalidField(partFile, "is required")
			}
			return files, nil
		}
		if err != nil {
			return files, errForm(err)
		}
		if part.FileName() == "" {
			if skipped++; skipped > maxSkipped {
				return files, fault.New(fault.Invalid, fault.CodeInvalidRequest, "The form has more than %d parts without a file.", maxSkipped)
			}
			continue // an empty choice of a browser, or a field
		}
		if err := store(part.FileName(), part); err != nil {
			return files, err
		}
	}
}

// filenameOf returns the name of a file that is sent as the body: the end of the address, or that of
// Content-Disposition.
func filenameOf(c *gin.Context) string {
	if name := strings.Trim(c.Param("filename"), "/"); name != "" {
		return name
	}
	_, parameters, err := mime.ParseMediaType(c.GetHeader("Content-Disposition"))
	if err != nil {
		return ""
	}
	return parameters["filename"]
}
