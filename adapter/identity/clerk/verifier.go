package clerk

import (
	"context"
	"crypto"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"docledger/adapter/identity/jwks"
	"docledger/domain/fault"
	"docledger/domain/identity"

	"docledger/infrastructure/httpclient"
	"github.com/golang-jwt/jwt/v5"
	"github.com/maypok86/otter/v2"
)

// algorithm is the only signature algorithm that is accepted; the provider uses no other.
var algorithm = jwt.SigningMethodRS256

const (
	leeway = 60 * time.Second // maximum difference between clocks

	keysPath = "/.well-known/jwks.json"

	opaquePrefix    = "oat_" // prefix of opaque access tokens, and of the jti of JWT access tokens
	machinePrefix   = "mch_" // prefix of machine subjects
	sessionCategory = "cl_B7d4PD111AAA"

	retryKeys = 5 * time.Second
)

// selfKeyed lists header parameters with which a token would supply its own key or rules (RFC 7515,
// 4.1). The provider uses none of them.
var selfKeyed = []string{"jwk", "jku", "x5u", "x5c", "crit", "b64", "zip"}

// Verifier implements identity.TokenVerifier.
type Verifier struct {
	issuer   string
	clientID string
	parties  []string
	keys     *jwks.Keys
	// proven contains the keys of tokens with a verified signature, by the hash of the token.
	proven *otter.Cache[[sha256.Size]byte, crypto.PublicKey]
}

// maxProven is the maximum number of tokens with a signature that is not verified again.
const maxProven = 10_000

var _ identity.TokenVerifier = (*Verifier)(nil)

func newVerifier(o Options, issuer string, client *httpclient.Client) *Verifier {
	return &Verifier{
		issuer: issuer, clientID: o.ClientID, parties: o.AuthorizedParties,
		proven: otter.Must(&otter.Options[[sha256.Size]byte, crypto.PublicKey]{MaximumSize: maxProven}),
		keys: jwks.New(jwks.Options{
			Name: "the identity provider", Interval: o.KeysInterval, Refresh: o.KeysRefresh, Logger: o.Logger, Parse: parseKeys,
			Fetch: func(ctx context.Context) ([]byte, error) {
				return fetch(ctx, client, issuer+keysPath, jwks.MaxBytes)
			},
		}),
	}
}

// Verify implements identity.TokenVerifier.
func (v *Verifier) Verify(ctx context.Context, bearer string, now time.Time) (identity.ProviderClaims, error) {
	if strings.HasPrefix(bearer, opaquePrefix) {
		return identity.ProviderClaims{}, errOpaque()
	}
	t, err := parseToken(bearer)
	if err != nil {
		return identity.ProviderClaims{}, errToken(err)
	}
	if err := v.checkSignature(ctx, t); err != nil {
		return identity.ProviderClaims{}, err
	}
	claims, err := lifetime(t.claims, now)
	if err != nil {
		return identity.ProviderClaims{}, errToken(err)
	}
	claims.Subject, err = t.claims.id("sub")
	if err != nil {
		return identity.ProviderClaims{}, errToken(err)
	}
	if strings.HasPrefix(claims.Subject, machinePrefix) {
		return identity.ProviderClaims{}, errToken(errors.New("the token is a machine's"))
	}
	oauth, err := isOAuth(t)
	switch {
	case err != nil:
		return identity.ProviderClaims{}, errToken(err)
	case oauth:
		return v.oauth(t, claims)
	}
	return v.session(t, claims)
}

