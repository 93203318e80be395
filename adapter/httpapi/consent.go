package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"

	"docledger/domain/integration"
	api "docledger/gen/integrations"
	"docledger/usecase/integrations"

	"github.com/gin-gonic/gin"
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// consentPolicy lets the page send its form, and lets the answer lead to any
// allowed redirect_url: browsers apply form-action to redirects too.
func consentPolicy() *string {
	policy := "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"
	return &policy
}

// Consents is what the callback of consents needs besides the use cases.
type Consents struct {
	Path     string // of the callback
	Secure   bool   // the service is reached over https
	Loopback bool   // a browser on this machine needs no proof
}

// consentCookie is the name of the cookie of a state. The name does not contain the state.
func consentCookie(state string) string {
	sum := sha256.Sum256([]byte(state))
	return "docledger_consent_" + hex.EncodeToString(sum[:8])
}

// cookie is what proves that a browser began the consent of a state. A negative
// age removes it.
func (c Consents) cookie(state, secret string, age int) string {
	cookie := http.Cookie{
		Name: consentCookie(state), Value: secret, Path: c.Path, MaxAge: age,
		HttpOnly: true, Secure: c.Secure, SameSite: http.SameSiteLaxMode,
	}
	return cookie.String()
}

// begun returns the Set-Cookie header of a consent that was just asked for.
func (c Consents) begun(a integrations.Authorization) *string {
	text := c.cookie(a.State, a.BrowserSecret, int(integration.AttemptLifetime.Seconds()))
	return &text
}

// FinishAuthorization implements the operation finishAuthorization.
func (s *Server) FinishAuthorization(
	ctx context.Context, _ api.FinishAuthorizationRequestObject,
) (api.FinishAuthorizationResponseObject, error) {
	f, err := s.finishConsent(ctx, queryOf(ctx), "")
	if err != nil {
		return nil, err
	}
	if f.page != nil {
		return api.FinishAuthorization200TexthtmlResponse{
			Body: bytes.NewReader(f.page), ContentLength: int64(len(f.page)),
			Headers: api.FinishAuthorization200ResponseHeaders{ContentSecurityPolicy: consentPolicy()},
		}, nil
	}
	return api.FinishAuthorization302Response{
		Headers: api.FinishAuthorization302ResponseHeaders{Location: f.location, SetCookie: f.cookie},
	}, nil
}

// ConfirmAuthorization implements the operation confirmAuthorization.
func (s *Server) ConfirmAuthorization(
	ctx context.Context, r api.ConfirmAuthorizationRequestObject,
) (api.ConfirmAuthorizationResponseObject, error) {
	query, confirmation := queryOf(ctx), ""
	query.Del("confirmation") // ours, not the provider's
	if r.Params.Confirmation != nil {
		confirmation = *r.Params.Confirmation
	}
	f, err := s.finishConsent(ctx, query, confirmation)
	if err != nil {
		return nil, err
	}
	if f.page != nil {
		return api.ConfirmAuthorization200TexthtmlResponse{
			Body: bytes.NewReader(f.page), ContentLength: int64(len(f.page)),
			Headers: api.ConfirmAuthorization200ResponseHeaders{ContentSecurityPolicy: consentPolicy()},
		}, nil
	}
	return api.ConfirmAuthorization302Response{
		Headers: api.ConfirmAuthorization302ResponseHeaders{Location: f.location, SetCookie: f.cookie},
	}, nil
}

// consentFinish is the answer to a browser that comes back: the page that asks
// the person to confirm, or where the browser goes.
type consentFinish struct {
	page     []byte
	location string
	cookie   *string // removes the one that the browser sent
}

func (s *Server) finishConsent(ctx context.Context, query url.Values, confirmation string) (f consentFinish, err error) {
	state := query.Get("state")
	proof := integrations.Proof{Confirmation: confirmation}
	if c, ok := ctx.(*gin.Context); ok {
		if cookie, err := c.Request.Cookie(consentCookie(state)); err == nil {
			proof.Cookie = cookie.Value
		}
	}
	if !s.Consents.Loopback || !isLoopback(clientAddress(ctx)) {
		asked, err := s.Integrations.Confirm(ctx, state, proof)
		if err != nil {
			return f, err
		}
		if asked != nil {
			f.page, err = s.Consents.page(asked, query)
			return f, err
		}
	}
	if f.location, err = s.Integrations.Callback(ctx, query); err == nil && proof.Cookie != "" {
		removed := s.Consents.cookie(state, "", -1)
		f.cookie = &removed
	}
	return f, err
}

// page renders the question. Its form sends what the provider sent, since a
// connector may need all of it.
func (c Consents) page(asked *integrations.Confirmation, query url.Values) ([]byte, error) {
	query.Set("confirmation", asked.Value)
	return htmlPage("Confirm the connection",
		h.P(g.Text("This browser did not start this connection. Continue only if you know the person who did.")),
		factsOf(asked, "Started by"),
		h.P(g.Text("If you continue, this organization can use the account that you just allowed access to. If you do not, close this page: nothing is connected.")),
		h.Form(h.Method("post"), h.Action(c.Path+"?"+query.Encode()),
			h.Button(g.Text("Connect to "+asked.Organization))),
	)
}

// factsOf lists what a person must know about a consent. who is the label of the person who asked.
func factsOf(asked *integrations.Confirmation, who string) g.Node {
	person := asked.Person
	if asked.Email != "" {
		person += " (" + asked.Email + ")"
	}
	if asked.Program != "" {
		person = asked.Program + ", a program of " + person
	}
	fact := func(name, value string) g.Node { return g.Group{h.Dt(g.Text(name)), h.Dd(g.Text(value))} }
	return h.Dl(
		fact("Organization", asked.Organization),
		fact("Entity", asked.Entity),
		fact("Provider", string(asked.Provider)),
		fact(who, person),
	)
}

// htmlPage renders a page without scripts and styles. Every text is escaped.
func htmlPage(title string, content ...g.Node) ([]byte, error) {
	page := h.Doctype(h.HTML(
		h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.Meta(h.Name("robots"), h.Content("noindex")),
			h.TitleEl(g.Text(title+" · docledger")),
			h.Link(h.Rel("icon"), h.Href("data:,")),
		),
		h.Body(h.H1(g.Text(title)), g.Group(content)),
	))
	var out bytes.Buffer
	if err := page.Render(&out); err != nil {
		return nil, fmt.Errorf("render the page %q: %w", title, err)
	}
	return out.Bytes(), nil
}

func isLoopback(address string) bool {
	ip, err := netip.ParseAddr(address)
	return err == nil && ip.Unmap().IsLoopback()
}
