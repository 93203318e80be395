//go:build !linux

package httpserver

import "net"

// limitUnsent has no effect on other systems.
func limitUnsent(net.Conn) {}