// checkSignature verifies the token with the issuer's keys. It compares the issuer first, so tokens
// of other issuers cause no load.
func (v *Verifier) checkSignature(ctx context.Context, t token) error {
	if alg, err := t.header.text("alg"); err != nil || alg != algorithm.Alg() {
		return errToken(errors.New("the token is not signed with " + algorithm.Alg()))
	}
	if slices.ContainsFunc(selfKeyed, t.header.has) {
		return errToken(errors.New("the token's header has a parameter that is not accepted"))
	}
	if issuer, err := t.claims.text("iss"); err != nil || issuer != v.issuer {
		return errToken(errors.New("the token is another issuer's"))
	}
	kid, err := t.header.text("kid")
	if err != nil || kid == "" || len(kid) > maxID {
		return errToken(errors.New("the token's header names no key"))
	}
	key, err := v.keys.Find(ctx, kid)
	switch {
	case errors.Is(err, jwks.ErrUnknownKey):
		return errToken(err)
	case errors.Is(err, jwks.ErrNoKeys):
		return errKeysMissing(err)
	case err != nil:
		return fmt.Errorf("wait for the provider's keys: %w", err)
	}
	// A key that the provider no longer publishes is not found, and a new one is another pointer.
	sum := t.sum()
	if proven, ok := v.proven.GetIfPresent(sum); ok && proven == key {
		return nil
	}
	if err := algorithm.Verify(t.signed, t.signature, key); err != nil {
		return errToken(err)
	}
	v.proven.Set(sum, key)
	return nil
}

// sum returns the hash of what is signed and of the signature.
func (t token) sum() (sum [sha256.Size]byte) {
	h := sha256.New()
	_, _ = io.WriteString(h, t.signed)
	_, _ = h.Write([]byte{'.'})
	_, _ = h.Write(t.signature)
	h.Sum(sum[:0])
	return sum
}

// lifetime checks the token's times against now.
func lifetime(c object, now time.Time) (identity.ProviderClaims, error) {
	issued, err1 := c.moment("iat")
	expires, err2 := c.moment("exp")
	begins, err3 := c.moment("nbf")
	if err := errors.Join(err1, err2, err3); err != nil {
		return identity.ProviderClaims{}, err
	}
	switch {
	case issued.IsZero(), expires.IsZero():
		return identity.ProviderClaims{}, errors.New("the token does not state when it was issued and when it expires")
	case !expires.After(issued):
		return identity.ProviderClaims{}, errors.New("the token expires before it was issued")
	case !now.Before(expires.Add(leeway)):
		return identity.ProviderClaims{}, errors.New("the token is expired")
	case issued.After(now.Add(leeway)), begins.After(now.Add(leeway)):
		return identity.ProviderClaims{}, errors.New("the token is not valid yet")
	}
	return identity.ProviderClaims{IssuedAt: issued, ExpiresAt: expires}, nil
}

// isOAuth distinguishes OAuth tokens from sessions by their claims. The type in the header can only
// select the stricter OAuth rules: sessions never have that type.
func isOAuth(t token) (bool, error) {
	kind, err1 := t.header.text("typ")
	jti, err2 := t.claims.text("jti")
	if err := errors.Join(err1, err2); err != nil {
		return false, err
	}
	kind = strings.TrimPrefix(strings.ToLower(kind), "application/")
	if kind != "" && kind != "jwt" && kind != "at+jwt" {
		return false, errors.New("the token is of a type that grants no access")
	}
	return kind == "at+jwt" || strings.HasPrefix(jti, opaquePrefix) ||
		t.claims.has("client_id") || t.claims.has("scope") || t.claims.has("scp"), nil
}

func (v *Verifier) oauth(t token, claims identity.ProviderClaims) (identity.ProviderClaims, error) {
	client, err := t.claims.text("client_id")
	if err != nil {
		return identity.ProviderClaims{}, errToken(err)
	}
	if v.clientID == "" {
		return identity.ProviderClaims{}, errNoClient()
	}
	if client != v.clientID {
		return identity.ProviderClaims{}, errToken(errors.New("the token is another OAuth client's"))
	}
	scope, err1 := t.claims.words("scope")
	scp, err2 := t.claims.words("scp")
	organization, err3 := t.claims.text("org_id")
	if err := errors.Join(err1, err2, err3); err != nil {
		return identity.ProviderClaims{}, errToken(err)
	}
	if organization == "" {
		return identity.ProviderClaims{}, errOrganization()
	}
	if !validID(organization) {
		return identity.ProviderClaims{}, errToken(errors.New("org_id is not an id"))
	}
	claims.Kind, claims.ClientID, claims.OrganizationID = identity.ProviderOAuth, client, organization
	claims.Scopes = append(scope, scp...)
	return claims, nil
}

