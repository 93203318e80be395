//go:build race

package worker

// hardLimit is off under the race detector, which reserves far more memory
// than it uses.
const hardLimit = false
