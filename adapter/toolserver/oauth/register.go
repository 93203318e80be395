package oauth

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"docledger/gen/toolserver"

	"github.com/gin-gonic/gin"
)

const maxRegistration = 16 << 10

// RegisterClient implements the operation registerClient.
func (f *Facade) RegisterClient(c *gin.Context) {
	body, ok := read(c, maxRegistration)
	if !ok {
		return
	}
	var asked struct {
		Name      string   `json:"client_name"`
		Redirects []string `json:"redirect_uris"`
	}
	if len(bytes.TrimSpace(body)) > 0 {
		if err := json.Unmarshal(body, &asked); err != nil {
			refuse(c, http.StatusBadRequest, "invalid_client_metadata", "The body must be a JSON object with client_name as a string and redirect_uris as a list of strings.")
			return
		}
	}
	if asked.Redirects == nil {
		asked.Redirects = f.redirects.Offered()
	}
	for i, uri := range asked.Redirects {
		if reason := f.redirects.Refusal(uri); reason != "" {
			refuse(c, http.StatusBadRequest, "invalid_redirect_uri", fmt.Sprintf("Redirect URI %d %s.", i+1, reason))
			return
		}
	}
	if f.ClientID == "" {
		refuse(c, http.StatusServiceUnavailable, "temporarily_unavailable", "The OAuth client is not configured. The operator must set OAUTH_CLIENT_ID.")
		return
	}
	if asked.Name == "" {
		asked.Name = "docledger"
	}
	c.Header("Cache-Control", "no-store")
	c.Header("Pragma", "no-cache")
	c.JSON(http.StatusCreated, toolserver.Client{
		ClientId: f.ClientID, ClientIdIssuedAt: f.Now().Unix(), ClientName: asked.Name, RedirectUris: asked.Redirects,
		GrantTypes: grantTypes(), ResponseTypes: []string{"code"}, TokenEndpointAuthMethod: f.AuthMethod,
		Scope: strings.Join(f.Scopes, " "),
	})
}

// read returns the body, or responds that it is too large or incomplete.
func read(c *gin.Context, limit int64) ([]byte, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, limit))
	tooLarge := new(http.MaxBytesError)
	switch {
	case errors.As(err, &tooLarge):
		refuse(c, http.StatusRequestEntityTooLarge, "invalid_request", fmt.Sprintf("The body exceeds the limit of %d bytes.", limit))
	case err != nil:
		refuse(c, http.StatusBadRequest, "invalid_request", "The body is incomplete. Send it again.")
	}
	return body, err == nil
}
