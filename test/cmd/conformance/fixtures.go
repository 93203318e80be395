//lint:file-ignore SA1019 the suite asks for what newer revisions of the protocol give up

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"strings"

	"docledger/adapter/toolserver"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// fixture is a tool that a scenario of the suite calls by name.
type fixture func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error)

// fixtures adds the tools of the scenarios to the tools of the product.
func fixtures() toolserver.Extension {
	return toolserver.Extension{
		Families: []string{"prompts/", "resources/", "completion/", "logging/", "subscriptions/"},
		Options: mcp.ServerOptions{
			Capabilities: &mcp.ServerCapabilities{Logging: &mcp.LoggingCapabilities{}},
			CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
				return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
			},
			SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
			UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		},
		Register: func(s *mcp.Server) {
			for name, f := range contents() {
				addTool(s, name, nil, f)
			}
			for name, f := range rounds() {
				addTool(s, name, nil, f)
			}
			addTool(s, "json_schema_2020_12_tool", wideSchema, saying("called"))
			addTool(s, "test_x_mcp_header", headerSchema, saying("called"))
			addTool(s, "test_trigger_tool_change", nil, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				addTool(s, "test_added_later", nil, saying("here"))
				return words("the list of tools changed"), nil
			})
			addTool(s, "test_trigger_prompt_change", nil, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				s.AddPrompt(&mcp.Prompt{Name: "test_added_later", Description: "Added while the server runs"}, prompting(text("here")))
				return words("the list of prompts changed"), nil
			})
			addResources(s)
			addPrompts(s)
		},
	}
}

func addTool(s *mcp.Server, name string, schema json.RawMessage, f fixture) {
	if schema == nil {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	s.AddTool(&mcp.Tool{Name: name, Description: "For the conformance suite", InputSchema: schema}, mcp.ToolHandler(f))
}

// wideSchema uses features of JSON Schema 2020-12 other than types.
var wideSchema = json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
	"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
	"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},
		"phone":{"type":"string"},"email":{"type":"string"}},
	"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
	"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
	"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`)

// headerSchema has an argument that clients repeat in a header.
var headerSchema = json.RawMessage(`{"type":"object","properties":{
	"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`)

func text(s string) mcp.Content { return &mcp.TextContent{Text: s} }

func words(s string) *mcp.CallToolResult { return &mcp.CallToolResult{Content: []mcp.Content{text(s)}} }

func saying(s string) fixture {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return words(s), nil }
}

func showing(c ...mcp.Content) fixture {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: c}, nil
	}
}

// picture is one point, as PNG.
func picture() mcp.Content {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err)
	}
	return &mcp.ImageContent{Data: b.Bytes(), MIMEType: "image/png"}
}

// silence is a sound file without a sound.
func silence() mcp.Content {
	head := "RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x00\x00\x00\x00"
	return &mcp.AudioContent{Data: []byte(head), MIMEType: "audio/wav"}
}

func embedded(uri, content string) mcp.Content {
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: content}}
}

// contents are the tools that respond at once.
func contents() map[string]fixture {
	return map[string]fixture{
		"test_simple_text":       saying("This is a simple text response for testing."),
		"test_image_content":     showing(picture()),
		"test_audio_content":     showing(silence()),
		"test_embedded_resource": showing(embedded("test://embedded-resource", "embedded")),
		"test_multiple_content_types": showing(text("Several contents:"), picture(),
			embedded("test://mixed-content-resource", "embedded")),
		"test_error_handling": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{text("This tool intentionally returns an error for testing")}}, nil
		},
		"test_tool_with_logging":            logging(3),
		"test_logging_tool":                 logging(1),
		"test_tool_with_progress":           progressing,
		"test_missing_capability":           needingSampling,
		"test_streaming_elicitation":        saying("nothing but this result"),
		"test_reconnection":                 saying("there was no need to connect again"),
		"test_sampling":                     asking,
		"test_elicitation":                  asking,
		"test_elicitation_sep1034_defaults": asking,
		"test_elicitation_sep1330_enums":    asking,
	}
}

