// Command definitions validates the exchanges of all connectors and of the
// vendors' own clients with the simulators against the vendors' published
// definitions. It runs the suites of the connectors, adds what the other
// certifications recorded in the folder of the environment variable
// DOCLEDGER_DEFINITIONS, and prints what was validated by vendor.
//
//	go run ./test/cmd/certification/definitions
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"docledger/adapter/sim/definition"
	"docledger/adapter/sim/definition/definitiontest"
)

// suites are the packages with the connectors and their suites.
var suites = []string{
	"./adapter/accounting/...", "./adapter/docstore/...", "./adapter/identity/clerk", "./adapter/payment/stripe", "./adapter/sim/definition/...",
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "certification of the definitions:", err)
		os.Exit(1)
	}
}

func run() error {
	given := os.Getenv(definitiontest.Folder)
	folder := given
	if folder == "" {
		made, err := os.MkdirTemp("", "docledger-definitions-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(made)
		folder = made
	}
	cmd := exec.Command("go", append([]string{"test", "-count=1"}, suites...)...)
	cmd.Env = append(os.Environ(), definitiontest.Folder+"="+folder)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	failed := cmd.Run()
	recorded, err := definitiontest.Recorded(folder)
	if err != nil {
		return errors.Join(failed, err)
	}
	for _, vendor := range definition.Vendors() {
		d, err := definition.Of(vendor)
		if err != nil {
			return err
		}
		seen := recorded[vendor]
		var from []string
		for _, s := range d.Sources {
			from = append(from, s.Package+" ("+s.Licence+")")
		}
		fmt.Printf("  %s: %s, of %d operations in %s\n    by the connector: %s\n", vendor, seen.All, len(d.Operations), strings.Join(from, ", "), seen.Connector)
		if len(seen.Connector.Fields) == 0 {
			failed = errors.Join(failed, fmt.Errorf("no field of %s was validated", vendor))
		}
		if given == "" {
			continue
		}
		fmt.Printf("    by the vendor's client: %s\n", seen.Client)
		if len(seen.Client.Fields) == 0 {
			failed = errors.Join(failed, fmt.Errorf("no field of %s was validated with the vendor's client", vendor))
		}
	}
	return failed
}
