package clerk_test

import (
	"testing"

	"docledger/adapter/sim/definition/definitiontest"
)

// TestDefinition verifies that the vendor's definition has every field that the
// connector reads or writes, and every parameter that it sends.
func TestDefinition(t *testing.T) {
	t.Parallel()
	definitiontest.Reads(t, "clerk", definitiontest.Sources{
		Folders: []string{"."},
		Own:     []string{"Options", "Client", "PublishableKey"},
		Together: map[string][]string{
			"wireOrganization": {"Organization", "DeletedObject"},
		},
	})
}
