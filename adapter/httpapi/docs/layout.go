package docs

import (
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// html returns the whole page.
func (l layout) html() g.Node {
	return h.Doctype(h.HTML(
		h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.Meta(h.Name("color-scheme"), h.Content("light dark")),
			h.TitleEl(g.Text(l.page.Title+" · docledger documentation")),
			h.Link(h.Rel("icon"), h.Href("data:,")),
			h.Link(h.Rel("alternate"), h.Type("text/markdown"), h.Href(l.page.markdownAddress())),
			h.Link(h.Rel("stylesheet"), h.Href("/docs/site.css")),
			h.Script(h.Src("/docs/site.js"), h.Defer()),
		),
		h.Body(
			h.A(h.Class("skip"), h.Href("#content"), g.Text("Skip to the content")),
			header(),
			h.Div(
				h.Class("columns"),
				h.Details(h.Class("menu"), h.Summary(g.Text("All pages"))),
				l.navigation(),
				h.Main(
					h.ID("content"), h.TabIndex("-1"),
					// The renderer escapes the text of our own pages.
					h.Article(g.Raw(l.body)),
					h.Footer(
						h.Div(
							h.Class("turn"),
							turn(l.prev, "prev", "← ", ""), g.Text(" "), turn(l.next, "next", "", " →"),
						),
						h.P(h.A(h.Href(l.page.markdownAddress()), g.Text("This page as Markdown"))),
					),
				),
				l.onThisPage(),
			),
		),
	))
}

func header() g.Node {
	return h.Header(
		h.A(h.Class("home"), h.Href("/docs"), g.Text("docledger "), h.Span(g.Text("documentation"))),
		h.Div(
			h.Class("search"), h.Role("search"), g.Attr("hidden"),
			h.Label(h.Class("hidden"), h.For("search"), g.Text("Search the documentation")),
			h.Input(
				h.ID("search"), h.Type("search"), h.Placeholder("Search (press /)"),
				h.AutoComplete("off"), g.Attr("spellcheck", "false"), h.MaxLength("100"),
			),
			h.P(h.Class("hidden"), h.Role("status"), h.ID("found")),
			h.Ul(h.ID("results"), h.Aria("label", "Search results"), g.Attr("hidden")),
		),
		h.A(h.Href("/docs/reference"), g.Text("API reference")),
	)
}

func (l layout) navigation() g.Node {
	entry := func(address, title string, more ...g.Node) g.Node {
		return h.Li(h.A(h.Href(address), g.Group(more), g.Text(title)))
	}
	return h.Nav(
		h.Aria("label", "Pages"),
		g.Map(l.sections, func(part section) g.Node {
			return g.Group{h.H2(g.Text(part.title)), h.Ul(g.Map(part.pages, func(p sitePage) g.Node {
				return entry(p.Address, p.Title, g.If(p.Address == l.page.Address, h.Aria("current", "page")))
			}))}
		}),
		h.H2(g.Text("Reference")),
		h.Ul(
			entry("/docs/reference", "API reference"),
			entry("/openapi/docledger.json", "OpenAPI document"),
			entry("/llms.txt", "Outline for programs"),
		),
	)
}

// turn links to the page before or after. It is nothing without one.
func turn(p *sitePage, rel, before, after string) g.Node {
	if p == nil {
		return nil
	}
	return h.A(h.Rel(rel), h.Href(p.Address), g.Text(before+p.Title+after))
}

func (l layout) onThisPage() g.Node {
	if len(l.headings) == 0 {
		return nil
	}
	return h.Nav(
		h.Class("contents"), h.Aria("label", "On this page"),
		h.P(g.Text("On this page")),
		h.Ul(g.Map(l.headings, func(found *heading) g.Node {
			return h.Li(h.A(h.Href("#"+found.ID), g.Text(found.Text)))
		})),
	)
}
