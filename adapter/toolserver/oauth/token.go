package oauth

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
)

const (
	maxTokenRequest = 16 << 10
	maxTokenAnswer  = 256 << 10
	tokenTimeout    = 15 * time.Second
)

// ExchangeToken implements the operation exchangeToken. It returns the
// unchanged response of the identity provider, because clients act on it:
// invalid_grant makes them sign in again, invalid_client register again.
func (f *Facade) ExchangeToken(c *gin.Context) {
	if f.Token != nil {
		f.Token(c.Writer, c.Request)
		return
	}
	body, ok := read(c, maxTokenRequest)
	if !ok {
		return
	}
	ctx := c.Request.Context()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.tokenURL, bytes.NewReader(body))
	if err != nil {
		f.unreachable(c, err)
		return
	}
	if contentType, there := c.Request.Header["Content-Type"]; there {
		req.Header["Content-Type"] = contentType
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "docledger")
	if f.TokenOrigin != "" {
		req.Header.Set("X-Forwarded-For", c.ClientIP())
	}
	resp, err := f.Provider.Do(req)
	if err != nil {
		f.unreachable(c, err)
		return
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxTokenAnswer+1))
	if err != nil {
		f.unreachable(c, err)
		return
	}
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	isJSON := err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
	redirected := resp.StatusCode >= 300 && resp.StatusCode < 400
	if len(answer) > maxTokenAnswer || !isJSON || redirected {
		f.Log.ErrorContext(ctx, "identity provider returned an invalid token response", "status", resp.StatusCode, "type", kind)
		refuse(c, http.StatusBadGateway, "server_error", "The identity provider returned an invalid response. Retry later.")
		return
	}
	if challenge := resp.Header.Get("WWW-Authenticate"); challenge != "" {
		c.Header("WWW-Authenticate", challenge)
	}
	if wait := resp.Header.Get("Retry-After"); wait != "" {
		c.Header("Retry-After", wait)
	}
	c.Header("Cache-Control", "no-store")
	c.Header("Pragma", "no-cache")
	c.Data(resp.StatusCode, resp.Header.Get("Content-Type"), answer)
}

func (f *Facade) unreachable(c *gin.Context, err error) {
	ctx := c.Request.Context()
	if errors.Is(ctx.Err(), context.Canceled) {
		return // the client disconnected
	}
	f.Log.ErrorContext(ctx, "identity provider token endpoint unavailable", "error", err)
	var netErr net.Error
	if errors.As(err, &netErr) && netErr.Timeout() {
		refuse(c, http.StatusGatewayTimeout, "temporarily_unavailable", "The identity provider exceeded the time limit. Retry later.")
		return
	}
	refuse(c, http.StatusBadGateway, "temporarily_unavailable", "The identity provider is unavailable. Retry later.")
}
