package toolserver_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// result is the part of a response that contains an answer twice.
type result struct {
	ID     int
	Result struct {
		Content []struct {
			Type, Text string
		}
		StructuredContent json.RawMessage
	}
}

// TestAnswersArePartOfTheResponse calls tools with each kind of character in their answers, in both
// forms of responses and in a batch. Data and text must be the answer.
func TestAnswersArePartOfTheResponse(t *testing.T) {
	t.Parallel()
	// Some characters are replaced, so that those tests have another result.
	replaced := strings.NewReplacer("\u2028", `\n`, "\u2029", `\n`, `\u0001`, "")
	for name, answer := range map[string]string{
		"plain":            `{"id":"1"}`,
		"quotes":           `{"a \"b\" \\ c":"\\\"","d":["\\\\"]}`,
		"markup":           `{"a":"<b>&amp;</b>"}`,
		"other languages":  `{"a":"Grüße 請求書 🧾"}`,
		"separators":       "{\"a\":\"one\u2028two\u2029\"}",
		"escapes":          `{"a":"one\ntwo\t\u00fc\u0001"}`,
		"lines":            "{\n  \"a\": 1,\r\n\t\"b\": [\n]\n}\n",
		"line feeds":       "{\n\t\"a\": 1\n}",
		"longer than a kB": `{"a":"` + strings.Repeat(`\\ "`[:3], 900) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, reply(http.StatusOK, answer))
			calls := func(ids ...int) string {
				var all []string
				for _, id := range ids {
					all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_invoice","arguments":{"invoice_id":"1"}}}`, id))
				}
				return strings.Join(all, ",")
			}
			var one result
			read(t, w.message(t, calls(1), map[string]string{"Accept": "application/json"}), &one)
			wantAnswer(t, one, replaced.Replace(answer))
			body := text(t, w.message(t, calls(1), map[string]string{"Accept": "text/event-stream"}))
			_, data, _ := strings.Cut(body, "data: ")
			event, rest, ended := strings.Cut(data, "\n")
			if !ended || strings.TrimSpace(rest) != "" {
				t.Errorf("the event has several lines: %q", body)
			}
			one = result{}
			if err := json.Unmarshal([]byte(event), &one); err != nil {
				t.Fatal(err, body)
			}
			wantAnswer(t, one, replaced.Replace(answer))
			var all []result
			read(t, w.message(t, "["+calls(1, 2, 3)+"]", map[string]string{"Accept": "application/json"}), &all)
			if len(all) != 3 {
				t.Fatalf("%d responses", len(all))
			}
			for _, one := range all {
				wantAnswer(t, one, replaced.Replace(answer))
			}
		})
	}
}

func read(t *testing.T, resp *http.Response, into any) {
	t.Helper()
	body := text(t, resp)
	if err := json.Unmarshal([]byte(body), into); err != nil {
		t.Fatal(err, body)
	}
}

func wantAnswer(t *testing.T, got result, answer string) {
	t.Helper()
	if len(got.Result.Content) != 1 || got.Result.Content[0].Type != "text" {
		t.Fatalf("content %+v", got.Result.Content)
	}
	for kind, has := range map[string]string{"data": string(got.Result.StructuredContent), "text": got.Result.Content[0].Text} {
		var value, want any
		if err := json.Unmarshal([]byte(has), &value); err != nil {
			t.Fatalf("%s: %v in %q", kind, err, has)
		}
		if err := json.Unmarshal([]byte(answer), &want); err != nil {
			t.Fatal(err)
		}
		if encoded, wanted := encode(t, value), encode(t, want); encoded != wanted {
			t.Errorf("%s: %s, want %s", kind, encoded, wanted)
		}
	}
}

func encode(t *testing.T, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
