package oauthclient_test

import (
	"testing"

	"docledger/domain/oauthclient"
)

// TestTargetOf names products by the address that receives the code, never by a
// part of it that anyone can choose.
func TestTargetOf(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]oauthclient.Target{
		"https://claude.ai/api/mcp/auth_callback":            {Name: "Claude", Host: "claude.ai"},
		"https://CHATGPT.com/connector/oauth/x":              {Name: "ChatGPT", Host: "CHATGPT.com"},
		"https://claude.ai.evil.example/claude.ai":           {Host: "claude.ai.evil.example"},
		"https://claude.ai:8443/":                            {Host: "claude.ai:8443"},
		"http://claude.ai/":                                  {Host: "claude.ai"},
		"http://127.0.0.1:33418/claude.ai":                   {Host: "127.0.0.1:33418", Device: true},
		"http://[::1]/x":                                     {Host: "[::1]", Device: true},
		"http://localhost:1/":                                {Host: "localhost:1", Device: true},
		"cursor://anysphere.cursor-mcp/oauth/callback":       {Name: "Cursor", Host: "cursor:", Device: true},
		"com.example.app:/callback?next=https://claude.ai/x": {Host: "com.example.app:", Device: true},
	} {
		if got := oauthclient.TargetOf(uri); got != want {
			t.Errorf("%s: %+v, want %+v", uri, got, want)
		}
	}
}
