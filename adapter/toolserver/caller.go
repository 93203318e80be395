package toolserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"docledger/adapter/toolserver/catalog"
	"docledger/domain/fault"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxAnswer limits the bytes of an API response.
const maxAnswer = 32 << 20

// handle returns the handler of t. A call sends one request to the API with the
// token of the caller. Each call writes one log line without arguments.
func (s *Server) handle(t catalog.Tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		began := time.Now()
		c, ok := callOf(ctx)
		if !ok {
			return nil, errors.New("call has no caller")
		}
		ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
		defer cancel()
		defer context.AfterFunc(c.gone, cancel)()
		var result *mcp.CallToolResult
		outcome := "invalid"
		arguments, err := t.Check(ctx, req.Params.Arguments)
		if c.checked != nil {
			c.checked()
		}
		operation := t
		if err == nil {
			operation, err = t.Operation(arguments)
		}
		if err != nil {
			result, err = refused("The arguments are invalid: "+err.Error()+". Correct them and call again."), nil
		} else {
			var page string
			result, page, outcome, err = s.run(ctx, operation, c, arguments)
			result = shown(req, page, result)
		}
		if s.o.Observe != nil {
			s.o.Observe(ctx, t.Name, outcome, time.Since(began))
		}
		s.o.Log.InfoContext(ctx, "tool called", "tool", t.Name, "subject", c.caller.Subject, "outcome", outcome,
			"duration_ms", time.Since(began).Milliseconds())
		return result, err
	}
}

// run calls the API. page is the page on which a person can do what the API
// refused. outcome is a word for the log.
func (s *Server) run(ctx context.Context, t catalog.Tool, c call, arguments catalog.Object) (
	result *mcp.CallToolResult, page, outcome string, err error,
) {
	budget := catalog.Budget(arguments)
	var shortened string
	// Items can have grown when a page is requested again, but rarely twice.
	for range maxPages {
		body, page, refusal := s.ask(ctx, t, c.bearer, arguments)
		if refusal != nil {
			return refusal, page, "refused", nil
		}
		if t.Image {
			return pictured(body), "", "ok", nil
		}
		if shortened == "" && t.ReadOnly && isPassthrough(body, arguments, budget) {
			return c.answers.answered(body), "", "ok", nil
		}
		value := s.decode(ctx, t, body)
		if value == nil {
			return refused("The service returned an invalid response. Report it to the operator."), "", "refused", nil
		}
		catalog.Clean(value)
		page = pageOf(t, value)
		if !t.ReadOnly {
			catalog.Compact(value)
		}
		catalog.Select(value, arguments)
		if t.IsShort() {
			catalog.Brief(value)
		}
		if shortened != "" {
			value["truncated"] = shortened
		}
		fit, all := catalog.Fitting(value, budget)
		if fit == all || !t.Paged() || all == 1 {
			catalog.Shorten(value, budget)
			text, err := catalog.Encode(value)
			if err != nil {
				return nil, "", "failed", err
			}
			return c.answers.answered(text), page, "ok", nil
		}
		// The cursor of a shorter page continues after its last item.
		arguments["limit"] = fit
		shortened = fmt.Sprintf("The page has %d items because more items exceed max_tokens. "+
			"Continue with cursor = next_cursor, or name the fields that you need in fields.", fit)
	}
	return refused("The list changes too fast. Request fewer items with limit."), "", "refused", nil
}

// isPassthrough reports whether a response needs no change. Most responses do
// not; decoding and encoding them would take longer than everything else.
func isPassthrough(body []byte, arguments catalog.Object, budget int) bool {
	_, selects := arguments[catalog.ArgFields]
	return !selects && len(body) > 0 && len(body) <= budget && body[0] == '{' && json.Valid(body) && catalog.IsClean(string(body))
}

// decode parses a response; nil if it is not an object.
func (s *Server) decode(ctx context.Context, t catalog.Tool, body []byte) catalog.Object {
	var value catalog.Object
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil || value == nil {
		s.o.Log.ErrorContext(ctx, "API response is not an object", "tool", t.Name)
		return nil
	}
	return value
}

// maxPages is how often a page is requested until it fits.
const maxPages = 3

