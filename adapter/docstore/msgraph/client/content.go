package client

import (
	"context"
	"errors"
	"io"
	"net/http"

	"docledger/domain/integration"
)

// Stream is a content on its way. Body must be closed.
type Stream struct {
	Body      io.ReadCloser
	Size      int64 // -1 where it is not told
	MediaType string
}

// Download begins to read the bytes of a file. The API says where they are, at
// an address that lets whoever has it read them for some minutes: it is asked
// without our token. For the provider's limits both are one call.
func (c *Client) Download(ctx context.Context, a integration.Access, drive, item string) (Stream, error) {
	out := c.api("download file", http.MethodGet, a, path("drives", drive, "items", item, "content"))
	out.header.Del("Accept")
	// What the transport unpacks has no length.
	out.header.Set("Accept-Encoding", "identity")
	l, err := c.open(ctx, out.doing, out.gate)
	if err != nil {
		return Stream{}, err
	}
	s, err := c.download(l, out)
	if err != nil {
		l.close()
	}
	return s, err
}

// download asks the API, and then where it says the content is.
func (c *Client) download(l *line, out call) (Stream, error) {
	resp, err := c.ask(l, out)
	if err != nil {
		return Stream{}, err
	}
	if isRedirect(resp.StatusCode) {
		discard(resp.Body)
		address, err := c.contentAddress(resp.Header.Get("Location"))
		if err != nil {
			l.leave(integration.Observation{})
			return Stream{}, &Failure{Doing: out.doing, cause: err}
		}
		out.doing, out.url, out.header = "download content", address, http.Header{"Accept-Encoding": {"identity"}}
		if resp, err = c.ask(l, out); err != nil {
			return Stream{}, err
		}
		if resp.StatusCode == http.StatusUnauthorized {
			// It is the address that is refused, not our token.
			l.leave(integration.Observation{})
			discard(resp.Body)
			return Stream{}, &Failure{Doing: out.doing, cause: errors.New("the address of the content is not accepted")}
		}
	}
	if resp.StatusCode == http.StatusOK {
		l.leave(integration.Observation{})
		return Stream{&released{resp.Body, l}, resp.ContentLength, resp.Header.Get("Content-Type")}, nil
	}
	refusal, err := l.finish(out.doing, resp)
	if err != nil {
		return Stream{}, err
	}
	return Stream{}, refusal.failure(out.doing)
}

// discard reads a little of what is of no use, for the connection's sake.
func discard(body io.ReadCloser) {
	_, _ = io.Copy(io.Discard, io.LimitReader(body, 4<<10))
	_ = body.Close()
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// released is a body whose end lets its call go.
type released struct {
	io.ReadCloser
	line *line
}

func (r *released) Close() error {
	r.line.close()
	return r.ReadCloser.Close()
}
