package docs

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"mime"
	"path"
	"regexp"
	"strings"
	"sync"

	"docledger"
	"docledger/openapi"

	"github.com/gin-gonic/gin"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// The style and the script of each page.
//
//go:embed site
var siteFiles embed.FS

// sitePolicy allows the own files only: no inline script or style, no form and
// no frame.
const sitePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

const markdown = "text/markdown; charset=utf-8"

// sitePage is one page of the documentation.
type sitePage struct {
	file    string // in the project
	Address string // on the site, such as /docs/quick-start
	Title   string
	lead    string // the first paragraph, for lists of pages
	source  string // Markdown, with links as in the project
}

// markdownAddress returns the address of the page's source.
func (p sitePage) markdownAddress() string {
	if p.Address == "/docs" {
		return "/docs/index.md"
	}
	return p.Address + ".md"
}

// site is every page, in the order of the navigation.
type site struct {
	pages  []sitePage
	byFile map[string]sitePage
}

// addressOf returns the address of a page.
func addressOf(file string) string {
	if address, ok := addresses[file]; ok {
		return address
	}
	name := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(file, ".md"), "docs/"), "guides/")
	return "/docs/" + name
}

// loadSite reads the sources of all pages.
func loadSite() (*site, error) {
	s := &site{byFile: map[string]sitePage{}}
	for _, g := range contents {
		for _, file := range g.files {
			source, err := sourceOf(file)
			if err != nil {
				return nil, err
			}
			title, lead := headOf(source)
			p := sitePage{file: file, Address: addressOf(file), Title: title, lead: lead, source: source}
			s.pages = append(s.pages, p)
			s.byFile[file] = p
		}
	}
	return s, nil
}

func sourceOf(file string) (string, error) {
	if file == errorsFile {
		return errorsSource()
	}
	data, err := docledger.Pages.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read page: %w", err)
	}
	return comment.ReplaceAllString(string(data), ""), nil
}

// headOf returns the title of a page and its first paragraph as plain text.
func headOf(source string) (title, lead string) {
	title, rest, _ := strings.Cut(strings.TrimPrefix(source, "# "), "\n")
	for line := range strings.Lines(rest) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "!") && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "`") {
			return title, plain.Replace(link.ReplaceAllString(line, "$2"))
		}
	}
	return title, ""
}

var (
	comment = regexp.MustCompile(`(?s)<!--.*?-->\n?`)

	link  = regexp.MustCompile(`(!?)\[((?:[^\]\n\[]|\\\])+)\]\(([^)\s]+)\)`)
	plain = strings.NewReplacer("**", "", "`", "")
)

// linked returns the source of a page with the addresses of the site in its
// links. address chooses the form. A link to a file that is no page of the site
// becomes its text.
func (s *site) linked(p sitePage, address func(sitePage) string) string {
	return link.ReplaceAllStringFunc(p.source, func(found string) string {
		parts := link.FindStringSubmatch(found)
		target, fragment, _ := strings.Cut(parts[3], "#")
		if target == "" || strings.Contains(target, "://") || strings.HasPrefix(target, "/") {
			return found
		}
		if fragment != "" {
			fragment = "#" + fragment
		}
		file := path.Join(path.Dir(p.file), target)
		if to, ok := s.byFile[file]; ok {
			return fmt.Sprintf("[%s](%s%s)", parts[2], address(to), fragment)
		}
		if to, ok := s.byFile[path.Join(file, "README.md")]; ok {
			return fmt.Sprintf("[%s](%s%s)", parts[2], address(to), fragment)
		}
		if parts[1] == "!" {
			return fmt.Sprintf("![%s](/%s)", parts[2], file)
		}
		return parts[2]
	})
}

// heading is a heading of a page, with its text and the plain text under it.
type heading struct {
	Level    int
	ID, Text string
	page     string
	body     strings.Builder
}

var writer = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithAttribute()))

// render returns the HTML of a page and its headings. Raw HTML in a source is
// not rendered.
func (s *site) render(p sitePage) (string, []*heading, error) {
	source := []byte(s.linked(p, func(to sitePage) string { return to.Address }))
	root := writer.Parser().Parse(text.NewReader(source))
	var headings []*heading
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if h, ok := n.(*ast.Heading); ok {
			id, _ := h.AttributeString("id")
			name, _ := id.([]byte)
			found := &heading{Level: h.Level, ID: string(name), page: p.Title}
			collect(h, source, &found.body)
			found.Text = strings.TrimSpace(found.body.String())
			found.body.Reset()
			headings = append(headings, found)
			return ast.WalkSkipChildren, nil
		}
		if len(headings) > 0 && n.Type() == ast.TypeBlock && (n.FirstChild() == nil || n.FirstChild().Type() == ast.TypeInline) {
			collect(n, source, &headings[len(headings)-1].body)
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return "", nil, err
	}
	var out bytes.Buffer
	if err := writer.Renderer().Render(&out, source, root); err != nil {
		return "", nil, fmt.Errorf("render %s: %w", p.file, err)
	}
	body := headingTag.ReplaceAllString(out.String(), `<h$1 id="$2">$3<a class="anchor" href="#$2" aria-label="Link to this section"></a></h$1>`)
	body = strings.NewReplacer("<pre>", `<pre tabindex="0">`, "<table>", `<div class="table" tabindex="0" role="group" aria-label="Table"><table>`, "</table>", "</table></div>").Replace(body)
	return body, headings, nil
}

