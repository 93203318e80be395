package httpclient

import (
	"context"
	"net"
)

// Dial connects as a request does, without the check of its URL.
func (c *PublicClient) Dial(ctx context.Context, address string) (net.Conn, error) {
	return c.transport.DialContext(ctx, "tcp", address)
}
