package config

// Environment says where the service runs.
type Environment string

// The environments (decisions 0).
const (
	Local    Environment = "local"
	Deployed Environment = "deployed"
)

// Rules are what an environment sets (interface 5.7 and 5.8). This is the one
// place that knows how the two differ.
type Rules struct {
	// ConfidentialClient says that the OAuth client has a secret, which clients
	// are given out of band.
	ConfidentialClient bool
	// TokenAuthMethod is how the client authenticates at the token endpoint, as
	// registration and metadata both state it (RFC 7591, section 2).
	TokenAuthMethod string
	// Scopes are those that are advertised.
	Scopes []string
	// PlainHTTPIssuer lets the advertised issuer, which is BASE_URL, be an http
	// address of this machine.
	PlainHTTPIssuer bool
	// LoopbackRedirects lets redirect URIs lead to any port of this machine.
	LoopbackRedirects bool
	// LoopbackSignIn lets /sign-in pass a browser on to an http address of this
	// machine.
	LoopbackSignIn bool
	// LoopbackConsent lets a browser on this machine finish a consent that another
	// one began, without the confirmation page.
	LoopbackConsent bool
	// ClientRequired says that a start without OAUTH_CLIENT_ID is refused, rather
	// than every OAuth token.
	ClientRequired bool
}

// Rules returns what the environment sets.
func (e Environment) Rules() Rules {
	if e == Local {
		return Rules{
			ConfidentialClient: true, TokenAuthMethod: "client_secret_post", Scopes: []string{"user:org:read"},
			PlainHTTPIssuer: true, LoopbackRedirects: true, LoopbackSignIn: true, LoopbackConsent: true,
		}
	}
	return Rules{
		TokenAuthMethod: "none", Scopes: []string{"profile", "email", "user:org:read"}, ClientRequired: true,
	}
}
