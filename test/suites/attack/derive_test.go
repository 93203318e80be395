//go:build linux

package attack

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"docledger/openapi"

	"github.com/getkin/kin-openapi/openapi3"
)

// hostile is one kind of request that is cheap for its sender, with its response.
type hostile struct {
	kind, contentType, token, body string
	status                         int
	code                           string // of the error
}

// endpoint is an operation with a body and the hostile requests for it.
type endpoint struct {
	name, method, url string
	requests          []hostile
}

const (
	// someID is the id of no record. A body is validated before its record is looked up.
	someID = "01936b1e-0000-7000-8000-000000000005"
	js     = "application/json"
	// jsonBytes is the default of MAX_JSON_BYTES. Hostile bodies have nearly this size.
	jsonBytes = 1 << 20
	// oauthError is the error of the OAuth endpoints, which have no envelope.
	oauthError = "invalid_request (OAuth)"
	// mailBytes is the default of EMAIL_MAX_BYTES.
	mailBytes = 50 << 20
	// openBytes is the limit of a body without a credential.
	openBytes = 16 << 10
)

var placeholder = regexp.MustCompile(`\{[a-zA-Z_]+\}`)

func list(n int, item string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
}

// filled returns a JSON object with one key, nearly as large as is accepted.
func filled(key, item string) string {
	return fmt.Sprintf("{%q:%s}", key, list((jsonBytes-1000)/(len(item)+1), item))
}

// derived returns the endpoints of the specification that have a JSON body. Webhooks have
// signatures and follow in special.
func derived(t *testing.T, p *process) (out []endpoint) {
	t.Helper()
	doc, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if op.RequestBody == nil || strings.HasPrefix(path, "/webhook/") {
				continue
			}
			media := op.RequestBody.Value.Content.Get(js)
			if media == nil {
				t.Fatalf("%s has no JSON body; add its hostile bodies to special", op.OperationID)
			}
			e := endpoint{name: op.OperationID, method: method, url: p.values["BASE_URL"] + placeholder.ReplaceAllString(path, someID)}
			kinds := kindsOf(media.Schema.Value)
			for _, kind := range slices.Sorted(maps.Keys(kinds)) {
				h := hostile{kind: kind, contentType: js, token: p.token, body: kinds[kind], status: http.StatusBadRequest, code: "invalid_request"}
				limit := jsonBytes
				if op.Security != nil && len(*op.Security) == 0 {
					h.token, limit = "", openBytes
				}
				if len(h.body) > limit {
					h.code = "payload_too_large"
				}
				e.requests = append(e.requests, h)
				if h.token != "" && kind == "an array" {
					h.kind, h.token, h.status, h.code = kind+" without a credential", "", http.StatusUnauthorized, "unauthorized"
					e.requests = append(e.requests, h)
				}
			}
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b endpoint) int { return strings.Compare(a.name, b.name) })
	return out
}

// kindsOf returns a body of each hostile kind for a schema.
func kindsOf(s *openapi3.Schema) map[string]string {
	keys := &strings.Builder{}
	for i := range 70_000 {
		fmt.Fprintf(keys, `,"key%d":1`, i)
	}
	const deep = 150_000
	out := map[string]string{
		"an array":     list(500_000, "1"),
		"unknown keys": "{" + keys.String()[1:] + "}",
		"deep objects": strings.Repeat(`{"a":`, deep) + "1" + strings.Repeat("}", deep),
		"deep arrays":  strings.Repeat("[", 2*deep) + strings.Repeat("]", 2*deep),
		"cut off":      "{" + keys.String()[1:],
		"too large":    `{"a":"` + strings.Repeat("a", jsonBytes) + `"}`,
	}
	wrong := map[string]any{}
	for name, ref := range s.Properties {
		v := ref.Value
		switch {
		case v.Type.Is("array"):
			wrong[name] = "text"
			out["a huge array in "+name] = filled(name, "1")
			item := `{"id":1,"x":2,"y":[1,2,3]}`
			most := min(int(*v.MaxItems), (jsonBytes-1000)/(len(item)+1)) //nolint:gosec // small
			out["wrong items in "+name] = fmt.Sprintf("{%q:%s}", name, list(most, item))
		case v.Type.Is("string"):
			wrong[name] = []int{1}
			if v.Format != "byte" { // base64 of a file is as long as the body may be
				out["a long text in "+name] = fmt.Sprintf("{%q:%q}", name, strings.Repeat("z", jsonBytes-1000))
			}
			out["a huge array for the text "+name] = filled(name, "1")
		case v.Type.Is("object"):
			wrong[name] = 1
			out["unknown keys in "+name] = fmt.Sprintf("{%q:{%s}}", name, keys.String()[1:len(keys.String())-1000])
		default:
			wrong[name] = []int{1}
		}
	}
	text, err := json.Marshal(wrong)
	if err != nil {
		panic(err)
	}
	out["wrong types"] = string(text)
	return out
}