var headingTag = regexp.MustCompile(`<h([23]) id="([^"]+)">(.*?)</h[23]>`)

// collect appends the text of a block and its children.
func collect(n ast.Node, source []byte, out *strings.Builder) {
	switch n := n.(type) {
	case *ast.Text:
		out.Write(n.Segment.Value(source))
		out.WriteByte(' ')
	case *ast.FencedCodeBlock:
		out.Write(n.Lines().Value(source))
	default:
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			collect(c, source, out)
		}
	}
}

// layout is the content of a page and what surrounds it.
type layout struct {
	page       sitePage
	body       string // HTML
	headings   []*heading
	sections   []section
	prev, next *sitePage
}

// section is a part of the navigation.
type section struct {
	title string
	pages []sitePage
}

func (s *site) html(i int) (asset, error) {
	p := s.pages[i]
	body, all, err := s.render(p)
	if err != nil {
		return asset{}, err
	}
	l := layout{page: p, body: body}
	for _, found := range all {
		if found.Level == 2 && found.ID != "" {
			l.headings = append(l.headings, found)
		}
	}
	for _, c := range contents {
		part := section{title: c.title}
		for _, file := range c.files {
			part.pages = append(part.pages, s.byFile[file])
		}
		l.sections = append(l.sections, part)
	}
	if i > 0 {
		l.prev = &s.pages[i-1]
	}
	if i+1 < len(s.pages) {
		l.next = &s.pages[i+1]
	}
	var out bytes.Buffer
	if err := l.html().Render(&out); err != nil {
		return asset{}, fmt.Errorf("render page: %w", err)
	}
	return asset{html, out.Bytes(), tag(out.Bytes())}, nil
}

// found is an entry of the search: the address of a section, the titles of its
// page and of itself, and its text.
type found struct {
	Address string `json:"a"`
	Page    string `json:"p"`
	Title   string `json:"t"`
	Text    string `json:"x"`
}

// index returns what the search searches: the sections of all pages and the
// operations of the reference.
func (s *site) index() (asset, error) {
	var entries []found
	for _, p := range s.pages {
		_, all, err := s.render(p)
		if err != nil {
			return asset{}, err
		}
		for _, h := range all {
			address := p.Address
			if h.Level > 1 && h.ID != "" {
				address += "#" + h.ID
			}
			entries = append(entries, found{address, h.page, h.Text, strings.Join(strings.Fields(h.body.String()), " ")})
		}
	}
	doc, err := openapi.Shared()
	if err != nil {
		return asset{}, fmt.Errorf("read specification: %w", err)
	}
	for _, o := range operationsOf(doc) {
		entries = append(entries, found{o.reference(), "Reference", o.summary, o.method + " " + o.path + " " + o.id})
	}
	data, err := json.Marshal(entries)
	return asset{"application/json", data, tag(data)}, err
}

// registerSite adds every page in both forms, the files of pages and the index
// of the search. A page is rendered at the first request for it.
func registerSite(routes gin.IRoutes) error {
	load := sync.OnceValues(loadSite)
	position := 0
	for _, g := range contents {
		for _, file := range g.files {
			i, address := position, addressOf(file)
			position++
			rendered := once(func() (asset, error) {
				s, err := load()
				if err != nil {
					return asset{}, err
				}
				return s.html(i)
			})
			source := once(func() (asset, error) {
				s, err := load()
				if err != nil {
					return asset{}, err
				}
				data := []byte(s.linked(s.pages[i], sitePage.markdownAddress))
				return asset{markdown, data, tag(data)}, nil
			})
			routes.GET(address, func(c *gin.Context) { sendPage(c, rendered()) })
			routes.GET(sitePage{Address: address}.markdownAddress(), func(c *gin.Context) { sendPage(c, source()) })
		}
	}
	index := once(func() (asset, error) {
		s, err := load()
		if err != nil {
			return asset{}, err
		}
		return s.index()
	})
	routes.GET("/docs/search.json", func(c *gin.Context) { send(c, index(), revalidate) })
	for _, name := range []string{"site.css", "site.js"} {
		data, err := siteFiles.ReadFile("site/" + name)
		if err != nil {
			return fmt.Errorf("read file of pages: %w", err)
		}
		file := asset{mime.TypeByExtension(path.Ext(name)), data, tag(data)}
		routes.GET("/docs/"+name, func(c *gin.Context) { send(c, file, revalidate) })
	}
	pictures, err := fs.ReadDir(docledger.Pages, "docs/images")
	if err != nil {
		return fmt.Errorf("list pictures: %w", err)
	}
	for _, picture := range pictures {
		file := "docs/images/" + picture.Name()
		read := once(func() (asset, error) {
			data, err := docledger.Pages.ReadFile(file)
			return asset{mime.TypeByExtension(path.Ext(file)), data, tag(data)}, err
		})
		routes.GET("/"+file, func(c *gin.Context) { sendPage(c, read()) })
	}
	return nil
}

// sendPage sends a file of the site under its policy.
func sendPage(c *gin.Context, a asset) {
	c.Header("Content-Security-Policy", sitePolicy)
	send(c, a, revalidate)
}
