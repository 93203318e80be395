package main

import (
	"reflect"
	"testing"
)

func TestUnannounced(t *testing.T) {
	t.Parallel()
	sync := change{Operation: "syncInvoice", Path: "/api/invoices/{invoice_id}/sync"}
	list := change{Operation: "listInvoices", Path: "/api/invoices"}
	tests := []struct {
		name, changelog string
		want            []change
	}{
		{"no changelog", "", []change{sync, list}},
		{"another operation", "## Unreleased\n### Breaking\n- `syncInvoices` is gone.\n", []change{sync, list}},
		{"one", "## Unreleased\n### Breaking\n- `syncInvoice` is gone.\n### Added\n- more\n", []change{list}},
		{"all", "# Changelog\n## Unreleased\n### Breaking\n- `syncInvoice` and `listInvoices` are gone.\n", []change{}},
		{"as an addition", "## Unreleased\n### Added\n- `syncInvoice`, `listInvoices`\n", []change{sync, list}},
		{"in an older release", "## Unreleased\n## 0.1.0\n### Breaking\n- `syncInvoice`, `listInvoices`\n", []change{sync, list}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := unannounced([]change{sync, list}, tt.changelog); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("unannounced() = %v, want %v", got, tt.want)
			}
		})
	}
}