func logging(times int) fixture {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range times {
			if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: fmt.Sprintf("step %d", i+1)}); err != nil {
				return nil, err
			}
		}
		return words("logged"), nil
	}
}

func progressing(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	token := req.Params.GetProgressToken()
	for _, done := range []float64{0, 50, 100} {
		err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: 100})
		if err != nil {
			return nil, err
		}
	}
	return words(fmt.Sprint(token)), nil
}

func needingSampling(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if c := req.ClientCapabilities(); c != nil && c.Sampling != nil {
		return words("the client can sample"), nil
	}
	data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{
		RequiredCapabilities: &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}},
	})
	if err != nil {
		return nil, err
	}
	return nil, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "sampling is needed", Data: data}
}

// asking returns tools that ask the client, which this server never does.
func asking(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, errors.New("this server sends no requests to clients")
}

func addResources(s *mcp.Server) {
	add := func(uri, kind string, content func(uri string) *mcp.ResourceContents) {
		r := &mcp.Resource{Name: strings.TrimPrefix(uri, "test://"), Description: "For the conformance suite", MIMEType: kind, URI: uri}
		s.AddResource(r, reading(content))
	}
	add("test://static-text", "text/plain", func(uri string) *mcp.ResourceContents {
		return &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "This is the content of the static text resource."}
	})
	add("test://static-binary", "image/png", func(uri string) *mcp.ResourceContents {
		return &mcp.ResourceContents{URI: uri, MIMEType: "image/png", Blob: picture().(*mcp.ImageContent).Data}
	})
	add("test://watched-resource", "text/plain", func(uri string) *mcp.ResourceContents {
		return &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "watched"}
	})
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "template", Description: "For the conformance suite", MIMEType: "application/json", URITemplate: "test://template/{id}/data",
	}, reading(func(uri string) *mcp.ResourceContents {
		id := strings.TrimSuffix(strings.TrimPrefix(uri, "test://template/"), "/data")
		body, _ := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
		return &mcp.ResourceContents{URI: uri, MIMEType: "application/json", Text: string(body)}
	}))
}

func reading(content func(uri string) *mcp.ResourceContents) mcp.ResourceHandler {
	return func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{content(req.Params.URI)}}, nil
	}
}

func prompting(contents ...mcp.Content) mcp.PromptHandler {
	return func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return messages(contents...), nil
	}
}

func messages(contents ...mcp.Content) *mcp.GetPromptResult {
	out := &mcp.GetPromptResult{Description: "For the conformance suite"}
	for _, c := range contents {
		out.Messages = append(out.Messages, &mcp.PromptMessage{Role: "user", Content: c})
	}
	return out
}

func addPrompts(s *mcp.Server) {
	needs := func(names ...string) (out []*mcp.PromptArgument) {
		for _, name := range names {
			out = append(out, &mcp.PromptArgument{Name: name, Description: "An argument", Required: true})
		}
		return out
	}
	add := func(name string, arguments []*mcp.PromptArgument, h mcp.PromptHandler) {
		s.AddPrompt(&mcp.Prompt{Name: name, Description: "For the conformance suite", Arguments: arguments}, h)
	}
	add("test_simple_prompt", nil, prompting(text("This is a simple prompt for testing.")))
	add("test_prompt_with_image", nil, prompting(picture(), text("Please analyze the image above.")))
	add("test_prompt_with_arguments", needs("arg1", "arg2"), func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		a := req.Params.Arguments
		return messages(text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"]))), nil
	})
	add("test_prompt_with_embedded_resource", needs("resourceUri"), func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return messages(embedded(req.Params.Arguments["resourceUri"], "embedded"), text("Please process the embedded resource above.")), nil
	})
	add("test_input_required_result_prompt", nil, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if given := accepted(req.Params.InputResponses, "user_context"); given != nil {
			return messages(text(fmt.Sprint("Context: ", given["context"]))), nil
		}
		return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"user_context": form("Please give the context", "context", "string")}}, nil
	})
}
