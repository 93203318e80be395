// Package docledger contains the pages of the documentation that the service
// serves under /docs. It is at the root because embedding reads only folders
// below its own.
package docledger

import "embed"

// Pages has the Markdown files of the documentation and their pictures, at
// their paths in the project.
//
//go:embed CHANGELOG.md docs/*.md docs/guides/*.md docs/connecting/*.md docs/images
//go:embed gen/typescript/README.md client/python/README.md
var Pages embed.FS
