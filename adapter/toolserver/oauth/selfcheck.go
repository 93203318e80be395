package oauth

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
)

const maxMetadata = 256 << 10

// Check compares the advertised metadata with the metadata of the identity
// provider. The text names what will fail and how to fix it; it is empty if
// nothing will fail. In the mode AutoServer it selects the advertised server.
func (f *Facade) Check(ctx context.Context) (warning string, err error) {
	if f.Local {
		return "", nil // it is this installation
	}
	defer f.once.Do(func() { close(f.checked) })
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.Issuer+"/.well-known/oauth-authorization-server", nil)
	if err != nil {
		return "", err
	}
	resp, err := f.Provider.Do(req)
	if err != nil {
		return "", fmt.Errorf("read the identity provider's metadata: %w", err)
	}
	defer resp.Body.Close()
	var said struct {
		Issuer           string   `json:"issuer"`
		StatesIssuer     bool     `json:"authorization_response_iss_parameter_supported"`
		ChallengeMethods []string `json:"code_challenge_methods_supported"`
	}
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("read the identity provider's metadata: status %d", resp.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxMetadata)).Decode(&said); err != nil {
		return "", fmt.Errorf("read the identity provider's metadata: %w", err)
	}
	if f.Server == AutoServer {
		f.direct.Store(said.Issuer == f.Issuer && said.StatesIssuer)
	}
	switch {
	case said.Issuer != f.Issuer:
		return fmt.Sprintf("the identity provider states the issuer %q, but the publishable key names %q: clients and docledger will refuse its tokens; "+
			"check IDENTITY_PUBLISHABLE_KEY", said.Issuer, f.Issuer), nil
	case said.StatesIssuer && !f.direct.Load():
		return "the identity provider states its own issuer in authorization responses, but this server advertises itself: strict clients " +
			"will refuse to sign in; set MCP_AUTHORIZATION_SERVER=auto or direct, or disable the iss parameter at the identity provider", nil
	case !slices.Contains(said.ChallengeMethods, "S256"):
		return "the identity provider does not advertise PKCE with S256, which clients require", nil
	}
	return "", nil
}
