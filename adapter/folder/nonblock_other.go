//go:build !unix

package folder

// nonblock has no meaning on this system.
const nonblock = 0
