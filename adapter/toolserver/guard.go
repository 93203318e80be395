package toolserver

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"docledger/adapter/toolserver/oauth"

	"github.com/gin-gonic/gin"
)

// writeGrace is the time to write a response in addition to the time limit of
// the API call.
const writeGrace = 30 * time.Second

// guard is the first middleware of every route. It refuses foreign host names,
// responds to preflight requests without a credential, and refuses pages of
// other origins at the protocol endpoint.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.protect(w.Header())
		s.limited(w, r)
		if !s.knowsHost(r.Host) {
			answer(w, http.StatusForbidden, "invalid_request", "This server does not accept the Host. The operator can add it to MCP_HOSTS.")
			return
		}
		if len(r.URL.Path) > 1 {
			r.URL.Path = strings.TrimSuffix(r.URL.Path, "/")
		}
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		if r.URL.Path == oauth.ResourcePath && !s.knowsOrigin(r.Header.Values("Origin")) {
			answer(w, http.StatusForbidden, "invalid_request", "This server does not accept the Origin. The operator can add it to MCP_ORIGINS.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// recovered responds to a panic with an error. If the response has started, it
// closes the connection, so that no client treats a partial response as
// complete.
func (s *Server) recovered(c *gin.Context) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if v != http.ErrAbortHandler {
			s.o.Log.ErrorContext(c.Request.Context(), "tool server panicked", "path", c.Request.URL.Path, "panic", v, "stack", string(debug.Stack()))
		}
		if v == http.ErrAbortHandler || c.Writer.Written() {
			panic(http.ErrAbortHandler)
		}
		c.Abort()
		answer(c.Writer, http.StatusInternalServerError, "server_error", "An internal error occurred. Retry later.")
	}()
	c.Next()
}

// crossOrigin allows pages of all origins to read responses. The only
// credential is a header, which pages must set explicitly. knowsOrigin decides
// whether a page may call tools.
func crossOrigin(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS")
	h.Set("Access-Control-Allow-Headers",
		"Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID")
	h.Set("Access-Control-Expose-Headers", "WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset")
	h.Set("Access-Control-Max-Age", "86400")
}

// protect sets the security headers of every response. This server has no
// pages.
func (s *Server) protect(h http.Header) {
	crossOrigin(h)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
	if strings.HasPrefix(s.o.OAuth.BaseURL, "https://") {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// knowsHost refuses unknown host names, to prevent DNS rebinding. It ignores
// the port, because proxies change it.
func (s *Server) knowsHost(host string) bool {
	name := hostname(host)
	if isLoopback(name) {
		return true
	}
	base, err := url.Parse(s.o.OAuth.BaseURL)
	if err == nil && strings.EqualFold(name, base.Hostname()) {
		return true
	}
	return slices.ContainsFunc(s.o.Hosts, func(known string) bool { return strings.EqualFold(hostname(known), name) })
}

func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.Trim(strings.TrimSuffix(host, "."), "[]")
}

// knowsOrigin accepts requests without an origin, pages of this server, pages
// of this machine, and the configured origins.
func (s *Server) knowsOrigin(origins []string) bool {
	if len(origins) == 0 {
		return true
	}
	if len(origins) > 1 {
		return false
	}
	origin := origins[0]
	if origin == s.o.OAuth.BaseURL || slices.Contains(s.o.Origins, "*") || slices.Contains(s.o.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}
