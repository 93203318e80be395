package httpapi

import (
	"context"
	"net/http"
	"time"

	"docledger/adapter/httpapi/docs"
	"docledger/adapter/httpapi/edge"
	"docledger/gen/backend"
	"docledger/gen/billing"
	"docledger/gen/integrations"

	"github.com/gin-gonic/gin"
)

// readyTimeout limits the readiness check.
const readyTimeout = 2 * time.Second

// Ready returns an error if the service cannot work. Otherwise it returns the
// parts that are unavailable while the rest works.
type Ready func(context.Context) (degraded []string, err error)

// NewHandler returns the HTTP handler of the service. more adds the routes of
// other adapters, which write errors with edge.WriteError.
func NewHandler(
	s *Server, options edge.Options, ready Ready, more ...func(gin.IRouter),
) (http.Handler, error) {
	engine, err := newEngine(s, options, ready, more...)
	if err != nil {
		return nil, err
	}
	return edge.Handler(engine), nil
}

func newEngine(s *Server, options edge.Options, ready Ready, more ...func(gin.IRouter)) (*gin.Engine, error) {
	engine, err := edge.NewEngine(options)
	if err != nil {
		return nil, err
	}
	registerAPI(engine, s)
	s.registerLinks(engine)
	if err := docs.Register(engine); err != nil {
		return nil, err
	}
	for _, register := range more {
		register(engine)
	}
	engine.GET("/healthz", func(c *gin.Context) { c.JSON(http.StatusOK, gin.H{"status": "ok"}) })
	engine.GET("/readyz", func(c *gin.Context) {
		ctx, cancel := context.WithTimeout(c.Request.Context(), readyTimeout)
		defer cancel()
		degraded, err := ready(ctx)
		if err != nil {
			s.Log.WarnContext(ctx, "service not ready", "error", err)
			c.Header("Retry-After", "1")
			c.JSON(http.StatusServiceUnavailable, gin.H{"status": "unavailable"})
			return
		}
		answer := gin.H{"status": "ok"}
		if len(degraded) > 0 {
			answer["degraded"] = degraded
		}
		c.JSON(http.StatusOK, answer)
	})
	return engine, nil
}

// registerAPI adds the operations of the specifications that Server implements.
func registerAPI(engine *gin.Engine, s *Server) {
	strict := backend.NewStrictHandlerWithOptions(s, []backend.StrictMiddlewareFunc{
		edge.NoNilIDs[backend.StrictHandlerFunc], edge.RefuseNil[backend.StrictHandlerFunc], edge.Detach[backend.StrictHandlerFunc],
	}, backend.StrictGinServerOptions{
		RequestErrorHandlerFunc:  edge.RequestError,
		HandlerErrorFunc:         edge.HandlerError,
		ResponseErrorHandlerFunc: edge.ResponseError,
	})
	backend.RegisterHandlersWithOptions(engine, strict, backend.GinServerOptions{ErrorHandler: edge.ParameterError})
	billed := billing.NewStrictHandlerWithOptions(s, []billing.StrictMiddlewareFunc{
		edge.NoNilIDs[billing.StrictHandlerFunc], edge.RefuseNil[billing.StrictHandlerFunc], edge.Detach[billing.StrictHandlerFunc],
	}, billing.StrictGinServerOptions{
		RequestErrorHandlerFunc:  edge.RequestError,
		HandlerErrorFunc:         edge.HandlerError,
		ResponseErrorHandlerFunc: edge.ResponseError,
	})
	billing.RegisterHandlersWithOptions(engine, billed, billing.GinServerOptions{ErrorHandler: edge.ParameterError})
	connected := integrations.NewStrictHandlerWithOptions(s, []integrations.StrictMiddlewareFunc{
		edge.NoNilIDs[integrations.StrictHandlerFunc], edge.RefuseNil[integrations.StrictHandlerFunc], edge.Detach[integrations.StrictHandlerFunc],
	}, integrations.StrictGinServerOptions{
		RequestErrorHandlerFunc:  edge.RequestError,
		HandlerErrorFunc:         edge.HandlerError,
		ResponseErrorHandlerFunc: edge.ResponseError,
	})
	integrations.RegisterHandlersWithOptions(engine, connected, integrations.GinServerOptions{ErrorHandler: edge.ParameterError})
}
