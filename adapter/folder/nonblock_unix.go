//go:build unix

package folder

import "syscall"

// nonblock keeps a pipe that replaced a file from blocking the process.
const nonblock = syscall.O_NONBLOCK
