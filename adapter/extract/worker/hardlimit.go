//go:build !race

package worker

// hardLimit says that a child has the system limit its memory.
const hardLimit = true
