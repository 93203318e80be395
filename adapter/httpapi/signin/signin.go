// Package signin answers /sign-in, where the identity provider sends people who
// are signed in already on their way to its consent page (interface 5.9).
package signin

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"docledger/domain/identity"

	"github.com/gin-gonic/gin"
)

// parameter is where the provider says to go on to.
const parameter = "redirect_url"

//go:embed page.html
var source string

var page = template.Must(template.New("sign-in").Parse(source))

// Page answers /sign-in.
type Page struct {
	Hosts    identity.SignInHosts // empty without an identity provider: nowhere
	Loopback bool                 // an http address of this machine will do, where it is one of Hosts
	WebURL   string               // the web application, for a link; "" for none
	Log      *slog.Logger
}

// Register adds the route.
func (p *Page) Register(routes gin.IRouter) {
	routes.GET("/sign-in", func(c *gin.Context) {
		if target, ok := p.target(c); ok {
			c.Redirect(http.StatusSeeOther, target)
			return
		}
		var plain bytes.Buffer
		if err := page.Execute(&plain, p.WebURL); err != nil {
			panic(fmt.Sprintf("sign-in: the embedded page is damaged: %v", err))
		}
		c.Data(http.StatusOK, "text/html; charset=utf-8", plain.Bytes())
	})
}

// target is where the browser goes; what is dropped leaves its host in the log
// and nothing else, since the rest may hold somebody's code.
func (p *Page) target(c *gin.Context) (string, bool) {
	query, err := url.ParseQuery(c.Request.URL.RawQuery)
	asked := query[parameter]
	if len(asked) == 0 && (err == nil || !strings.Contains(c.Request.URL.RawQuery, parameter)) {
		return "", false
	}
	if len(asked) == 0 {
		asked = []string{""} // it was there and can't be decoded
	}
	if len(asked) == 1 && err == nil {
		if target, ok := identity.AllowedRedirect(asked[0], p.Hosts, p.Loopback); ok {
			return target, true
		}
	}
	p.Log.WarnContext(c.Request.Context(), "redirect after sign-in dropped", "host", identity.RedirectHost(asked[0]))
	return "", false
}