// special returns the endpoints with bodies that the specification does not describe in
// JSON: files, webhooks, the tool server and its OAuth endpoints.
func special(p *process) []endpoint {
	base, ones := p.values["BASE_URL"], list(500_000, "1")
	assistant := p.json("POST", p.values["IDENTITY_URL"]+"/_sim/tokens", "", `{"kind":"oauth","user_id":"user_ada","organization_id":"org_sandbox"}`)["token"].(string)
	call := func(tool, arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
	}
	lines := `{"invoice_id":"` + someID + `","lines":` + list(9_999, `{"id":1,"x":2}`) + `}`
	event := `{"id":"e","data":` + ones + `}`
	const mail = "message/rfc822"
	secret := p.values["EMAIL_WEBHOOK_SECRET"]
	return []endpoint{
		// The secret and the recipient are checked before the body is read, which is then streamed.
		{"inbound e-mail", "POST", base + "/webhook/email?recipient=" + url.QueryEscape(p.values["ENTITY_EMAIL"]), []hostile{
			{"no secret", mail, "", "Subject: a\r\n\r\n" + strings.Repeat("a", 8<<20), 400, "invalid_signature"},
			{"wrong secret", mail, secret + "x", "Subject: a\r\n\r\n" + strings.Repeat("a", 8<<20), 400, "invalid_signature"},
			{"too large", mail, secret, "Subject: a\r\n\r\n" + strings.Repeat("a", mailBytes), 400, "payload_too_large"},
			{"no header", mail, secret, strings.Repeat("\x00", 8<<20), 400, "invalid_request"},
			{"an endless field", mail, secret, "Subject: " + strings.Repeat("a", 8<<20), 400, "invalid_request"},
			{"many fields", mail, secret, strings.Repeat("From: a@b.example\r\n", 400_000) + "\r\n", 400, "invalid_request"},
			{"many signatures", mail, secret, strings.Repeat("DKIM-Signature: v=1; a=rsa-sha256; d=b.example; s=s; h=from; bh=; b=\r\n", 3_000) + "\r\n", 200, ""},
			{"many authors", mail, secret, "From: " + strings.Repeat("a@b.example, ", 15_000) + "a@b.example\r\n\r\n", 200, ""},
			{"deep parts", mail, secret, strings.Repeat("Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n", 20_000), 200, ""},
			{"many parts", mail, secret, "Content-Type: multipart/mixed; boundary=b\r\n\r\n" + strings.Repeat("--b\r\n\r\n\r\n", 100_000), 200, ""},
		}},
		{"inbound e-mail for others", "POST", base + "/webhook/email?recipient=a@b.example", []hostile{{"unknown recipient", mail, secret, strings.Repeat("a", 8<<20), 404, "not_found"}}},
		{"upload of a form", "POST", base + "/api/documents/upload", []hostile{
			{"headers of a part", "multipart/form-data; boundary=b", p.token, "--b\r\nContent-Disposition: form-data; name=\"file\"\r\nX: " + strings.Repeat("x", 100<<10) + "\r\n\r\na\r\n--b--\r\n", 400, "payload_too_large"},
			{"no credential", "multipart/form-data; boundary=b", "", "--b\r\n" + strings.Repeat("x", 4<<20), 401, "unauthorized"},
		}},
		{"identity events", "POST", base + "/webhook/identity", []hostile{{"no signature", js, "", event, 400, "invalid_signature"}, {"too large", js, "", event + strings.Repeat(" ", jsonBytes), 400, "payload_too_large"}}},
		{"payment events", "POST", base + "/webhook/payments", []hostile{{"no signature", js, "", event, 400, "invalid_signature"}, {"too large", js, "", event + strings.Repeat(" ", jsonBytes), 400, "payload_too_large"}}},
		{"storage notifications", "POST", base + "/webhook/storage/" + someID, []hostile{{"unknown subscription", js, "", `{"value":` + list(300_000, "{}") + `}`, 404, "not_found"}}},
		{"registration", "POST", base + "/register", []hostile{{"an array", js, "", `{"redirect_uris":` + list(10_000, "1") + `}`, 413, oauthError}}},
		{"token", "POST", base + "/token", []hostile{{"many values", "application/x-www-form-urlencoded", "", strings.Repeat("a=1&", 5_000), 413, oauthError}}},
		{"tools", "POST", base + "/mcp", []hostile{
			{"no token", js, "", call("update_invoice", lines), 401, ""},
			{"too many values", js, assistant, call("update_invoice", `{"invoice_id":"x","lines":`+ones+`}`), 400, ""},
			{"wrong lines", js, assistant, call("update_invoice", lines), 200, ""},
		}},
	}
}
