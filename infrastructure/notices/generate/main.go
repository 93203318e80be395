// Command generate writes notices.txt.gz: the licence files of every module that any
// platform links into a program, of the Go distribution, and of the embedded
// components.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// platforms are the release platforms of the programs.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}

// isNotice matches the names of licence and notice files.
var isNotice = regexp.MustCompile(`(?i)^(licen[sc]e|notice|copying|patents)([-._].*)?$`)

// component is a part with licences.
type component struct {
	name  string
	files map[string]string // name of the file → text
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run() error {
	linked, err := modules()
	if err != nil {
		return err
	}
	embedded, err := components("components")
	if err != nil {
		return err
	}
	distribution, err := goDistribution()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write([]byte(render(slices.Concat([]component{distribution}, linked, embedded)))); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile("notices.txt.gz", b.Bytes(), 0o644) //nolint:gosec // the file is public
}

// modules returns the linked modules, sorted by name. The licences of a module
// include those in the folders of its linked packages.
func modules() ([]component, error) {
	found := map[string]component{}
	for _, platform := range platforms {
		system, machine, _ := strings.Cut(platform, "/")
		cmd := exec.Command("go", "list", "-deps",
			"-f", "{{with .Module}}{{if not .Main}}{{$dir := .Dir}}{{with or .Replace .}}{{.Path}}\t{{.Version}}\t{{$dir}}\t{{$.Dir}}{{end}}{{end}}{{end}}", "docledger/cmd/...")
		cmd.Env = append(cmd.Environ(), "GOOS="+system, "GOARCH="+machine, "CGO_ENABLED=0")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for line := range strings.Lines(string(out)) {
			parts := strings.Split(strings.TrimSpace(line), "\t")
			if len(parts) != 4 {
				continue
			}
			name := parts[0] + " " + parts[1]
			if found[name].files == nil {
				found[name] = component{name, map[string]string{}}
			}
			if err := collect(found[name].files, parts[2], parts[3]); err != nil {
				return nil, err
			}
		}
	}
	var all []component
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if len(found[name].files) == 0 {
			return nil, fmt.Errorf("%s has no licence file", name)
		}
		all = append(all, found[name])
	}
	return all, nil
}

// collect adds the licence files of a package folder and of its parents up to the
// root of the module.
func collect(files map[string]string, root, dir string) error {
	for {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.IsDir() || !isNotice.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			files[filepath.ToSlash(name)] = string(text)
		}
		if dir == root || len(dir) <= len(root) {
			return nil
		}
		dir = filepath.Dir(dir)
	}
}

// components reads one embedded component from each folder of dir.
func components(dir string) ([]component, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []component
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		c := component{e.Name(), map[string]string{}}
		root := os.DirFS(filepath.Join(dir, e.Name()))
		err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(root, path)
			c.files[path] = string(text)
			return err
		})
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// goDistribution returns the licence of Go's standard library.
func goDistribution() (component, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return component{}, err
	}
	c := component{"Go standard library", map[string]string{}}
	for _, name := range []string{"LICENSE", "PATENTS"} {
		text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), name))
		if err != nil {
			return component{}, err
		}
		c.files[name] = string(text)
	}
	return c, nil
}

const introduction = `Third-party notices of docledger

docledger is licensed under the Apache License, Version 2.0. Its programs contain
the components of the following list. The licences of all components follow the
list. The engine for scans (docledger ocr install) is not part of the programs:
its licences and notices are files in the folder into which it is installed.

`

// render lists the components, then each text once with the components that use it.
func render(all []component) string {
	var b strings.Builder
	b.WriteString(introduction)
	users := map[string][]string{}
	var texts []string
	for _, c := range all {
		fmt.Fprintf(&b, "- %s\n", c.name)
		for _, name := range slices.Sorted(maps.Keys(c.files)) {
			text := strings.TrimSpace(strings.ReplaceAll(c.files[name], "\r\n", "\n"))
			if users[text] == nil {
				texts = append(texts, text)
			}
			users[text] = append(users[text], c.name+": "+name)
		}
	}
	for _, text := range texts {
		b.WriteString("\n" + strings.Repeat("=", 80) + "\n")
		for _, user := range users[text] {
			b.WriteString(user + "\n")
		}
		b.WriteString(strings.Repeat("-", 80) + "\n" + text + "\n")
	}
	return b.String()
}
