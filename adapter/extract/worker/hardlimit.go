//go:build !race

package worker

// hardLimit says that a child has the system limit its memory.
const hardLimit = true

// engineCompiles says whether the PDF engine can be compiled in this binary.
const engineCompiles = true
