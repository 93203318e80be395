// Command write renews the generated parts of docs/configuration.md and
// .env.example. Run it in the root of the project.
package main

import (
	"fmt"
	"os"

	"docledger/test/suites/docs/configdocs"
)

func main() {
	files, err := configdocs.Files(".")
	for path, text := range files {
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "configuration docs:", err)
		os.Exit(1)
	}
}
