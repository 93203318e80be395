// Package openapi holds docledger's specifications: the source from which the
// server stubs, the TypeScript client, the docs page, the request validation
// and the tools are made.
//
// The YAML files are written by hand. `go generate ./openapi` joins all of them into one
// self-contained document, docledger.json, and compresses the documents into
// specifications.zip, which is embedded: the text would take a megabyte of the program.
package openapi

import (
	"archive/zip"
	"bytes"
	_ "embed" // the specifications
	"fmt"
	"io/fs"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

//go:generate go run ./internal/ordered config/common.yaml common.yaml
//go:generate go run ./internal/ordered config/backend.yaml backend.yaml
//go:generate go run ./internal/ordered config/integrations.yaml integrations.yaml
//go:generate go run ./internal/ordered config/billing.yaml billing.yaml
//go:generate go run ./internal/ordered config/webhooks.yaml webhooks.yaml
//go:generate go run ./internal/ordered config/toolserver.yaml toolserver.yaml
//go:generate go run ./internal/ordered config/authserver.yaml authserver.yaml
//go:generate go run ./internal/join -out docledger.json common.yaml backend.yaml integrations.yaml billing.yaml webhooks.yaml
//go:generate go run ./internal/pack -out specifications.zip

//go:embed specifications.zip
var compressed []byte

// JoinedName is the file name of the joined document.
const JoinedName = "docledger.json"

var files = sync.OnceValue(func() *zip.Reader {
	archive, err := zip.NewReader(bytes.NewReader(compressed), int64(len(compressed)))
	if err != nil {
		panic(fmt.Sprintf("openapi: the embedded specifications are damaged: %v", err))
	}
	return archive
})

// Files returns the specifications as they are published: each YAML file and
// the joined document. Each read decompresses a file.
func Files() fs.FS { return files() }

// Joined returns the joined document as JSON.
func Joined() []byte {
	data, err := fs.ReadFile(files(), JoinedName)
	if err != nil {
		panic(fmt.Sprintf("openapi: the embedded document is missing: %v", err))
	}
	return data
}

// Load parses the joined document. Each call returns a copy of its own.
func Load() (*openapi3.T, error) {
	doc, err := openapi3.NewLoader().LoadFromData(Joined())
	if err != nil {
		return nil, fmt.Errorf("load the joined specification: %w", err)
	}
	return doc, nil
}

// Shared returns the joined document, which is parsed once in a process. Callers
// must not change it. Parsing takes a tenth of the time of a start.
var Shared = sync.OnceValues(Load)
