//go:build race

package worker

// hardLimit is off under the race detector, which reserves far more memory
// than it uses.
const hardLimit = false

// engineCompiles: under the race detector compiling the PDF engine takes
// minutes and gigabytes, and it runs in a process of its own anyway.
const engineCompiles = false
