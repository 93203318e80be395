package httpapi

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"docledger/adapter/httpapi/edge"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/link"
	"docledger/gen/backend"
	"docledger/usecase/integrations"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

const (
	connectRoute = "/connect/:token"
	// connectedPath is the page after a consent, unless the link names another page.
	connectedPath = "/connected"
	// connectPageLife is how long the page of a connect link can be confirmed.
	connectPageLife = time.Hour
)

// connectParameters are the parameters of a connect link.
type connectParameters struct {
	IntegrationID uuid.UUID `json:"integration_id"`
	RedirectURL   string    `json:"redirect_url"`
}

// CreateConnectLink implements the operation createConnectLink.
func (s *Server) CreateConnectLink(ctx context.Context, r backend.CreateConnectLinkRequestObject) (backend.CreateConnectLinkResponseObject, error) {
	in := integrations.AuthorizeInput{EntityID: r.Body.EntityId, Provider: integration.Provider(r.Body.Provider)}
	if r.Body.RedirectUrl != nil {
		in.RedirectURL = *r.Body.RedirectUrl
	}
	var lifetime time.Duration
	if r.Body.ExpiresIn != nil {
		lifetime = time.Duration(*r.Body.ExpiresIn) * time.Second
	}
	id, err := s.Integrations.PrepareLink(ctx, actor(ctx), in)
	if err != nil {
		return nil, err
	}
	to := connectParameters{IntegrationID: id, RedirectURL: in.RedirectURL}
	if to.RedirectURL == "" {
		to.RedirectURL = s.BaseURL + connectedPath
	}
	parameters, err := json.Marshal(to)
	if err != nil {
		return nil, fmt.Errorf("store the parameters of a connect link: %w", err)
	}
	l, token, err := s.Links.CreateConnect(ctx, actor(ctx), in.EntityID, lifetime, string(parameters))
	if err != nil {
		return nil, err
	}
	return backend.CreateConnectLink200JSONResponse{Body: backend.ConnectLink{
		Url: s.BaseURL + "/connect/" + token, IntegrationId: id, ExpiresAt: l.ExpiresAt,
	}}, nil
}

// openConnect returns the connect link of a request with its parameters and its actor.
func (s *Server) openConnect(c *gin.Context) (l *link.Link, to connectParameters, a identity.Actor, ok bool) {
	if l, a, ok = s.open(c, link.Connect); !ok {
		return l, to, a, false
	}
	if err := json.Unmarshal([]byte(l.Parameters), &to); err != nil {
		s.connectError(c, fmt.Errorf("read the parameters of a connect link: %w", err))
		return l, to, a, false
	}
	return l, to, a, true
}

// showConnect shows who asks for a consent. It changes nothing, because programs that preview links
// request them too.
func (s *Server) showConnect(c *gin.Context) {
	_, to, a, ok := s.openConnect(c)
	if !ok {
		return
	}
	asked, err := s.Integrations.Asking(c.Request.Context(), a, to.IntegrationID)
	if err != nil {
		s.connectError(c, err)
		return
	}
	s.askConnect(c, asked)
}

// askConnect writes the page of a connect link. Its form sends a value that only this browser can
// confirm: the cookie has its hash, so that another site can neither send the form nor know the value.
func (s *Server) askConnect(c *gin.Context, asked *integrations.Confirmation) {
	raw := make([]byte, 32)
	if _, err := rand.Read(raw); err != nil {
		s.connectError(c, fmt.Errorf("generate a value: %w", err))
		return
	}
	value := base64.RawURLEncoding.EncodeToString(raw)
	http.SetCookie(c.Writer, s.connectCookie(c, integration.OAuthHash(value), int(connectPageLife.Seconds())))
	page, err := htmlPage("Connect your account",
		h.P(g.Text("You are asked to connect an account of yours. Continue only if you know who asks.")),
		factsOf(asked, "Asked by"),
		h.P(g.Text("If you continue, the provider asks you to allow access. This organization can then use the account that you choose there. If you do not, close this page: nothing is connected.")),
		h.Form(h.Method("post"), h.Action("?confirmation="+value), h.Button(g.Text("Connect to "+asked.Organization))),
	)
	s.writeConnect(c, http.StatusOK, page, err)
}

