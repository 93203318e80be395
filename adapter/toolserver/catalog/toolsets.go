package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// Toolset names. A client names the sets that it wants; ToolsetCore is part of
// every selection.
const (
	ToolsetCore         = "core"         // who, where, and what needs a person
	ToolsetIntake       = "intake"       // documents
	ToolsetReview       = "review"       // invoices
	ToolsetSuppliers    = "suppliers"    // suppliers
	ToolsetLedger       = "ledger"       // integrations and the records of the accounting software
	ToolsetOrganization = "organization" // members, settings, events and billing
	ToolsetAll          = "all"
)

// Toolsets are the names of the sets, in the order of the documentation.
var Toolsets = []string{ToolsetCore, ToolsetIntake, ToolsetReview, ToolsetSuppliers, ToolsetLedger, ToolsetOrganization}

// DefaultToolsets are the sets of a client that names none.
var DefaultToolsets = []string{ToolsetCore, ToolsetIntake, ToolsetReview, ToolsetLedger}

// toolsetsByTag are the sets of the operations of a tag. x-tool can name
// another set.
var toolsetsByTag = map[string]string{
	"Account": ToolsetCore, "Attention": ToolsetCore, "Entities": ToolsetCore,
	"Documents": ToolsetIntake, "Upload links": ToolsetIntake,
	"Invoices": ToolsetReview, "Suppliers": ToolsetSuppliers,
	"Integrations": ToolsetLedger,
	"Settings":     ToolsetOrganization, "Events": ToolsetOrganization, "Billing": ToolsetOrganization,
	"Webhooks": ToolsetOrganization, "API keys": ToolsetOrganization, "Reports": ToolsetOrganization,
}

func toolsetOf(stated string, tags []string) (string, error) {
	if stated != "" {
		if !slices.Contains(Toolsets, stated) {
			return "", fmt.Errorf("there is no toolset %s", stated)
		}
		return stated, nil
	}
	for _, tag := range tags {
		if set := toolsetsByTag[tag]; set != "" {
			return set, nil
		}
	}
	return "", fmt.Errorf("the tags %v have no toolset", tags)
}

// Selection is the part of the tools that a client wants to see.
type Selection struct {
	Toolsets string // names separated by commas; "" means DefaultToolsets
	ReadOnly bool   // only tools that change nothing
}

// Sets returns the names of the selected sets in the order of Toolsets. Its error names an unknown
// set.
func (s Selection) Sets() ([]string, error) {
	if strings.TrimSpace(s.Toolsets) == "" {
		return DefaultToolsets, nil
	}
	wanted := []string{ToolsetCore}
	for name := range strings.SplitSeq(s.Toolsets, ",") {
		switch name = strings.ToLower(strings.TrimSpace(name)); {
		case name == ToolsetAll:
			wanted = Toolsets
		case slices.Contains(Toolsets, name):
			wanted = append(wanted[:len(wanted):len(wanted)], name)
		case name != "":
			return nil, fmt.Errorf("there is no toolset %q; the toolsets are %s and %s", CleanText(name), strings.Join(Toolsets, ", "), ToolsetAll)
		}
	}
	return slices.DeleteFunc(slices.Clone(Toolsets), func(name string) bool { return !slices.Contains(wanted, name) }), nil
}

// Choose returns the tools of a selection. Its error names an unknown set.
func Choose(tools []Tool, s Selection) ([]Tool, error) {
	sets, err := s.Sets()
	if err != nil {
		return nil, err
	}
	var chosen []Tool
	for _, t := range tools {
		if slices.Contains(sets, t.Toolset) && (t.ReadOnly || !s.ReadOnly) {
			chosen = append(chosen, t)
		}
	}
	return chosen, nil
}
