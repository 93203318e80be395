package httpserver

import (
	"net"

	"golang.org/x/sys/unix"
)

// unsent is how many bytes a writer gets ahead of the reader.
const unsent = 64 << 10

// limitUnsent makes the system hold few bytes that it cannot send yet, because the
// reader does not accept them. Otherwise it holds megabytes, and wakes a blocked writer
// only when a third of them is sent: the deadline of a write then ends the response for
// a slow reader that reads all the time. Bytes under way are not limited, so that a
// distant reader is as fast as before. A connection without this setting works.
func limitUnsent(c net.Conn) {
	t, ok := c.(*net.TCPConn)
	if !ok {
		return
	}
	if raw, err := t.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) {
			_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, unsent)
		})
	}
}
