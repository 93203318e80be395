// Package local implements identity without an identity provider: tokens that docledger signs and
// passwords that it stores as hashes.
package local

import (
	"crypto"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"
)

// leeway is the maximum clock difference between two replicas.
const leeway = 60 * time.Second

// Tokens signs and verifies docledger's JWTs with Ed25519 (RFC 8037). Several keys may verify, so a
// key can be replaced while its tokens expire.
type Tokens struct {
	issuer string
	key    ed25519.PrivateKey
	id     string
	verify map[string]ed25519.PublicKey
	parser *jwt.Parser
	// proven caches the claims of tokens with a verified signature, by their hash. Verification
	// takes longer than reading an invoice.
	proven *otter.Cache[[sha256.Size]byte, claims]
}

// maxProven is the maximum number of cached tokens.
const maxProven = 10_000

// claims holds docledger's private claims in addition to the registered ones.
//
// Tokens of an assistant state client_id and org_id (interface 5.2 and 5.4) in place of
// organization_id and organization_role. An earlier release therefore refuses them and never treats
// them as tokens of the person.
type claims struct {
	jwt.RegisteredClaims
	SessionID      string `json:"sid"`
	OrganizationID string `json:"organization_id,omitempty"`
	Role           string `json:"organization_role,omitempty"`
	ClientID       string `json:"client_id,omitempty"`
	ClientOrg      string `json:"org_id,omitempty"`
	Scope          string `json:"scope,omitempty"`
	Use            string `json:"token_use,omitempty"`
	// Generation is absent in tokens of earlier releases, which counts as 0.
	Generation int `json:"generation"`
}

// NewTokens returns Tokens that state issuer and sign with the first seed. Tokens signed with any
// of the seeds verify. A seed is 32 random bytes.
func NewTokens(issuer string, seeds ...[]byte) (*Tokens, error) {
	if len(seeds) == 0 {
		return nil, errors.New("a signing key is required")
	}
	t := &Tokens{issuer: issuer, verify: map[string]ed25519.PublicKey{}}
	for i, seed := range seeds {
		if len(seed) != ed25519.SeedSize {
			return nil, fmt.Errorf("signing key %d has %d bytes, not %d", i+1, len(seed), ed25519.SeedSize)
		}
		key := ed25519.NewKeyFromSeed(seed)
		public := key.Public().(ed25519.PublicKey)
		id := keyID(public)
		t.verify[id] = public
		if i == 0 {
			t.key, t.id = key, id
		}
	}
	t.parser = newParser()
	proven, err := otter.New(&otter.Options[[sha256.Size]byte, claims]{MaximumSize: maxProven})
	if err != nil {
		return nil, fmt.Errorf("make the cache of tokens: %w", err)
	}
	t.proven = proven
	return t, nil
}

// newParser returns a parser that verifies signatures and leaves the claims to accept. It refuses
// other texts of the same bytes, so that a token has one form.
func newParser() *jwt.Parser {
	return jwt.NewParser(jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}), jwt.WithoutClaimsValidation(), jwt.WithStrictDecoding())
}

func keyID(public ed25519.PublicKey) string {
	sum := sha256.Sum256(public)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// useRefresh is the token_use of a refresh token. Access tokens state none.
const useRefresh = "refresh"

// Issue signs the claims of an access token.
func (t *Tokens) Issue(c identity.Claims) (string, error) {
	out := from(t.issuer, c)
	if c.ClientID == "" {
		out.OrganizationID, out.Role = c.OrganizationID.String(), string(c.Role)
		return t.sign(out, "JWT")
	}
	out.ClientOrg, out.Scope = c.OrganizationID.String(), identity.ScopeReadOrganization
	return t.sign(out, "at+jwt")
}

// IssueRefresh signs the claims of the refresh token of an assistant. It authenticates no request.
func (t *Tokens) IssueRefresh(c identity.Claims) (string, error) {
	out := from(t.issuer, c)
	out.ClientOrg, out.Use = c.OrganizationID.String(), useRefresh
	return t.sign(out, "rt+jwt")
}

func from(issuer string, c identity.Claims) claims {
	return claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: issuer, Subject: c.UserID.String(), ID: uuid.NewString(),
			IssuedAt: jwt.NewNumericDate(c.IssuedAt), ExpiresAt: jwt.NewNumericDate(c.ExpiresAt),
		},
		SessionID: c.SessionID.String(), ClientID: c.ClientID, Generation: c.Generation,
	}
}

