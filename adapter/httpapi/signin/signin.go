// Package signin serves /sign-in. The identity provider redirects users who are
// already signed in to this page before its consent page (interface 5.9).
// Without an allowed redirect URL, it is the sign-in page of the web application.
package signin

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"docledger/domain/identity"

	"github.com/gin-gonic/gin"
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// parameter is the query parameter with the redirect URL of the identity
// provider.
const parameter = "redirect_url"

// Page serves /sign-in.
type Page struct {
	Hosts    identity.SignInHosts // allowed hosts; empty without an identity provider
	Loopback bool                 // allows an http loopback address that is one of Hosts
	WebURL   string               // the URL of a separate web application for a link; "" for none
	App      gin.HandlerFunc      // shows the sign-in page of the web application of this service; nil without one
	Log      *slog.Logger
}

// Register adds the route.
func (p *Page) Register(routes gin.IRouter) {
	routes.GET("/sign-in", func(c *gin.Context) {
		if target, ok := p.target(c); ok {
			c.Redirect(http.StatusSeeOther, target)
			return
		}
		if p.App != nil {
			p.App(c)
			return
		}
		var plain bytes.Buffer
		if err := p.plain().Render(&plain); err != nil {
			panic(fmt.Sprintf("sign-in: page does not render: %v", err))
		}
		c.Data(http.StatusOK, "text/html; charset=utf-8", plain.Bytes())
	})
}

// plain is the page of a service without its web application.
func (p *Page) plain() g.Node {
	next := h.P(g.Text("Sign in to the application that sent you here, then retry. This page redirects only to the identity provider."))
	if p.WebURL != "" {
		next = h.P(g.Text("Continue in the "), h.A(h.Href(p.WebURL), g.Text("web application")), g.Text("."))
	}
	return h.Doctype(h.HTML(
		h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.TitleEl(g.Text("Sign in · docledger")),
			h.Link(h.Rel("icon"), h.Href("data:,")),
		),
		h.Body(h.H1(g.Text("Sign in")), next),
	))
}

// target returns the redirect URL. For a refused URL, only the host is logged,
// because the rest can contain an authorization code.
func (p *Page) target(c *gin.Context) (string, bool) {
	query, err := url.ParseQuery(c.Request.URL.RawQuery)
	asked := query[parameter]
	if len(asked) == 0 && (err == nil || !strings.Contains(c.Request.URL.RawQuery, parameter)) {
		return "", false
	}
	if len(asked) == 0 {
		asked = []string{""} // present but not decodable
	}
	if len(asked) == 1 && err == nil {
		if target, ok := identity.AllowedRedirect(asked[0], p.Hosts, p.Loopback); ok {
			return target, true
		}
	}
	p.Log.WarnContext(c.Request.Context(), "redirect after sign-in refused", "host", identity.RedirectHost(asked[0]))
	return "", false
}
