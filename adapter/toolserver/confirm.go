package toolserver

import (
	"crypto/rand"

	"docledger/adapter/toolserver/catalog"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// confirmRequest is the id of the request for input that shows the page of a
// refused action.
const confirmRequest = "confirm"

// confirmURL is the member of an answer with the page on which a person can do
// what was refused.
const confirmURL = "confirm_url"

// pageOf returns the page of an answer to a change; "" for none.
func pageOf(t catalog.Tool, answer catalog.Object) string {
	page, _ := answer[confirmURL].(string)
	if t.ReadOnly {
		return ""
	}
	return page
}

// shown asks the client to show the page of a refused action to the user (URL
// mode of elicitation), if the client supports that. The page confirms nothing
// towards this server: the user signs in there, and the answer of the client only
// states whether the user opened it. Other clients get the refusal with the
// address.
func shown(req *mcp.CallToolRequest, page string, refusal *mcp.CallToolResult) *mcp.CallToolResult {
	if page == "" {
		return refusal
	}
	if answer, ok := req.Params.InputResponses[confirmRequest].(*mcp.ElicitResult); ok {
		if answer.Action == "accept" {
			return refused("The user was shown the page that confirms it. Read the records to see what the user decided: " + page)
		}
		return refused("The user did not open the page that confirms it. Nothing was changed. Do not retry unless the user asks for it.")
	}
	capabilities := req.ClientCapabilities()
	if capabilities == nil || capabilities.Elicitation == nil || capabilities.Elicitation.URL == nil {
		return refusal
	}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{confirmRequest: &mcp.ElicitParams{
		Mode: "url", URL: page, ElicitationID: rand.Text(), Message: "A person must confirm this action in docledger.",
	}}}
}
