package definitiontest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"docledger/adapter/sim/definition"
)

// Client validates the exchanges of a simulator with the vendor's own client.
type Client struct {
	*definition.Watch
	vendor  string
	planted []string
}

// NewClient returns a watch over the exchanges with a simulator.
func NewClient(vendor string, simulator http.Handler) (*Client, error) {
	w, err := definition.New(vendor, simulator)
	return &Client{Watch: w, vendor: vendor}, err
}

// Expect names a finding that the client's tests plant. Close fails without it.
func (c *Client) Expect(finding string) { c.planted = append(c.planted, finding) }

// Close prints and records what was validated. It fails if an exchange has an
// operation, a parameter or a field that the vendor's definition does not have,
// and if the client sent nothing, because then nothing was validated.
func (c *Client) Close(out io.Writer) error {
	seen := c.Seen()
	fmt.Fprintf(out, "  %s, the vendor's client: %s\n", c.vendor, seen)
	var failed error
	found := c.Findings()
	for _, finding := range c.planted {
		if !slices.Contains(found, finding) {
			failed = errors.Join(failed, fmt.Errorf("%s: the planted deviation was not found: %s", c.vendor, finding))
		}
	}
	for _, finding := range found {
		if slices.Contains(c.planted, finding) {
			continue
		}
		failed = errors.Join(failed, fmt.Errorf("%s: %s", c.vendor, finding))
	}
	if seen.Exchanges == 0 || len(seen.Fields) == 0 {
		failed = errors.Join(failed, fmt.Errorf("%s: the client made %d exchanges with %d fields of the definition", c.vendor, seen.Exchanges, len(seen.Fields)))
	}
	return errors.Join(failed, record(c.vendor, byClient, seen))
}
