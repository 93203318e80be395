// Command fields judges what the suites over HTTP have seen of each field of
// the API's answers, as test/lib/harness recorded it. A field of which they saw
// fewer than two values is a constant, or nothing tests it: both fail. So does
// an exception that is not needed, and more than ten of them.
//
//	go run ./test/cmd/fields FOLDER
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"docledger/adapter/httpapi/spectest"
	"docledger/openapi"
)

// maxExceptions is how many fields may be constants.
const maxExceptions = 10

// exceptions are fields that have one value for now, each with the reason.
var exceptions = map[string]string{
	"ApiKeyCreated.last_used_at": "always null: a new key was never used; the record is that of listApiKeys",
	"ApiKeyCreated.revoked_at":   "always null: a new key is not revoked; as last_used_at",
	"Document.progress":          "null until the reader reports how many pages it has read",
	"PlanList.next_cursor":       "always null: all plans are on one page; every list has the field",
	"ProviderList.next_cursor":   "always null: all providers are on one page; every list has the field",
	"Sync.remote_url":            "the page of a bill at the provider itself; null while a simulator replaces it",
	"Sync.attachment_reason":     "null unless a provider refuses an attachment, which the simulators do not do by default",
	"SyncCandidate.url":          "as Sync.remote_url",
	"WebhookReceipt.received":    "always true: the acknowledgement of an event",
}

func excepted(field string) bool { return exceptions[field] != "" }

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: fields FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "fields:", err)
		os.Exit(1)
	}
}

func run(folder string) error {
	doc, err := openapi.Load()
	if err != nil {
		return err
	}
	seen, err := read(folder)
	if err != nil {
		return err
	}
	all := spectest.Fields(doc, excepted)
	problems := judge(all, seen, exceptions)
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, p)
	}
	if len(problems) > 0 {
		return fmt.Errorf("%d problems with %d fields of responses", len(problems), len(all))
	}
	fmt.Printf("%d fields of answers had at least two values, %d are exceptions\n", len(all)-len(exceptions), len(exceptions))
	return nil
}

// read returns the values of each field that any process recorded.
func read(folder string) (map[string]map[string]bool, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	seen := map[string]map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(folder, file.Name()))
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			field, value, ok := strings.Cut(strings.TrimSpace(line), " ")
			if !ok {
				continue
			}
			if seen[field] == nil {
				seen[field] = map[string]bool{}
			}
			seen[field][value] = true
		}
	}
	return seen, nil
}

// judge returns what is wrong.
func judge(fields []string, seen map[string]map[string]bool, exceptions map[string]string) []string {
	var problems []string
	for _, field := range fields {
		_, excepted := exceptions[field]
		switch n := len(seen[field]); {
		case n >= 2 && excepted:
			problems = append(problems, field+" is an exception and has several values: remove it from the exceptions")
		case n < 2 && !excepted:
			problems = append(problems, fmt.Sprintf("%s had %d values: implement it, test it, or remove it", field, n))
		}
	}
	for field, reason := range exceptions {
		if !slices.Contains(fields, field) {
			problems = append(problems, field+" is an exception and not a field")
		}
		if reason == "" {
			problems = append(problems, field+" is an exception without a reason")
		}
	}
	if len(exceptions) > maxExceptions {
		problems = append(problems, fmt.Sprintf("%d exceptions, at most %d are allowed", len(exceptions), maxExceptions))
	}
	slices.Sort(problems)
	return problems
}
