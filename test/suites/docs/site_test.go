package docs

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// example is a shell block of a page with the block of its expected output.
type example struct{ page, commands, language, output string }

var fenced = regexp.MustCompile("(?s)```(\\w+)\n(.*?)```")

// examplesOf returns the shell blocks of a page. The JSON or text block that
// follows a shell block directly, or after the same example in other languages,
// is its output.
func examplesOf(page, source string) []example {
	var list []example
	end := -1
	for _, at := range fenced.FindAllStringSubmatchIndex(source, -1) {
		language, code := source[at[2]:at[3]], source[at[4]:at[5]]
		switch {
		case language == "sh":
			list = append(list, example{page: page, commands: code})
		case (language == "json" || language == "text") && end >= 0 && strings.TrimSpace(source[end:at[0]]) == "":
			list[len(list)-1].language, list[len(list)-1].output = language, code
		}
		also := (language == "ts" || language == "python") && end >= 0 && strings.TrimSpace(source[end:at[0]]) == ""
		end = -1
		if language == "sh" || also {
			end = at[1]
		}
	}
	return list
}

// TestExamplesOfTheSite starts a sandbox, reads the guides that it serves and
// runs their commands in one shell in the order of /llms.txt. Each shown
// response must agree with the one that the sandbox returned.
func TestExamplesOfTheSite(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(root, "examples"), filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
	sandbox(t, root, dir)
	base := valueOf(t, filepath.Join(dir, "sandbox.env"), "BASE_URL")
	listed := regexp.MustCompile(`\]\((/docs/[^)]+\.md)\)`).FindAllStringSubmatch(fetched(t, base+"/llms.txt"), -1)
	var list []example
	for _, match := range listed {
		source := fetched(t, base+match[1])
		file := filepath.Join(root, "docs", "guides", filepath.Base(match[1]))
		if _, err := os.Stat(file); err != nil && match[1] != "/docs/webhooks.md" {
			continue // a page that is no guide; TestGuideCommandsRun runs the walkthrough
		}
		of := examplesOf(match[1], source)
		if len(of) == 0 && !slices.Contains([]string{"errors.md", "index.md"}, filepath.Base(file)) {
			t.Errorf("%s has no example", match[1])
		}
		for _, language := range []string{"ts", "python"} {
			if len(of) > 0 && !strings.Contains(source, "```\n```"+language+"\n") {
				t.Errorf("%s has no example in %s", match[1], language)
			}
		}
		list = append(list, of...)
	}
	if len(list) < 30 {
		t.Fatalf("%d examples on %d pages", len(list), len(listed))
	}
	var script strings.Builder
	for i, e := range list {
		fmt.Fprintf(&script, "echo %s >&2\n{\n%s\n} > out%d.txt\n", e.page, e.commands, i)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script.String())
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the commands end with %v:\n%s", err, out)
	}
	for i, e := range list {
		printed, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("out%d.txt", i)))
		if err != nil {
			t.Fatal(err)
		}
		if problem := disagreement(e, string(printed)); problem != "" {
			t.Errorf("%s: %s\n%s\nprints\n%.1500s", e.page, problem, e.commands, printed)
		}
	}
}

// disagreement compares what commands printed with what their page shows.
func disagreement(e example, printed string) string {
	switch e.language {
	case "text":
		for line := range strings.Lines(e.output) {
			if !strings.Contains(strings.ToLower(printed), strings.ToLower(strings.TrimSpace(line))) {
				return "the output has no " + strings.TrimSpace(line)
			}
		}
	case "json":
		var shown, got any
		if err := json.Unmarshal([]byte(e.output), &shown); err != nil {
			return "the shown response is no JSON: " + err.Error()
		}
		if err := json.NewDecoder(strings.NewReader(printed)).Decode(&got); err != nil {
			return "the response is no JSON: " + err.Error()
		}
		return compare("response", shown, got)
	default:
		if strings.Contains(printed, `"error":{"code"`) {
			return "the response is an error that the page does not show"
		}
	}
	return ""
}

// word matches values that a program compares: codes, statuses and numbers of
// the example's invoice.
var word = regexp.MustCompile(`^([A-Z][A-Z_]+|[a-z]+(_[a-z]+)+|forbidden|unauthorized|conflict|[0-9]+\.[0-9]{2}|2026-0[0-9]{3})$`)

// compare finds the first key of shown that got lacks, or that has another type
// or another value where a program would compare it.
func compare(at string, shown, got any) string {
	if got == nil && shown != nil || got != nil && shown != nil && reflect.TypeOf(shown) != reflect.TypeOf(got) {
		return fmt.Sprintf("%s is %v, and the page shows %v", at, got, shown)
	}
	switch shown := shown.(type) {
	case map[string]any:
		for key, value := range shown {
			other, ok := got.(map[string]any)[key]
			if !ok {
				return at + " has no " + key
			}
			if problem := compare(at+"."+key, value, other); problem != "" {
				return problem
			}
		}
	case []any:
		for i, value := range shown {
			list := got.([]any)
			if len(list) == 0 {
				return at + " is empty"
			}
			best := ""
			if !slices.ContainsFunc(list, func(other any) bool { best = compare(fmt.Sprintf("%s[%d]", at, i), value, other); return best == "" }) {
				return best
			}
		}
	case string:
		if word.MatchString(shown) && shown != got {
			return fmt.Sprintf("%s is %v, and the page shows %v", at, got, shown)
		}
	case bool:
		if shown != got {
			return fmt.Sprintf("%s is %v, and the page shows %v", at, got, shown)
		}
	}
	return ""
}

// TestExamplesAreCompared verifies that a changed response is noticed.
func TestExamplesAreCompared(t *testing.T) {
	t.Parallel()
	list := examplesOf("p", "```sh\ncurl a\n```\n```ts\nx\n```\n```python\ny\n```\n```json\n{\"a\":{\"status\":\"APPROVED\"},\"b\":[{\"c\":1}]}\n```\n\n```sh\nb\n```\ntext\n```json\n{}\n```\n")
	if len(list) != 2 || list[0].language != "json" || list[1].language != "" {
		t.Fatalf("%+v", list)
	}
	for printed, agrees := range map[string]bool{
		`{"a":{"status":"APPROVED","more":1},"b":[{"c":2}]}`: true,
		`{"a":{"status":"REJECTED"},"b":[{"c":2}]}`:          false,
		`{"a":{"status":"APPROVED"},"b":[]}`:                 false,
		`{"a":{"status":"APPROVED"},"b":[{"c":"1"}]}`:        false,
		`{"a":{},"b":[{"c":1}]}`:                             false,
		`no JSON`:                                            false,
	} {
		if (disagreement(list[0], printed) == "") != agrees {
			t.Errorf("%s: %s", printed, disagreement(list[0], printed))
		}
	}
	if disagreement(list[1], `{"error":{"code":"internal"}}`) == "" || disagreement(list[1], "x") != "" {
		t.Error("an unexpected error is not noticed")
	}
}

// fetched returns the body of a page of the sandbox.
func fetched(t *testing.T, address string) string {
	t.Helper()
	resp, err := http.Get(address) //nolint:gosec // the sandbox of this test
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", address, resp.StatusCode, err)
	}
	return string(body)
}

// valueOf returns a value of a file of KEY=value lines.
func valueOf(t *testing.T, file, key string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), key+"="); ok {
			return strings.Trim(value, `'"`)
		}
	}
	t.Fatalf("%s has no %s", file, key)
	return ""
}
