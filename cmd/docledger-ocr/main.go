// Command docledger-ocr recognizes text in images. The service starts it as a child
// process and communicates with it through pipes. It has no other use.
//
// It is a separate program because it loads a shared library and must be linked
// dynamically. The service remains one static file.
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
		fmt.Fprintln(os.Stderr, "docledger-ocr: only docledger starts this program, to recognize text in scans")
		os.Exit(2)
	}
	worker.ServeRecognizer(func(dir string) (worker.Recognizer, error) {
		return recognize.Open(install.Library(dir), dir)
	})
}
