// Package worker reads documents in child processes, so that a document that
// crashes, hangs, or takes too much memory or processor time harms nothing but
// the process that reads it. The child computes the finished result: its parent
// decodes an answer of bounded size and computes nothing over the content.
//
// The children are the same binary, started with a hidden argument: a program
// that uses a Pool calls ServeIfChild first in main (tests: in TestMain).
package worker

import (
	"errors"
	"os"
)

// childArgument makes this binary a child; childVariable keeps a program that
// forgot ServeIfChild from starting itself without end.
const (
	childArgument = "__read-pdf"
	childVariable = "DOCLEDGER_CHILD"
)

// errNested says that a child tried to have children.
var errNested = errors.New("a child process can't start others; call worker.ServeIfChild first in main")

// ServeIfChild returns at once in an ordinary process. In a child it serves
// requests until its parent is gone, and does not return.
func ServeIfChild() {
	if len(os.Args) != 2 || os.Args[1] != childArgument || os.Getenv(childVariable) == "" {
		return
	}
	c := newChild(os.Stdout)
	c.perform = c.read
	c.serve(os.Stdin)
	os.Exit(0)
}

// TextOptions bound how much text is read.
type TextOptions struct {
	From  int // the first page, from 1; 0: 1
	Pages int // the last page; 0: defaultPages
	Words int // reading stops after the page that reaches it; 0: no bound
}

// defaultPages is how many pages of a document are read at most.
const defaultPages = 2000