func (v *Verifier) session(t token, claims identity.ProviderClaims) (identity.ProviderClaims, error) {
	if err := v.checkSession(t); err != nil {
		return identity.ProviderClaims{}, errToken(err)
	}
	var err error
	if claims.SessionID, err = t.claims.id("sid"); err != nil {
		return identity.ProviderClaims{}, errToken(err)
	}
	claims.Kind = identity.ProviderSession
	if claims.OrganizationID, claims.Role, err = activeOrganization(t.claims); err != nil {
		return identity.ProviderClaims{}, errToken(err)
	}
	return claims, nil
}

// checkSession refuses other tokens that the provider signs: id tokens, tokens from templates, and
// sessions with an incomplete sign-in.
func (v *Verifier) checkSession(t token) error {
	category, err1 := t.header.text("cat")
	status, err2 := t.claims.text("sts")
	party, err3 := t.claims.text("azp")
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	switch {
	case category != "" && category != sessionCategory:
		return errors.New("the token was not made for a session")
	case t.claims.has("at_hash"), t.claims.has("c_hash"), t.claims.has("nonce"):
		return errors.New("the token is an id token")
	case status != "" && status != "active":
		return errors.New("the sign-in is not complete")
	case len(v.parties) > 0 && !slices.Contains(v.parties, party):
		return errors.New("the session belongs to another origin")
	}
	return nil
}

// activeOrganization supports both versions of session claims: org_id and org_role of version 1,
// the compact object o of version 2.
func activeOrganization(c object) (id string, role identity.Role, err error) {
	version := fmt.Sprint(c["v"])
	switch {
	case !c.has("v"), version == "1":
		if !c.has("org_id") || c["org_id"] == nil {
			return "", "", nil
		}
		if id, err = c.id("org_id"); err != nil {
			return "", "", err
		}
		name, err := c.text("org_role")
		return id, roleOf(name), err
	case version == "2":
		if !c.has("o") || c["o"] == nil {
			return "", "", nil
		}
		o, ok := c["o"].(object)
		if !ok {
			return "", "", errors.New("o is not an object")
		}
		if id, err = o.id("id"); err != nil {
			return "", "", err
		}
		name, err := o.text("rol")
		return id, roleOf(name), err
	}
	return "", "", errors.New("the version of the session's claims is unknown")
}

// roleOf maps the provider's roles: a person who is not an administrator is a member.
func roleOf(name string) identity.Role {
	if strings.TrimPrefix(name, "org:") == "admin" {
		return identity.RoleAdmin
	}
	return identity.RoleMember
}

// errToken keeps the cause for the log and does not show it to the caller.
func errToken(cause error) error {
	return fault.New(fault.Unauthenticated, fault.CodeUnauthorized,
		"The token is missing, expired or not valid. Sign in again.").WithCause(cause)
}

func errOpaque() error {
	return fault.New(fault.Unauthenticated, fault.CodeUnauthorized,
		"This is an opaque access token, and only JWT access tokens are accepted. "+
			"Let the OAuth application at the identity provider issue JWT access tokens, then sign in again.")
}

func errNoClient() error {
	return fault.New(fault.Unauthenticated, fault.CodeUnauthorized,
		"This service accepts no OAuth tokens, because it has no OAuth client yet. The operator must set OAUTH_CLIENT_ID.")
}

func errOrganization() error {
	return fault.New(fault.Unauthenticated, fault.CodeOrganizationRequired,
		"The token names no organization. Sign in again with the scope %s and choose an organization.",
		identity.ScopeReadOrganization)
}

func errKeysMissing(cause error) error {
	f := fault.New(fault.Unavailable, fault.CodeUnavailable,
		"The identity provider does not respond yet, so no token can be verified. Try again in a few seconds.").WithCause(cause)
	f.RetryAfter = retryKeys
	return f
}
