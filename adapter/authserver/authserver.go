// Package authserver is the authorization server of an installation that manages
// its own accounts (domain D16): OAuth for the one client of assistants. The tool
// server is the facade in front of it, as in front of an identity provider
// (interface 5.6).
package authserver

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/oauthclient"
	"docledger/gen/authserver"
	"docledger/usecase/assistants"

	"github.com/gin-gonic/gin"
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// ConsentPage is the page of the web application where a person decides.
const ConsentPage = "/connect-assistant"

// maxBody limits every body. The request of the consent page is the longest.
const maxBody = 16 << 10

// Authenticator returns the caller of a bearer token.
type Authenticator interface {
	Authenticate(ctx context.Context, bearer string) (identity.Actor, error)
}

// Server handles the routes of the authorization server.
type Server struct {
	Assistants    *assistants.Service // nil with an identity provider: every route is missing
	Authenticator Authenticator
	KeySet        []byte // the public keys as a JWK set
	PagesURL      string // the URL of the web application, without a trailing slash
	Log           *slog.Logger
}

var _ authserver.ServerInterface = (*Server)(nil)

// Register adds the routes, unless an identity provider is the authorization server.
func (s *Server) Register(routes gin.IRouter) {
	if s.Assistants != nil {
		authserver.RegisterHandlers(routes, s)
	}
}

// AuthorizeAssistant implements the operation authorizeAssistant.
func (s *Server) AuthorizeAssistant(c *gin.Context) {
	query := c.Request.URL.RawQuery
	_, target, err := s.Assistants.Check(query)
	switch refused := new(assistants.Refusal); {
	case err == nil:
		// The encoding keeps every byte: a page may read numbers in a query as such.
		target = s.PagesURL + ConsentPage + "?request=" + base64.RawURLEncoding.EncodeToString([]byte(query))
	case target == "" && errors.As(err, &refused):
		s.refusePage(c, refused)
		return
	}
	c.Writer.Header()["Location"] = []string{target}
	c.Status(http.StatusSeeOther)
	c.Writer.WriteHeaderNow()
}

// pagePolicy allows nothing but the text of the page.
const pagePolicy = "default-src 'none'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// refusePage informs the person that nothing is sent to an unknown address.
func (s *Server) refusePage(c *gin.Context, r *assistants.Refusal) {
	page := h.Doctype(h.HTML(
		h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.TitleEl(g.Text("The assistant cannot connect · docledger")),
			h.Link(h.Rel("icon"), h.Href("data:,")),
		),
		h.Body(
			h.H1(g.Text("The assistant cannot connect")),
			h.P(g.Text(r.Description)),
			h.P(g.Text("Nothing was connected. Start again in the assistant, or ask the operator of this installation.")),
		),
	))
	var out strings.Builder
	if err := page.Render(&out); err != nil {
		s.Log.ErrorContext(c.Request.Context(), "page of a refused assistant not rendered", "error", err)
	}
	c.Header("Content-Security-Policy", pagePolicy)
	c.Data(http.StatusBadRequest, "text/html; charset=utf-8", []byte(out.String()))
}

