package assistants

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/link"
	"docledger/domain/oauthclient"

	"github.com/google/uuid"
)

// The limits of an authorization request. A challenge is a SHA-256 in base64url (RFC 7636).
const (
	MaxRequest      = 8 << 10
	challengeLength = 43
	codeBytes       = 32
)

// Request is an authorization request of the one client.
type Request struct {
	RedirectURI string
	Challenge   string
	State       string
}

// Check reads the query of an authorization request. A refusal with a target is reported to the
// client there; without one, the client or its redirect URI is not known and only the person is
// informed (RFC 6749, section 4.1.2.1).
func (s *Service) Check(query string) (r Request, target string, err error) {
	if len(query) > MaxRequest {
		return r, "", refuse(InvalidRequest, "The request is too long.")
	}
	given, failed := url.ParseQuery(query)
	if failed != nil {
		return r, "", refuse(InvalidRequest, "The query is malformed.")
	}
	one := func(name string) string {
		if len(given[name]) != 1 {
			return ""
		}
		return given[name][0]
	}
	if one("client_id") != s.ClientID {
		return r, "", errClient()
	}
	r.RedirectURI = one("redirect_uri")
	if reason := s.Redirects.Refusal(r.RedirectURI); reason != "" {
		return r, "", refuse(InvalidRequest, "The redirect_uri "+reason+".")
	}
	r.State, r.Challenge = one("state"), one("code_challenge")
	if err := checkFlow(given, one); err != nil {
		return r, s.respond(r, url.Values{"error": {err.Code}, "error_description": {err.Description}}), err
	}
	return r, "", nil
}

// checkFlow checks what the client can be informed of.
func checkFlow(given url.Values, one func(string) string) *Refusal {
	for name, values := range given {
		// A resource can be repeated (RFC 8707).
		if len(values) > 1 && name != "resource" {
			return refuse(InvalidRequest, "A parameter is repeated.")
		}
	}
	switch {
	case given.Has("request"), given.Has("request_uri"):
		return refuse(RequestNotSupported, "Request objects are not supported.")
	case one("response_type") != "code":
		return refuse(UnsupportedResponse, "The response_type must be code.")
	case given.Has("response_mode") && one("response_mode") != "query":
		return refuse(InvalidRequest, "The response_mode must be query.")
	case one("code_challenge_method") != "S256" || !isChallenge(one("code_challenge")):
		return refuse(InvalidRequest, "PKCE is required: a code_challenge with the code_challenge_method S256.")
	case one("prompt") == "none":
		return refuse(InteractionRequired, "A person must confirm each connection.")
	}
	return nil
}

func isChallenge(s string) bool {
	_, err := base64.RawURLEncoding.DecodeString(s)
	return err == nil && len(s) == challengeLength
}

// respond returns the redirect URI with an authorization response. The issuer lets a client
// detect a response of another server (RFC 9207).
func (s *Service) respond(r Request, answer url.Values) string {
	u, err := url.Parse(r.RedirectURI)
	if err != nil {
		return "" // refused before
	}
	query := u.Query()
	for name, values := range answer {
		query[name] = values
	}
	query.Set("iss", s.Issuer)
	query.Del("state")
	if r.State != "" {
		query.Set("state", r.State)
	}
	u.RawQuery = query.Encode()
	return u.String()
}

// Target returns who receives the code of a request, for the consent page.
func (r Request) Target() oauthclient.Target { return oauthclient.TargetOf(r.RedirectURI) }

// pending is the consent behind a code. It is stored with the code's hash.
type pending struct {
	RedirectURI string    `json:"redirect_uri"`
	Challenge   string    `json:"code_challenge"`
	Session     uuid.UUID `json:"session"` // the sign-in in which the person consented
	Grant       uuid.UUID `json:"grant"`   // the session that the exchange begins
}

// Allow returns where the browser brings the code, after the person consented.
func (s *Service) Allow(ctx context.Context, a identity.Actor, r Request) (string, error) {
	if err := mayConsent(a); err != nil {
		return "", err
	}
	raw := make([]byte, codeBytes)
	if _, err := rand.Read(raw); err != nil {
		return "", fmt.Errorf("generate a code: %w", err)
	}
	code := base64.RawURLEncoding.EncodeToString(raw)
	parameters, err := json.Marshal(pending{RedirectURI: r.RedirectURI, Challenge: r.Challenge, Session: a.SessionID, Grant: s.IDs.New()})
	if err != nil {
		return "", fmt.Errorf("encode the request: %w", err)
	}
	now := s.Clock.Now()
	err = s.Links.Add(ctx, &link.Link{
		ID: s.IDs.New(), OrganizationID: a.OrganizationID, Purpose: link.AuthorizationCode, ActorType: a.Type, UserID: a.UserID,
		ClientID: s.ClientID, MaxUses: 1, Parameters: string(parameters), CreatedAt: now, ExpiresAt: now.Add(CodeLifetime),
	}, code)
	if err != nil {
		return "", err
	}
	return s.respond(r, url.Values{"code": {code}}), nil
}

// Deny returns where the browser reports that the person refused.
func (s *Service) Deny(a identity.Actor, r Request) (string, error) {
	if err := mayConsent(a); err != nil {
		return "", err
	}
	return s.respond(r, url.Values{"error": {AccessDenied}, "error_description": {"The person refused the connection."}}), nil
}

// mayConsent accepts a person who signed in. A program and an assistant cannot give an assistant
// rights.
func mayConsent(a identity.Actor) error {
	if a.Type != identity.ActorUser || a.SessionID == uuid.Nil || slices.Contains([]uuid.UUID{a.UserID, a.OrganizationID}, uuid.Nil) {
		return fault.New(fault.Forbidden, fault.CodeForbidden, "Only a person who signed in to the web application can connect an assistant.")
	}
	return nil
}
