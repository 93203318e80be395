// Command docledger-ocr recognizes text in images. The service starts it as a
// child process and talks to it through pipes; it is of no use by itself.
//
// It is a program of its own because it loads a shared library, for which it is
// linked dynamically: the service stays one static file.
package main

import (
	"fmt"
	"os"

	"docledger/adapter/extract/ocr/install"
	"docledger/adapter/extract/ocr/recognize"
	"docledger/adapter/extract/worker"
)

func main() {
	if !worker.IsChild() {
		fmt.Fprintln(os.Stderr, "docledger-ocr: this program is started by docledger, which reads scans with it")
		os.Exit(2)
	}
	worker.ServeRecognizer(func(dir string) (worker.Recognizer, error) {
		return recognize.Open(install.Library(dir), dir)
	})
}