// ask sends one request and reads the whole response. On failure it returns a
// refusal for the model and the page on which a person can do it, if there is one.
func (s *Server) ask(ctx context.Context, t catalog.Tool, bearer string, arguments catalog.Object) (
	body []byte, page string, refusal *mcp.CallToolResult,
) {
	req, err := s.request(ctx, t, arguments)
	if err != nil {
		return nil, "", refused("The arguments are invalid: " + err.Error() + ". Correct them and call again.")
	}
	req.Header.Set("Authorization", "Bearer "+bearer)
	req.Header.Set("User-Agent", "docledger-tools")
	resp, err := s.o.Client.Do(req)
	if err != nil {
		s.o.Log.WarnContext(ctx, "API unavailable", "tool", t.Name, "error", stripURL(err))
		return nil, "", refused("The service is unavailable. Retry in a few seconds" + retryWarning(t) + ".")
	}
	defer resp.Body.Close()
	var read bytes.Buffer
	if resp.ContentLength > 0 && resp.ContentLength <= maxAnswer {
		read.Grow(int(resp.ContentLength) + bytes.MinRead)
	}
	_, err = read.ReadFrom(io.LimitReader(resp.Body, maxAnswer+1))
	body = read.Bytes()
	if err != nil || len(body) > maxAnswer {
		s.o.Log.WarnContext(ctx, "API response unreadable", "tool", t.Name, "bytes", len(body), "error", err)
		return nil, "", refused("The response is incomplete. Request less data and retry" + retryWarning(t) + ".")
	}
	if resp.StatusCode != http.StatusOK {
		text, page := s.explain(resp, body)
		return nil, page, refused(text)
	}
	if t.Image {
		return body, "", nil
	}
	return bytes.TrimSpace(body), "", nil
}

// request creates the API request. A file that was received as a stream is sent as one.
func (s *Server) request(ctx context.Context, t catalog.Tool, arguments catalog.Object) (*http.Request, error) {
	if c, ok := callOf(ctx); ok && c.file != nil && t.TakesFile() {
		return t.FileRequest(ctx, s.backend, arguments, c.file)
	}
	return t.Request(ctx, s.backend, arguments)
}

// stripURL removes the URL from a request error, because the URL contains
// arguments.
func stripURL(err error) error {
	if failed := new(url.Error); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// retryWarning warns about a retry of a change that may have been made.
func retryWarning(t catalog.Tool) string {
	if t.ReadOnly || t.Idempotent {
		return ""
	}
	return ", but first check whether the change was made"
}

// envelope is the error of the API.
type envelope struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Details struct {
			RequestID string `json:"request_id"`
			Fields    []struct {
				Field  string `json:"field"`
				Reason string `json:"reason"`
			} `json:"fields"`
			ConfirmURL string `json:"confirm_url"`
		} `json:"details"`
	} `json:"error"`
}

// explain converts a refusal of the API to text with the next step. page is the
// page on which a person can do it.
func (s *Server) explain(resp *http.Response, body []byte) (text, page string) {
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil || e.Error.Code == "" {
		return fmt.Sprintf("The service returned status %d without a reason. Report it to the operator.", resp.StatusCode), ""
	}
	confirm := e.Error.Details.ConfirmURL
	message := e.Error.Message
	if confirm != "" {
		// The text is all that some models see of a refusal.
		message = strings.ReplaceAll(message, "the page in details.confirm_url", confirm)
	}
	parts := []string{message}
	for _, f := range e.Error.Details.Fields {
		if !strings.Contains(e.Error.Message, f.Reason) {
			parts = append(parts, f.Field+": "+f.Reason+".")
		}
	}
	switch step := nextStep(fault.Code(e.Error.Code), resp.Header.Get("Retry-After")); {
	case confirm != "": // the user of this assistant can have every permission
		parts = append(parts, "Do not retry.")
	case step != "":
		parts = append(parts, step)
	}
	if confirm != "" && !strings.Contains(message, confirm) {
		parts = append(parts, "A user can do it at "+confirm+".")
	}
	return fmt.Sprintf("%s (%s, request %s)", strings.Join(parts, " "), e.Error.Code, e.Error.Details.RequestID), confirm
}

// nextStep returns what a model or its user can do about a code whose message
// addresses programs.
func nextStep(code fault.Code, retryAfter string) string {
	switch code {
	case fault.CodeOrganizationRequired:
		return "Connect again: sign in and choose an organization on the consent page. The current connection cannot succeed."
	case fault.CodeUnauthorized:
		return "Connect again: the sign-in has ended."
	case fault.CodeForbidden:
		return "Only a user with more permissions can do it. Do not retry."
	case fault.CodeNotFound:
		return "Check the id: list the records and use an id from the list."
	case fault.CodeChecksFailed:
		return "Show the failed checks and the original to the user. Acknowledge them only if the user agrees."
	case fault.CodeVersionConflict, fault.CodeConflict:
		return "Fetch the current version, then retry if the change still applies."
	case fault.CodeRateLimited, fault.CodeUnavailable, fault.CodeStillProcessing:
		if retryAfter != "" {
			return "Call again in " + retryAfter + " seconds."
		}
	}
	return ""
}
