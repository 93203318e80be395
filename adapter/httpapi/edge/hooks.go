package edge

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"docledger/domain/fault"

	"github.com/gin-gonic/gin"
)

// ParameterError is the GinServerOptions.ErrorHandler of the generated code. It
// handles a valid parameter that the generated code could not bind.
func ParameterError(c *gin.Context, err error, _ int) {
	WriteError(c, fault.New(fault.Invalid, fault.CodeInvalidRequest,
		"A parameter of the request is invalid. See the operation at /docs.").WithCause(err))
}

// RequestError is the StrictGinServerOptions.RequestErrorHandlerFunc. It
// handles a body that the generated code could not bind.
func RequestError(c *gin.Context, err error) {
	if f := bodyFault(c, stateOf(c), err); f != nil {
		WriteError(c, f)
		return
	}
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) {
		path := strings.TrimPrefix(wrongType.Field, ".")
		WriteError(c, fault.InvalidField(path, "does not have the type of the specification").WithCause(err))
		return
	}
	WriteError(c, fault.New(fault.Invalid, fault.CodeInvalidRequest,
		"The body of the request is invalid. See the operation at /docs.").WithCause(err))
}

// HandlerError is the StrictGinServerOptions.HandlerErrorFunc. It handles an
// error that a handler returned.
func HandlerError(c *gin.Context, err error) { WriteError(c, err) }

// ResponseError is the StrictGinServerOptions.ResponseErrorHandlerFunc. It
// handles a response that could not be sent. The status is always internal,
// whatever error is wrapped.
func ResponseError(c *gin.Context, err error) {
	if c.Request.Context().Err() == nil {
		err = fault.New(fault.Internal, fault.CodeInternal, internalMessage).WithCause(fmt.Errorf("send response: %w", err))
	}
	WriteError(c, err)
}

// RefuseNil is a strict middleware. It returns an error if a handler returns
// neither a response nor an error, because the generated code would send an
// empty 200. Instantiate it with the StrictHandlerFunc of the generated
// package.
func RefuseNil[H ~func(*gin.Context, any) (any, error)](next H, operationID string) H {
	return func(c *gin.Context, request any) (any, error) {
		response, err := next(c, request)
		if err == nil && isNil(response) {
			return nil, fmt.Errorf("%s returned no response", operationID)
		}
		return response, err
	}
}

// Detach is a strict middleware that gives the handler a separate context. gin
// reuses its own context for the next request after the response, while
// goroutines such as the query watcher of database/sql can still read it.
// Instantiate it like [RefuseNil].
func Detach[H ~func(*gin.Context, any) (any, error)](next H, _ string) H {
	return func(c *gin.Context, request any) (any, error) { return next(c.Copy(), request) }
}

func isNil(response any) bool {
	if response == nil {
		return true
	}
	v := reflect.ValueOf(response)
	return v.Kind() == reflect.Pointer && v.IsNil()
}
