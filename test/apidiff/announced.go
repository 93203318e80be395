package main

import (
	"slices"
	"strings"
)

// unannounced are the changes that the changelog's unreleased part does not
// list as breaking.
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

// section is what stands below a heading, up to the next one that is no deeper.
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
