package docs

import (
	_ "embed"
	"fmt"
	"strings"

	"docledger/domain/fault"

	"go.yaml.in/yaml/v4"
)

//go:embed errors.yaml
var errorList []byte

// ErrorHelp describes the cause of a code and the remedy.
type ErrorHelp struct {
	Code   fault.Code `yaml:"code"`
	Status int        `yaml:"status"` // HTTP
	Cause  string     `yaml:"cause"`
	Remedy string     `yaml:"remedy"`
}

// Errors returns the help for every code.
func Errors() ([]ErrorHelp, error) {
	var list []ErrorHelp
	if err := yaml.Unmarshal(errorList, &list); err != nil {
		return nil, fmt.Errorf("read error list: %w", err)
	}
	return list, nil
}

const errorsHead = `# Error codes

Every error under ` + "`/api` and `/webhook`" + ` is ` + "`" + `{"error": {"code", "message", "details"}}` + "`" + `. The message states what to do. ` +
	"`details.request_id`" + ` equals the header X-Request-Id; the operator uses it to find the request in the log. Later releases may add codes: ` +
	`treat an unknown code like its status. [Errors](error-handling.md) shows how a program handles them.
`

// errorsSource returns the page /docs/errors in Markdown.
func errorsSource() (string, error) {
	list, err := Errors()
	if err != nil {
		return "", err
	}
	out := strings.Builder{}
	out.WriteString(errorsHead)
	for _, e := range list {
		fmt.Fprintf(&out, "\n## `%s` {#%s}\n\nStatus %d. %s\n\n**Do:** %s\n", e.Code, e.Code, e.Status, e.Cause, e.Remedy)
	}
	return out.String(), nil
}
