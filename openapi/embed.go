// Package openapi holds docledger's specifications: the source from which the
// server stubs, the TypeScript client, the docs page, the request validation
// and the tools are made.
//
// The YAML files are written by hand. docledger.json is all of them joined into
// one self-contained document by `go generate ./openapi`.
package openapi

import (
	"embed"
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

//go:embed *.yaml docledger.json
var files embed.FS

// JoinedName is the file name of the joined document.
const JoinedName = "docledger.json"

// Files returns the specifications as they are published: each YAML file and
// the joined document.
func Files() fs.FS { return files }

// Joined returns the joined document as JSON.
func Joined() []byte {
	data, err := files.ReadFile(JoinedName)
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
