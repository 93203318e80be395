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

// writeGrace is how much longer than the call of the API an answer may take.
const writeGrace = 30 * time.Second

// guard stands before every route: only the names of this server are answered,
// preflights need no credential, and pages of others are refused at the
// protocol's endpoint.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.protect(w.Header())
		s.limited(w)
		if !s.knowsHost(r.Host) {
			answer(w, http.StatusForbidden, "invalid_request", "The Host is not one of this server. Its operator can add it to MCP_HOSTS.")
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
			answer(w, http.StatusForbidden, "invalid_request", "Pages of this Origin may not call. The operator can add it to MCP_ORIGINS.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// recovered ends a panic: with an answer, or where one has begun already with
// the connection, so that nobody takes half of it for the whole.
func (s *Server) recovered(c *gin.Context) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if v != http.ErrAbortHandler {
			s.o.Log.ErrorContext(c.Request.Context(), "panic in the tool server", "path", c.Request.URL.Path, "panic", v, "stack", string(debug.Stack()))
		}
		if v == http.ErrAbortHandler || c.Writer.Written() {
			panic(http.ErrAbortHandler)
		}
		c.Abort()
		answer(c.Writer, http.StatusInternalServerError, "server_error", "Something went wrong here. Try again.")
	}()
	c.Next()
}

// crossOrigin lets pages of all origins read: the only credential is a header
// that they must set themselves. Whether a page may call tools is another
// question.
func crossOrigin(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS")
	h.Set("Access-Control-Allow-Headers",
		"Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID")
	h.Set("Access-Control-Expose-Headers", "WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset")
	h.Set("Access-Control-Max-Age", "86400")
}

// protect sets what every answer carries. There is no page here but what the
// identity provider is sent browsers for.
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

// knowsHost keeps out names that others let point at this machine (DNS
// rebinding). A port says nothing, since proxies change it.
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

// knowsOrigin passes what is no page at all, this server's own pages, pages of
// this machine, and those that are listed.
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
