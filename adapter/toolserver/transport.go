package toolserver

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"docledger/adapter/toolserver/catalog"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A client selects tools in the address or, where it cannot change the address,
// with these headers.
const (
	toolsetsParameter = "toolsets"
	readOnlyParameter = "read-only"
	toolsetsHeader    = "X-MCP-Toolsets"
	readOnlyHeader    = "X-MCP-Readonly"
)

// selection returns the part of the tools that a request asks for. The query
// wins over the header.
func selection(r *http.Request) catalog.Selection {
	query := r.URL.Query()
	first := func(parameter, header string) string {
		if query.Has(parameter) {
			return query.Get(parameter)
		}
		return r.Header.Get(header)
	}
	readOnly := first(readOnlyParameter, readOnlyHeader)
	flag, err := strconv.ParseBool(readOnly)
	return catalog.Selection{
		Toolsets: first(toolsetsParameter, toolsetsHeader),
		// The parameter without a value, or with one that is no truth value, asks
		// for fewer rights.
		ReadOnly: flag || query.Has(readOnlyParameter) && err != nil || readOnly != "" && err != nil,
	}
}

// serverOf returns the protocol server of the tools that a request asks for.
// Servers are kept by the names of their toolsets, so that their number is
// bounded: a caller cannot make more than there are subsets of the toolsets.
func (s *Server) serverOf(r *http.Request) (*mcp.Server, error) {
	asked := selection(r)
	sets, err := asked.Sets()
	if err != nil {
		return nil, err
	}
	key := catalog.Selection{Toolsets: strings.Join(sets, ","), ReadOnly: asked.ReadOnly}
	if server, ok := s.servers.Load(key); ok {
		return server.(*mcp.Server), nil
	}
	tools, err := catalog.Choose(s.tools, key)
	if err != nil {
		return nil, err
	}
	server, _ := s.servers.LoadOrStore(key, s.protocol(tools))
	return server.(*mcp.Server), nil
}

// serverKey is the key of the protocol server in the context of a request.
type serverKey struct{}

// transport returns the library's handler for one form of answers.
func (s *Server) transport(asJSON bool) http.Handler {
	chosen := func(r *http.Request) *mcp.Server {
		server, _ := r.Context().Value(serverKey{}).(*mcp.Server)
		return server
	}
	return mcp.NewStreamableHTTPHandler(chosen, &mcp.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: s.o.MaxBytes, PropagateRequestCancellation: true, JSONResponse: asJSON,
		// guard checks the host against the names of this server on every
		// route.
		DisableLocalhostProtection: true,
	})
}

const (
	mediaJSON   = "application/json"
	mediaEvents = "text/event-stream"
)

// serve hands a request to the handler whose form of answers the client takes.
// A client that names no form, or only JSON, gets JSON.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	server, err := s.serverOf(r)
	if err != nil {
		refusal{http.StatusBadRequest, "The address is invalid: " + err.Error() + ".", messageOf(r)}.write(w)
		return
	}
	handler := s.json
	if takesEvents(r.Header.Values("Accept")) {
		handler = s.events
	}
	// The library requires both forms, although each answer has one.
	r.Header.Set("Accept", mediaJSON+", "+mediaEvents)
	c, _ := callOf(r.Context())
	handler.ServeHTTP(&jsonErrors{ResponseWriter: w, answers: c.answers, message: messageOf(r)}, r.WithContext(context.WithValue(r.Context(), serverKey{}, server)))
}

// messageOf returns the message of a request; nil if the method has none.
func messageOf(r *http.Request) []byte {
	body, ok := r.Body.(*held)
	if !ok || r.Method != http.MethodPost {
		return nil
	}
	if body.data == nil {
		return []byte{}
	}
	return body.data
}

// takesEvents reports whether Accept names server-sent events.
func takesEvents(values []string) bool {
	for _, value := range values {
		for media := range strings.SplitSeq(value, ",") {
			name, _, _ := strings.Cut(media, ";")
			if name = strings.ToLower(strings.TrimSpace(name)); name == mediaEvents || name == "text/*" {
				return true
			}
		}
	}
	return false
}

// refusal is why the transport refuses a request.
type refusal struct {
	status  int
	text    string
	message []byte // of the request; empty without a body
}

// unhandled begins the text with which the library refuses an unknown method.
const unhandled = "JSON RPC not handled: "

// rpcCall has what identifies one call of a message.
type rpcCall struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

// id returns the id of a call as JSON; nil for a notification and for an id that is none.
func (c rpcCall) id() any {
	if len(c.ID) > 0 && strings.IndexByte(`"-0123456789`, c.ID[0]) >= 0 {
		return c.ID
	}
	return nil
}

// write sends the refusal as a message of the protocol, with the id of the call.
func (f refusal) write(w http.ResponseWriter) {
	var one rpcCall
	var batch []rpcCall
	invalid := f.message != nil && !json.Valid(f.message)
	if !invalid && json.Unmarshal(f.message, &one) != nil && json.Unmarshal(f.message, &batch) == nil {
		// A batch is refused as a whole because of one of its calls.
		if n := slices.IndexFunc(batch, func(c rpcCall) bool { return strings.HasPrefix(f.text, unhandled+strconv.Quote(c.Method)) }); n >= 0 {
			one = batch[n]
		}
	}
	code := int64(jsonrpc.CodeInvalidRequest)
	switch {
	case f.status >= http.StatusInternalServerError:
		code = jsonrpc.CodeInternalError
	case invalid && f.status == http.StatusBadRequest:
		code = jsonrpc.CodeParseError
	case strings.HasPrefix(f.text, unhandled) && one.id() != nil:
		code, f.text = jsonrpc.CodeMethodNotFound, "method not found: "+strconv.Quote(one.Method)
		if batch == nil {
			f.status = http.StatusOK // as the error of every other call
		}
	}
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": one.id(), "error": map[string]any{"code": code, "message": catalog.CleanText(f.text)},
	})
	if err != nil {
		f.status, body = http.StatusInternalServerError, []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}`)
	}
	w.Header().Set("Content-Type", mediaJSON)
	w.Header().Del("Content-Length")
	w.WriteHeader(f.status)
	_, _ = w.Write(body)
}

// jsonErrors turns the plain-text errors of the library into messages of the
// protocol, and completes its answers.
type jsonErrors struct {
	http.ResponseWriter
	answers  *splices
	message  []byte // of the request
	refusing int    // the status of a plain-text error, until its text is written
}

// WriteHeader implements http.ResponseWriter.
func (w *jsonErrors) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.refusing = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *jsonErrors) Write(p []byte) (int, error) {
	if w.refusing != 0 {
		refusal{w.refusing, string(bytes.TrimSpace(p)), w.message}.write(w.ResponseWriter)
		w.refusing = 0
		return len(p), nil
	}
	if w.answers == nil {
		return w.ResponseWriter.Write(p)
	}
	if err := w.answers.write(w.ResponseWriter, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Unwrap lets http.ResponseController reach the connection.
func (w *jsonErrors) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush implements http.Flusher, which the library requires for events.
func (w *jsonErrors) Flush() {
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

var _ http.Flusher = (*jsonErrors)(nil)
