package transfer_test

import (
	"slices"
	"strings"
	"testing"

	"docledger/adapter/store/transfer"
)

// TestEveryTableHasAnOwner fails for a table without a rule: whether its rows belong to an organization,
// and are erased with it.
func TestEveryTableHasAnOwner(t *testing.T) {
	t.Parallel()
	owned := transfer.OwnedTables()
	for _, name := range transfer.Tables() {
		erased := slices.ContainsFunc(owned, func(o transfer.Owned) bool { return o.Table == name })
		if erased == slices.Contains(transfer.Unowned, name) {
			t.Errorf("%s: say in owned.go whether an organization has its rows", name)
		}
	}
	if last := owned[len(owned)-1]; last.Table != "organizations" {
		t.Errorf("%s is erased last", last.Table)
	}
	for _, name := range transfer.ExportTables() {
		for _, column := range transfer.Exported(name) {
			if strings.Contains(column, "hash") && column != "hash" || column == "secret" || column == "sealed" || column == "token" {
				t.Errorf("an export has %s of %s", column, name)
			}
		}
	}
}