func (t *Tokens) sign(c claims, kind string) (string, error) {
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, c)
	token.Header["kid"], token.Header["typ"] = t.id, kind
	signed, err := token.SignedString(crypto.PrivateKey(t.key))
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	return signed, nil
}

// Verify returns the claims of an access token that one of the keys signed and that is valid at now.
// It returns an Unauthenticated fault otherwise.
func (t *Tokens) Verify(token string, now time.Time) (identity.Claims, error) {
	return t.accept(token, "", now)
}

// VerifyRefresh is Verify for the refresh token of an assistant.
func (t *Tokens) VerifyRefresh(token string, now time.Time) (identity.Claims, error) {
	return t.accept(token, useRefresh, now)
}

func (t *Tokens) accept(token, use string, now time.Time) (identity.Claims, error) {
	c, err := t.signed(token)
	if err != nil {
		return identity.Claims{}, errToken(err)
	}
	return c.accept(t.issuer, use, now)
}

// accept checks the claims of a token with a verified signature.
func (c *claims) accept(issuer, use string, now time.Time) (identity.Claims, error) {
	validator := jwt.NewValidator(jwt.WithIssuer(issuer), jwt.WithExpirationRequired(), jwt.WithIssuedAt(),
		jwt.WithLeeway(leeway), jwt.WithTimeFunc(func() time.Time { return now }))
	if err := validator.Validate(c); err != nil {
		return identity.Claims{}, errToken(err)
	}
	if c.Use != use {
		return identity.Claims{}, errToken(errors.New("the token has another use"))
	}
	return c.typed()
}

// signed returns the claims of a token that one of the keys signed, without checking them.
func (t *Tokens) signed(token string) (c claims, err error) {
	if strings.ContainsAny(token, "\r\n") {
		return c, errors.New("the token has a line break") // encoding/base64 ignores it
	}
	sum := sha256.Sum256([]byte(token))
	if c, ok := t.proven.GetIfPresent(sum); ok {
		return c, nil
	}
	if _, err := t.parser.ParseWithClaims(token, &c, t.publicKey); err != nil {
		return c, err
	}
	t.proven.Set(sum, c)
	return c, nil
}

// Ours reports whether a token states docledger as its issuer. It proves nothing; it only selects
// the verifier.
func (t *Tokens) Ours(token string) bool {
	var c jwt.RegisteredClaims
	if _, _, err := t.parser.ParseUnverified(token, &c); err != nil {
		return false
	}
	return c.Issuer == t.issuer
}

func (t *Tokens) publicKey(token *jwt.Token) (any, error) {
	id, _ := token.Header["kid"].(string)
	if key, ok := t.verify[id]; ok {
		return key, nil
	}
	return nil, errors.New("unknown key")
}

func (c *claims) typed() (identity.Claims, error) {
	user, err1 := uuid.Parse(c.Subject)
	sid, err2 := uuid.Parse(c.SessionID)
	stated := c.OrganizationID
	if c.ClientID != "" {
		stated = c.ClientOrg
	}
	organization, err3 := uuid.Parse(stated)
	role := identity.Role(c.Role)
	if err := errors.Join(err1, err2, err3); err != nil {
		return identity.Claims{}, errToken(err)
	}
	if c.IssuedAt == nil || c.ClientID == "" && !role.Valid() {
		return identity.Claims{}, errToken(errors.New("incomplete claims"))
	}
	return identity.Claims{
		UserID: user, SessionID: sid, OrganizationID: organization, Role: role, ClientID: c.ClientID, Generation: c.Generation,
		IssuedAt: c.IssuedAt.UTC(), ExpiresAt: c.ExpiresAt.UTC(),
	}, nil
}

// errToken keeps the cause for the log and does not show it to the caller.
func errToken(cause error) error {
	return fault.New(fault.Unauthenticated, fault.CodeUnauthorized,
		"The token is missing, expired or not valid. Sign in again.").WithCause(cause)
}
