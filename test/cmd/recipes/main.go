// Command recipes follows the recipes of CONTRIBUTING.md in a copy of the committed files, so that
// they cannot become outdated. For each recipe it makes the first change alone and expects that
// the tests of the recipe fail, then makes all changes and expects that they pass.
//
//	go run ./test/cmd/recipes
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const timeout = 20 * time.Minute

// edit is one change of a file. It inserts text before or after the first occurrence of at. A file
// without at is new, and text is its content.
type edit struct {
	file, at, text string
	after          bool
}

// recipe is a section of CONTRIBUTING.md.
type recipe struct {
	section string
	// first are the changes that alone must fail the tests: one place knows the new thing, the
	// others do not.
	first []edit
	rest  []edit
	// commands are the commands that the recipe names, such as the generator of the Go code.
	commands [][]string
	tests    [][]string
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "recipes:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	guide, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		return fmt.Errorf("run this in the folder of the module: %w", err)
	}
	all, err := recipes()
	if err != nil {
		return err
	}
	for _, r := range all {
		if !strings.Contains(string(guide), "\n## "+r.section+"\n") {
			return fmt.Errorf("CONTRIBUTING.md has no section %q", r.section)
		}
		began := time.Now()
		if err := follow(ctx, r); err != nil {
			return fmt.Errorf("%s: %w", r.section, err)
		}
		fmt.Printf("%s: as described (%.0f s)\n", r.section, time.Since(began).Seconds())
	}
	return nil
}

// follow makes the changes of a recipe in a copy of the module.
func follow(ctx context.Context, r recipe) error {
	dir, err := os.MkdirTemp("", "docledger-recipe-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if _, err := command(ctx, ".", "bash", "-c", `git archive HEAD | tar -x -C "$0"`, dir); err != nil {
		return fmt.Errorf("copy the committed files: %w", err)
	}
	if err := apply(dir, r.first); err != nil {
		return err
	}
	if err := check(ctx, dir, r); err == nil {
		return errors.New("the tests pass although only the first step was followed")
	}
	if err := apply(dir, r.rest); err != nil {
		return err
	}
	return check(ctx, dir, r)
}

func apply(dir string, edits []edit) error {
	for _, e := range edits {
		path := filepath.Join(dir, e.file)
		if e.at == "" {
			if err := os.WriteFile(path, []byte(e.text), 0o600); err != nil {
				return err
			}
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		before, rest, ok := strings.Cut(string(content), e.at)
		if !ok {
			return fmt.Errorf("%s has no %q", e.file, e.at)
		}
		changed := before + e.text + e.at + rest
		if e.after {
			changed = before + e.at + e.text + rest
		}
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func check(ctx context.Context, dir string, r recipe) error {
	for _, c := range r.commands {
		if out, err := command(ctx, dir, c[0], c[1:]...); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(c, " "), err, out)
		}
	}
	for _, t := range r.tests {
		args := append([]string{"test", "-vet=off"}, t...)
		if out, err := command(ctx, dir, "go", args...); err != nil {
			return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}

func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	// Paths of the copy are not in the binaries, so that the build cache of the module serves it.
	cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false -trimpath")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
