package main

import (
	"slices"
	"strings"
)

// unannounced returns the changes that the unreleased part of the changelog
// does not list as breaking.
func unannounced(found []change, changelog string) []change {
	breaking := section(section(changelog, "## Unreleased"), "### Breaking")
	return slices.DeleteFunc(slices.Clone(found), func(c change) bool {
		name := c.Operation
		if name == "" {
			name = c.Path
		}
		return strings.Contains(breaking, "`"+name+"`")
	})
}

// section returns the text below a heading, up to the next heading of the same
// or a higher level.
func section(text, heading string) string {
	depth := len(heading) - len(strings.TrimLeft(heading, "#"))
	var inside bool
	var b strings.Builder
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		if marks := len(bare) - len(strings.TrimLeft(bare, "#")); marks > 0 && marks <= depth {
			inside = bare == heading
			continue
		}
		if inside {
			b.WriteString(line)
		}
	}
	return b.String()
}
