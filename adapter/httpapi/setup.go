package httpapi

import (
	"context"
	"net"
	"net/http"
	"net/url"

	"docledger/domain/identity"
	"docledger/gen/backend"
	"docledger/usecase/session"

	"github.com/gin-gonic/gin"
)

// GetSetup implements the operation getSetup.
func (s *Server) GetSetup(ctx context.Context, _ backend.GetSetupRequestObject) (backend.GetSetupResponseObject, error) {
	open, err := s.Session.SetupOpen(ctx)
	if err != nil {
		return nil, err
	}
	return backend.GetSetup200JSONResponse{Body: backend.SetupState{Open: open, CodeRequired: open && !s.needsNoCode(ctx)}}, nil
}

// SetUp implements the operation setUp.
func (s *Server) SetUp(ctx context.Context, r backend.SetUpRequestObject) (backend.SetUpResponseObject, error) {
	in := session.SetupInput{
		Admin: identity.FirstAdmin{
			OrganizationName: r.Body.OrganizationName, Name: r.Body.Name, Email: r.Body.Email, Password: r.Body.Password,
		},
		Trusted: s.needsNoCode(ctx), Address: clientAddress(ctx),
	}
	if r.Body.Code != nil {
		in.Code = *r.Body.Code
	}
	token, err := s.Session.SetUp(ctx, in)
	if err != nil {
		return nil, err
	}
	return backend.SetUp200JSONResponse{Body: backend.Token{Token: token.Token, ExpiresAt: token.ExpiresAt}}, nil
}

// needsNoCode reports whether the caller is on this machine and behind no known proxy. Many proxies
// add a header or ask with HTTP/1.0. LISTEN, BASE_URL and TRUSTED_PROXIES exclude the others. The names in Host and Origin exclude the page of
// another site with a name that resolves to this machine.
func (s *Server) needsNoCode(ctx context.Context) bool {
	c, ok := ctx.(*gin.Context)
	if !ok || !s.LoopbackSetup || !c.Request.ProtoAtLeast(1, 1) {
		return false
	}
	for _, header := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Via"} {
		if len(c.Request.Header.Values(header)) > 0 {
			return false
		}
	}
	host, _, err := net.SplitHostPort(c.Request.RemoteAddr)
	return err == nil && isLoopback(host) && namesThisMachine(c.Request)
}

// namesThisMachine reports whether the request names this machine as its host and its origin.
func namesThisMachine(r *http.Request) bool {
	for _, address := range append([]string{"http://" + r.Host}, r.Header.Values("Origin")...) {
		u, err := url.Parse(address)
		if err != nil || u.Hostname() != "localhost" && !isLoopback(u.Hostname()) {
			return false
		}
	}
	return true
}