// DecideConsent implements the operation decideConsent. The session of the person
// is a header that only the web application sends, so that no other page can decide
// for the person.
func (s *Server) DecideConsent(c *gin.Context) {
	actor, err := s.person(c)
	if err != nil {
		s.fail(c, err)
		return
	}
	var in authserver.Decision
	decoder := json.NewDecoder(http.MaxBytesReader(c.Writer, c.Request.Body, maxBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&in); err != nil || decoder.More() {
		s.refuse(c, http.StatusBadRequest, assistants.InvalidRequest, "The body must be a JSON object with request and decision.")
		return
	}
	query, err := base64.RawURLEncoding.DecodeString(in.Request)
	if err != nil {
		s.refuse(c, http.StatusBadRequest, assistants.InvalidRequest, "The request is damaged. Start again in the assistant.")
		return
	}
	request, _, err := s.Assistants.Check(string(query))
	if err != nil {
		s.fail(c, err)
		return
	}
	target := request.Target()
	out := authserver.Consent{RedirectHost: target.Host, OnDevice: target.Device}
	out.ClientName.SetNull()
	if target.Name != "" {
		out.ClientName.Set(target.Name)
	}
	out.RedirectUrl.SetNull()
	if in.Decision != nil {
		// The person may have changed the organization in another tab.
		if in.OrganizationId == nil || *in.OrganizationId != actor.OrganizationID {
			s.refuse(c, http.StatusBadRequest, assistants.InvalidRequest, "Your organization changed. Load the page again.")
			return
		}
		address, err := s.decide(c.Request.Context(), actor, request, *in.Decision)
		if err != nil {
			s.fail(c, err)
			return
		}
		out.RedirectUrl.Set(address)
	}
	c.JSON(http.StatusOK, out)
}

func (s *Server) decide(ctx context.Context, a identity.Actor, r assistants.Request, d authserver.DecisionDecision) (string, error) {
	switch d {
	case authserver.ALLOW:
		address, err := s.Assistants.Allow(ctx, a, r)
		if err == nil {
			s.Log.InfoContext(ctx, "assistant allowed", "user_id", a.UserID, "organization_id", a.OrganizationID, "host", r.Target().Host)
		}
		return address, err
	case authserver.DENY:
		return s.Assistants.Deny(a, r)
	}
	return "", &assistants.Refusal{Code: assistants.InvalidRequest, Description: "The decision must be ALLOW or DENY."}
}

// person returns the caller of the consent page.
func (s *Server) person(c *gin.Context) (identity.Actor, error) {
	headers := c.Request.Header.Values("Authorization")
	if len(headers) == 1 {
		scheme, token, _ := strings.Cut(headers[0], " ")
		if token = strings.TrimLeft(token, " "); strings.EqualFold(scheme, "Bearer") && oauthclient.IsToken(token) {
			return s.Authenticator.Authenticate(c.Request.Context(), token)
		}
	}
	return identity.Actor{}, fault.New(fault.Unauthenticated, fault.CodeUnauthorized, "Sign in first.")
}

// IssueToken implements the operation issueToken.
func (s *Server) IssueToken(c *gin.Context) { s.ServeToken(c.Writer, c.Request) }

// ServeToken answers a token request. The tool server of the same process calls it
// for /token.
func (s *Server) ServeToken(w http.ResponseWriter, r *http.Request) {
	form, err := readForm(w, r)
	if err != nil {
		s.write(w, r, err)
		return
	}
	var granted assistants.Granted
	switch form.Get("grant_type") {
	case "authorization_code":
		granted, err = s.Assistants.Exchange(r.Context(), assistants.CodeInput{
			ClientID: form.Get("client_id"), Code: form.Get("code"), RedirectURI: form.Get("redirect_uri"), Verifier: form.Get("code_verifier"),
		})
	case "refresh_token":
		granted, err = s.Assistants.Refresh(r.Context(), form.Get("client_id"), form.Get("refresh_token"))
	default:
		err = &assistants.Refusal{Code: assistants.UnsupportedGrant, Description: "The grant_type must be authorization_code or refresh_token."}
	}
	if err != nil {
		s.write(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, authserver.Tokens{
		AccessToken: granted.AccessToken, TokenType: "Bearer", ExpiresIn: int64(granted.ExpiresIn.Seconds()),
		RefreshToken: granted.RefreshToken, Scope: granted.Scope,
	})
}

// RevokeToken implements the operation revokeToken.
func (s *Server) RevokeToken(c *gin.Context) {
	form, err := readForm(c.Writer, c.Request)
	if err == nil {
		err = s.Assistants.Revoke(c.Request.Context(), form.Get("client_id"), form.Get("token"))
	}
	if err != nil {
		s.fail(c, err)
		return
	}
	c.Status(http.StatusOK)
	c.Writer.WriteHeaderNow()
}

// GetTokenKeys implements the operation getTokenKeys.
func (s *Server) GetTokenKeys(c *gin.Context) {
	c.Data(http.StatusOK, "application/json; charset=utf-8", s.KeySet)
}

// readForm returns the form of a body. Parameters of the address are ignored, because
// addresses appear in logs. A repeated parameter is refused.
func readForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, &assistants.Refusal{Code: assistants.InvalidRequest, Description: "The body must be application/x-www-form-urlencoded."}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return nil, tooLarge
	}
	if err != nil {
		return nil, &assistants.Refusal{Code: assistants.InvalidRequest, Description: "The body is incomplete. Send it again."}
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, &assistants.Refusal{Code: assistants.InvalidRequest, Description: "The body is malformed."}
	}
	for name, values := range form {
		if len(values) > 1 && name != "resource" {
			return nil, &assistants.Refusal{Code: assistants.InvalidRequest, Description: "A parameter is repeated."}
		}
	}
	return form, nil
}

func (s *Server) fail(c *gin.Context, err error) { s.write(c.Writer, c.Request, err) }

func (s *Server) refuse(c *gin.Context, status int, code, description string) {
	writeJSON(c.Writer, status, authserver.OAuthError{Error: code, ErrorDescription: description})
}

// write answers an error in the form of OAuth. The text of an unexpected one is logged
// and never shown.
func (s *Server) write(w http.ResponseWriter, r *http.Request, err error) {
	status, out := http.StatusInternalServerError, authserver.OAuthError{Error: "server_error", ErrorDescription: "An internal error occurred. Try again later."}
	var refused *assistants.Refusal
	var tooLarge *http.MaxBytesError
	f, known := fault.As(err)
	switch {
	case errors.As(err, &refused):
		status, out.Error, out.ErrorDescription = http.StatusBadRequest, refused.Code, refused.Description
		if refused.Code == assistants.InvalidClient {
			status = http.StatusUnauthorized // makes clients register again
		}
	case errors.As(err, &tooLarge):
		status, out.Error, out.ErrorDescription = http.StatusRequestEntityTooLarge, assistants.InvalidRequest, "The body is too large."
	case known && f.Kind == fault.Unauthenticated:
		status, out.Error, out.ErrorDescription = http.StatusUnauthorized, "invalid_token", f.Message
	case known && f.Kind == fault.Forbidden:
		status, out.Error, out.ErrorDescription = http.StatusForbidden, assistants.AccessDenied, f.Message
	case known && f.Kind == fault.Unavailable:
		w.Header().Set("Retry-After", "5")
		status, out.Error, out.ErrorDescription = http.StatusServiceUnavailable, "temporarily_unavailable", f.Message
	default:
		s.Log.ErrorContext(r.Context(), "authorization server failed", "error", err)
	}
	writeJSON(w, status, out)
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Pragma", "no-cache")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}
