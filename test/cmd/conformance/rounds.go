//lint:file-ignore SA1019 the suite asks for what newer revisions of the protocol give up

package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// form asks the user for one field.
func form(message, field, kind string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Message: message, RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{field: map[string]any{"type": kind}}, "required": []string{field},
	}}
}

// question asks the model of the client.
func question(s string) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{MaxTokens: 100, Messages: []*mcp.SamplingMessage{{Role: "user", Content: text(s)}}}
}

// accepted returns the input of the user; nil if there is none.
func accepted(given mcp.InputResponseMap, key string) map[string]any {
	answer, ok := given[key].(*mcp.ElicitResult)
	if !ok || answer == nil || answer.Action != "accept" {
		return nil
	}
	return answer.Content
}

// sampled returns the response of the model.
func sampled(given mcp.InputResponseMap, key string) (string, bool) {
	answer, ok := given[key].(*mcp.CreateMessageWithToolsResult)
	if !ok || answer == nil {
		return "", false
	}
	for _, c := range answer.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			return t.Text, true
		}
	}
	return "", true
}

func need(state string, requests mcp.InputRequestMap) *mcp.CallToolResult {
	return &mcp.CallToolResult{InputRequests: requests, RequestState: state}
}

// sealed and opened pass a state through the client, which cannot change it.
func sealed(state string) string { return state + "." + seal(state) }

func opened(s string) (string, error) {
	state, mac, ok := strings.Cut(s, ".")
	if !ok || !hmac.Equal([]byte(mac), []byte(seal(state))) {
		return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "requestState was changed"}
	}
	return state, nil
}

func seal(state string) string {
	mac := hmac.New(sha256.New, []byte("conformance"))
	mac.Write([]byte(state))
	return hex.EncodeToString(mac.Sum(nil))
}

// rounds are the tools that need more than one message. The next message
// contains the requested input.
func rounds() map[string]fixture {
	return map[string]fixture{
		"test_input_required_result_elicitation":     greetByName,
		"test_input_required_result_sampling":        askModel,
		"test_input_required_result_list_roots":      listRoots,
		"test_input_required_result_request_state":   confirm,
		"test_input_required_result_tampered_state":  confirm,
		"test_input_required_result_multiple_inputs": several,
		"test_input_required_result_multi_round":     twice,
		"test_input_required_result_capabilities":    asFarAsDeclared,
	}
}

func greetByName(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if name, _ := accepted(req.Params.InputResponses, "user_name")["name"].(string); name != "" {
		return words("Hello, " + name + "!"), nil
	}
	return need("", mcp.InputRequestMap{"user_name": form("What is your name?", "name", "string")}), nil
}

func askModel(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if said, ok := sampled(req.Params.InputResponses, "capital_question"); ok {
		return words("The model said: " + said), nil
	}
	return need("", mcp.InputRequestMap{"capital_question": question("What is the capital of France?")}), nil
}

func listRoots(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if roots, ok := req.Params.InputResponses["client_roots"].(*mcp.ListRootsResult); ok && roots != nil {
		return words(fmt.Sprintf("%d root(s)", len(roots.Roots))), nil
	}
	return need("", mcp.InputRequestMap{"client_roots": &mcp.ListRootsParams{}}), nil
}

func confirm(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if req.Params.RequestState != "" {
		if _, err := opened(req.Params.RequestState); err != nil {
			return nil, err
		}
		if accepted(req.Params.InputResponses, "confirm") != nil {
			return words("state-ok: confirmed"), nil
		}
	}
	return need(sealed("asked"), mcp.InputRequestMap{"confirm": form("Please confirm", "ok", "boolean")}), nil
}

func several(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	given := req.Params.InputResponses
	name, _ := accepted(given, "user_name")["name"].(string)
	greeting, greeted := sampled(given, "greeting")
	roots, rooted := given["client_roots"].(*mcp.ListRootsResult)
	if name != "" && greeted && rooted {
		return words(fmt.Sprintf("%s %s, %d root(s)", greeting, name, len(roots.Roots))), nil
	}
	return need(sealed("several"), mcp.InputRequestMap{
		"user_name": form("What is your name?", "name", "string"), "greeting": question("Greet somebody"), "client_roots": &mcp.ListRootsParams{},
	}), nil
}

func twice(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	given := req.Params.InputResponses
	if req.Params.RequestState == "" {
		return need(sealed("first"), mcp.InputRequestMap{"step1": form("What is your name?", "name", "string")}), nil
	}
	state, err := opened(req.Params.RequestState)
	if err != nil {
		return nil, err
	}
	if state == "first" {
		return need(sealed(fmt.Sprint("second:", accepted(given, "step1")["name"])),
			mcp.InputRequestMap{"step2": form("What is your favorite color?", "color", "string")}), nil
	}
	return words(fmt.Sprintf("%s likes %v", strings.TrimPrefix(state, "second:"), accepted(given, "step2")["color"])), nil
}

func asFarAsDeclared(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if len(req.Params.InputResponses) > 0 {
		return words("thank you"), nil
	}
	requests := mcp.InputRequestMap{}
	if c := req.ClientCapabilities(); c != nil {
		if c.Elicitation != nil {
			requests["user_name"] = form("What is your name?", "name", "string")
		}
		if c.Sampling != nil {
			requests["greeting"] = question("Greet somebody")
		}
		if c.RootsV2 != nil {
			requests["client_roots"] = &mcp.ListRootsParams{}
		}
	}
	if len(requests) == 0 {
		return words("no user can be asked"), nil
	}
	return need("", requests), nil
}
