package docs

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"testing"
)

// TestOneVersion compares the version of every specification with that of the
// TypeScript client. openapi/set-version.sh sets all of them.
func TestOneVersion(t *testing.T) {
	t.Parallel()
	var client struct{ Version string }
	if err := json.Unmarshal([]byte(read(t, "gen/typescript/package.json")), &client); err != nil {
		t.Fatal(err)
	}
	specs, err := filepath.Glob("../../../openapi/*.yaml")
	if err != nil || len(specs) == 0 {
		t.Fatalf("no specifications: %v", err)
	}
	stated := regexp.MustCompile(`(?m)^  version: (\S+)$`)
	for _, path := range specs {
		name := "openapi/" + filepath.Base(path)
		if m := stated.FindStringSubmatch(read(t, name)); m == nil || m[1] != client.Version {
			t.Errorf("%s has the version %v, the client has %s; run openapi/set-version.sh", name, m, client.Version)
		}
	}
}
