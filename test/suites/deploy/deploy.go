// Package deploy reads what is shipped for production: compose.yaml and
// .env.example, as the tools do that start containers by them.
package deploy

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/dotenv"
	"github.com/compose-spec/compose-go/v2/types"
)

// Example is one variable of .env.example.
type Example struct {
	Name, Value string
	Explained   string // the lines of comment above it
}

// Examples reads .env.example of the folder root, in its order.
func Examples(root string) ([]Example, error) {
	text, err := os.ReadFile(filepath.Join(root, ".env.example"))
	if err != nil {
		return nil, err
	}
	values, err := dotenv.UnmarshalBytesWithLookup(text, nil)
	if err != nil {
		return nil, fmt.Errorf("read .env.example: %w", err)
	}
	var out []Example
	var comment []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		name, _, assigned := strings.Cut(line, "=")
		switch {
		case strings.HasPrefix(line, "#"):
			comment = append(comment, strings.TrimSpace(strings.TrimPrefix(line, "#")))
		case assigned:
			out = append(out, Example{Name: name, Value: values[name], Explained: strings.Join(comment, " ")})
			comment = nil
		default:
			comment = nil
		}
	}
	return out, nil
}

var interpolated = regexp.MustCompile(`\$\{([A-Z_]+)`)

// Interpolated lists the variables that compose.yaml of the folder root takes
// from .env itself.
func Interpolated(root string) (map[string]bool, error) {
	text, err := os.ReadFile(filepath.Join(root, "compose.yaml"))
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, m := range interpolated.FindAllStringSubmatch(string(text), -1) {
		out[m[1]] = true
	}
	return out, nil
}

// Project loads compose.yaml of the folder root, validated against the published
// schema, as it would be started from a folder with such an .env.
func Project(ctx context.Context, root string, env map[string]string) (*types.Project, error) {
	dir, err := os.MkdirTemp("", "docledger-compose-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	text, err := os.ReadFile(filepath.Join(root, "compose.yaml"))
	if err != nil {
		return nil, err
	}
	var lines strings.Builder
	for name, value := range env {
		fmt.Fprintf(&lines, "%s='%s'\n", name, value)
	}
	file := filepath.Join(dir, "compose.yaml")
	for path, content := range map[string][]byte{file: text, filepath.Join(dir, ".env"): []byte(lines.String())} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return nil, err
		}
	}
	options, err := cli.NewProjectOptions([]string{file}, cli.WithWorkingDirectory(dir), cli.WithEnvFiles(), cli.WithDotEnv, cli.WithProfiles([]string{"*"}))
	if err != nil {
		return nil, err
	}
	return options.LoadProject(ctx)
}
