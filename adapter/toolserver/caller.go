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

// maxAnswer is how much of an answer of the API is read.
const maxAnswer = 32 << 20

// handle returns what a call of t does: one request to the API with the
// caller's own token, whatever the operation. Each call leaves one line in the
// log, which names no argument.
func (s *Server) handle(t catalog.Tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		began := time.Now()
		c, ok := callOf(ctx)
		if !ok {
			return nil, errors.New("a call without a caller")
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
		if err != nil {
			result, err = refused("The arguments do not fit: "+err.Error()+". Correct them and call again."), nil
		} else {
			result, outcome, err = s.run(ctx, t, c.bearer, arguments)
		}
		if s.o.Observe != nil {
			s.o.Observe(ctx, t.Name, outcome, time.Since(began))
		}
		s.o.Log.InfoContext(ctx, "tool called", "tool", t.Name, "subject", c.caller.Subject, "outcome", outcome,
			"duration_ms", time.Since(began).Milliseconds())
		return result, err
	}
}

// run calls the API; outcome is a word for the log.
func (s *Server) run(ctx context.Context, t catalog.Tool, bearer string, arguments catalog.Object) (
	result *mcp.CallToolResult, outcome string, err error,
) {
	budget := catalog.Budget(arguments)
	var shortened string
	// Items may have grown when a page is asked for again, but hardly twice.
	for range maxPages {
		body, refusal := s.ask(ctx, t, bearer, arguments)
		if refusal != nil {
			return refusal, "refused", nil
		}
		if shortened == "" && isPassthrough(body, arguments, budget) {
			return answered(body), "ok", nil
		}
		value := s.decode(ctx, t, body)
		if value == nil {
			return refused("The service gave no answer that can be understood. Its operator should look into the log."), "refused", nil
		}
		catalog.Clean(value)
		catalog.Select(value, arguments)
		if shortened != "" {
			value["truncated"] = shortened
		}
		fit, all := catalog.Fitting(value, budget)
		if fit == all || !t.Paged() || all == 1 {
			catalog.Shorten(value, budget)
			text, err := catalog.Encode(value)
			if err != nil {
				return nil, "failed", err
			}
			return answered(text), "ok", nil
		}
		// A shorter page has the cursor that leads on from where it ends.
		arguments["limit"] = fit
		shortened = fmt.Sprintf("A page of %d items, because more would be longer than the answer may be. "+
			"Go on with cursor = next_cursor, or name the fields that you need in fields.", fit)
	}
	return refused("The list changes too fast to be read. Ask for fewer items with limit."), "refused", nil
}

// isPassthrough says that an answer needs nothing done to it, as most do not: reading
// and writing it again would take longer than all else.
func isPassthrough(body []byte, arguments catalog.Object, budget int) bool {
	_, selects := arguments[catalog.ArgFields]
	return !selects && len(body) > 0 && len(body) <= budget && body[0] == '{' && json.Valid(body) && catalog.IsClean(string(body))
}

// decode reads an answer; nil for one that is no object.
func (s *Server) decode(ctx context.Context, t catalog.Tool, body []byte) catalog.Object {
	var value catalog.Object
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil || value == nil {
		s.o.Log.ErrorContext(ctx, "an answer of the API is no object", "tool", t.Name)
		return nil
	}
	return value
}

// maxPages is how often a page is asked for until it fits.
const maxPages = 3

// ask sends one request and reads its answer whole, or says why not in a
// refusal for the model.
func (s *Server) ask(ctx context.Context, t catalog.Tool, bearer string, arguments catalog.Object) (body []byte, refusal *mcp.CallToolResult) {
	req, err := t.Request(ctx, s.backend, arguments)
	if err != nil {
		return nil, refused("The arguments do not fit: " + err.Error() + ".")
	}
	req.Header.Set("Authorization", "Bearer "+bearer)
	req.Header.Set("User-Agent", "docledger-tools")
	resp, err := s.o.Client.Do(req)
	if err != nil {
		s.o.Log.WarnContext(ctx, "the API does not answer", "tool", t.Name, "error", stripURL(err))
		return nil, refused("The service does not answer just now. Try again in a few seconds" + retryWarning(t) + ".")
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil || len(body) > maxAnswer {
		s.o.Log.WarnContext(ctx, "an answer of the API cannot be read", "tool", t.Name, "bytes", len(body), "error", err)
		return nil, refused("The answer could not be read whole. Ask for less and try again" + retryWarning(t) + ".")
	}
	if resp.StatusCode != http.StatusOK {
		return nil, refused(s.explain(resp, body))
	}
	return bytes.TrimSpace(body), nil
}

// stripURL takes from an error of a request the address, in which there
// are arguments.
func stripURL(err error) error {
	if failed := new(url.Error); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// retryWarning warns of repeating what may have been done.
func retryWarning(t catalog.Tool) string {
	if t.ReadOnly || t.Idempotent {
		return ""
	}
	return ", but look first whether it was done after all"
}

// envelope is the API's error.
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

// explain turns a refusal of the API into words with the next step.
func (s *Server) explain(resp *http.Response, body []byte) string {
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil || e.Error.Code == "" {
		return fmt.Sprintf("The service answered with status %d and no reason. Its operator should look into the log.", resp.StatusCode)
	}
	parts := []string{e.Error.Message}
	for _, f := range e.Error.Details.Fields {
		if !strings.Contains(e.Error.Message, f.Reason) {
			parts = append(parts, f.Field+": "+f.Reason+".")
		}
	}
	if step := nextStep(fault.Code(e.Error.Code), resp.Header.Get("Retry-After")); step != "" {
		parts = append(parts, step)
	}
	if e.Error.Details.ConfirmURL != "" {
		parts = append(parts, "A person can do it at "+e.Error.Details.ConfirmURL+".")
	}
	return fmt.Sprintf("%s (%s, request %s)", strings.Join(parts, " "), e.Error.Code, e.Error.Details.RequestID)
}

// nextStep is what a model or its person does about a code, where the message
// itself speaks to programs.
func nextStep(code fault.Code, retryAfter string) string {
	switch code {
	case fault.CodeOrganizationRequired:
		return "Connect again: sign in, and choose an organization on the consent page. Calling again with the same connection changes nothing."
	case fault.CodeUnauthorized:
		return "Connect again: the sign-in is no longer good."
	case fault.CodeForbidden:
		return "Somebody with more rights can do it; calling again changes nothing."
	case fault.CodeNotFound:
		return "Check the id: list the things first, and take one from there."
	case fault.CodeChecksFailed:
		return "Show the user the failed checks with the original; acknowledge them only if the user says so."
	case fault.CodeVersionConflict, fault.CodeConflict:
		return "Read it again, then decide anew."
	case fault.CodeRateLimited, fault.CodeUnavailable, fault.CodeStillProcessing:
		if retryAfter != "" {
			return "Call again in " + retryAfter + " seconds."
		}
	}
	return ""
}
