// Command join makes one self-contained OpenAPI document out of docledger's
// specifications. It is run by `go generate ./openapi`.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	out := flag.String("out", "docledger.json", "the file to write")
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "join:", err)
		os.Exit(1)
	}
}

func run(out string, files []string) error {
	data, err := Join(os.DirFS("."), files)
	if err != nil {
		return err
	}
	return os.WriteFile(out, data, 0o644)
}
