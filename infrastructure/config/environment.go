package config

// Environment is the deployment environment of the service.
type Environment string

// The environments (decisions 0).
const (
	Local    Environment = "local"
	Deployed Environment = "deployed"
)

// Rules are the settings that depend on the environment (interface 5.7 and 5.8). Only
// this file distinguishes the environments.
type Rules struct {
	// ConfidentialClient reports whether the OAuth client has a secret. Clients
	// receive it out of band.
	ConfidentialClient bool
	// TokenAuthMethod is how the client authenticates at the token endpoint.
	// Registration and metadata both publish it (RFC 7591, section 2).
	TokenAuthMethod string
	// Scopes are the advertised OAuth scopes.
	Scopes []string
	// PlainHTTPIssuer allows an http address of this machine as the advertised
	// issuer, which is BASE_URL.
	PlainHTTPIssuer bool
	// LoopbackRedirects allows redirect URIs with any port of this machine.
	LoopbackRedirects bool
	// LoopbackSignIn allows /sign-in to redirect a browser to an http address of this
	// machine.
	LoopbackSignIn bool
	// LoopbackConsent lets a browser on this machine finish a consent that another
	// browser started, without the confirmation page.
	LoopbackConsent bool
	// LoopbackSetup lets a caller on this machine create the first administrator without
	// the setup code.
	LoopbackSetup bool
	// ClientRequired reports whether the start fails without OAUTH_CLIENT_ID.
	// Otherwise the service refuses every OAuth token.
	ClientRequired bool
}

// Rules returns the settings of the environment.
func (e Environment) Rules() Rules {
	if e == Local {
		return Rules{
			ConfidentialClient: true, TokenAuthMethod: "client_secret_post", Scopes: []string{"user:org:read"},
			PlainHTTPIssuer: true, LoopbackRedirects: true, LoopbackSignIn: true, LoopbackConsent: true, LoopbackSetup: true,
		}
	}
	return Rules{
		TokenAuthMethod: "none", Scopes: []string{"profile", "email", "user:org:read"}, ClientRequired: true,
	}
}