func (s *Server) connectCookie(c *gin.Context, value string, age int) *http.Cookie {
	sum := sha256.Sum256([]byte(c.Param("token")))
	return &http.Cookie{
		Name: "docledger_connect_" + hex.EncodeToString(sum[:8]), Value: value, Path: "/connect/", MaxAge: age,
		HttpOnly: true, Secure: s.Consents.Secure, SameSite: http.SameSiteLaxMode,
	}
}

// isConfirmed reports whether the form of the page was sent by the browser that the page was shown to.
func (s *Server) isConfirmed(c *gin.Context) bool {
	value := c.Query("confirmation")
	cookie, err := c.Request.Cookie(s.connectCookie(c, "", 0).Name)
	return err == nil && value != "" && subtle.ConstantTimeCompare([]byte(cookie.Value), []byte(integration.OAuthHash(value))) == 1
}

// beginConnect leads the browser to the consent page of the provider. The consent uses the link up,
// so that a person who closes that page can begin again.
func (s *Server) beginConnect(c *gin.Context) {
	l, to, a, ok := s.openConnect(c)
	if !ok {
		return
	}
	if !s.isConfirmed(c) {
		s.showConnect(c)
		return
	}
	ctx := c.Request.Context()
	asked, err := s.Integrations.ConnectByLink(ctx, a, integrations.LinkedConsent{
		LinkID: l.ID, IntegrationID: to.IntegrationID, RedirectURL: to.RedirectURL,
	})
	if err != nil {
		s.connectError(c, err)
		return
	}
	http.SetCookie(c.Writer, s.connectCookie(c, "", -1))
	c.Writer.Header().Add("Set-Cookie", *s.Consents.begun(asked))
	c.Redirect(http.StatusSeeOther, asked.URL)
}

// showConnected shows the result of a consent that a connect link began. The query is not trusted: it
// selects one of the texts.
func (s *Server) showConnected(c *gin.Context) {
	title, text := "The account is connected", "You can close this page."
	if reason := c.Query("error"); reason != "" {
		title = "The account is not connected"
		var known bool
		if text, known = notConnected[reason]; !known {
			text = "The provider did not complete the connection. To try again, open the link that you were sent."
		}
	}
	page, err := htmlPage(title, h.P(g.Text(text)))
	s.writeConnect(c, http.StatusOK, page, err)
}

// notConnected are the texts for the reasons of a refused consent.
var notConnected = map[string]string{
	integration.ConsentDeclined:      "You did not allow access. To try again, open the link that you were sent.",
	integration.ConsentNeedsAdmin:    "An administrator of your account must allow access. Ask the administrator to open the link that you were sent.",
	integration.ConsentSetupRequired: "The application is not completely set up at the provider. Inform the person who sent you the link.",
	integration.ConsentUnavailable:   "The provider did not answer. To try again later, open the link that you were sent.",
}

// connectError writes an error as a page for browsers, and as JSON for programs.
func (s *Server) connectError(c *gin.Context, err error) {
	if !wantsPage(c) {
		edge.WriteError(c, err)
		return
	}
	text, status := edge.Fault(c, err)
	page, failed := htmlPage("This link does not work", h.P(h.Role("alert"), g.Text(text)))
	s.writeConnect(c, status, page, failed)
}

func (s *Server) writeConnect(c *gin.Context, status int, page []byte, err error) {
	if err != nil {
		edge.WriteError(c, err)
		return
	}
	c.Header("Content-Security-Policy", *consentPolicy())
	c.Header("Cache-Control", "no-store")
	c.Data(status, "text/html; charset=utf-8", page)
}
