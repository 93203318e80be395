package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"docledger/adapter/httpapi/spectest"
)

// client calls the service and records whether the responses conform.
type client struct {
	base       string
	http       *http.Client
	checker    *spectest.Checker
	operations map[string]spectest.Operation
	report     *report
	// unknown are the first sentences of what the service says of a route that it
	// does not have.
	unknown []string
}

func newClient(base string, r *report) (*client, error) {
	checker, err := spectest.Make()
	if err != nil {
		return nil, err
	}
	c := &client{
		base: strings.TrimSuffix(base, "/"), checker: checker, operations: map[string]spectest.Operation{}, report: r,
		http: &http.Client{
			Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 20},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	for _, o := range checker.Operations() {
		c.operations[o.ID] = o
	}
	return c, nil
}

// answer is a completely read response.
type answer struct {
	status int
	header http.Header
	raw    []byte
}

// at returns the text at a path of keys in a JSON response; "" if there is none.
func (a answer) at(path ...string) string {
	text, _ := a.value(path...).(string)
	return text
}

func (a answer) value(path ...string) any {
	var v any
	if json.Unmarshal(a.raw, &v) != nil {
		return nil
	}
	for _, key := range path {
		object, _ := v.(map[string]any)
		v = object[key]
	}
	return v
}

// items returns the objects of a list.
func (a answer) items() (out []map[string]any) {
	list, _ := a.value("items").([]any)
	for _, item := range list {
		if object, ok := item.(map[string]any); ok {
			out = append(out, object)
		}
	}
	return out
}

// succeeds reports whether a status is a success of an operation: 2xx, 304 of a
// file, and 302 where a browser is sent on.
func succeeds(o spectest.Operation, status int) bool {
	return status >= 200 && status < 300 || status == http.StatusNotModified || o.Browser && status == http.StatusFound
}

// send sends a request of an operation and records the response.
func (c *client) send(o spectest.Operation, req *http.Request) (answer, error) {
	resp, err := c.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}, err
	}
	a := answer{resp.StatusCode, resp.Header, raw}
	problems := c.checker.Problems(req, resp, raw)
	if resp.StatusCode == http.StatusNotFound && slices.Contains(c.unknown, firstSentence(a.at("error", "message"))) {
		problems = append(problems, "the response is that of an unknown route")
	}
	if resp.StatusCode >= 500 && a.at("error", "code") == "internal" {
		problems = append(problems, "the server failed")
	}
	for i, p := range problems {
		problems[i] = fmt.Sprintf("%s %s -> %d: %.400s", req.Method, o.Path, resp.StatusCode, p)
	}
	c.report.add(o.ID, resp.StatusCode, succeeds(o, resp.StatusCode), problems)
	return a, nil
}

func firstSentence(text string) string {
	first, _, _ := strings.Cut(text, ". ")
	return first
}

// learnUnknown asks for routes that do not exist, and keeps what the service says.
func (c *client) learnUnknown(ctx context.Context) error {
	for _, probe := range [][2]string{{http.MethodGet, "/api/no-such-route"}, {http.MethodTrace, "/api/me"}, {http.MethodDelete, "/api/me"}} {
		req, err := http.NewRequestWithContext(ctx, probe[0], c.base+probe[1], nil)
		if err != nil {
			return err
		}
		resp, err := c.http.Do(req)
		if err != nil {
			return err
		}
		raw, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
		a := answer{status: resp.StatusCode, raw: raw}
		if a.status == http.StatusNotFound && a.at("error", "message") != "" {
			c.unknown = append(c.unknown, firstSentence(a.at("error", "message")))
		}
	}
	if len(c.unknown) == 0 {
		return fmt.Errorf("the service has no response for an unknown route")
	}
	return nil
}

// call calls an operation with ids in its path, a query and a JSON body, each of
// which may be nil. It is an error if the call does not succeed.
func (c *client) call(ctx context.Context, operation, token string, ids map[string]string, query url.Values, body any) (answer, error) {
	o, ok := c.operations[operation]
	if !ok {
		return answer{}, fmt.Errorf("the specification has no operation %s", operation)
	}
	target := o.Path
	for name, id := range ids {
		target = strings.ReplaceAll(target, "{"+name+"}", url.PathEscape(id))
	}
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	var content io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return answer{}, err
		}
		content = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, o.Method, c.base+target, content)
	if err != nil {
		return answer{}, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	a, err := c.send(o, req)
	if err == nil && !succeeds(o, a.status) {
		err = fmt.Errorf("%s answers %d: %.300s", operation, a.status, a.raw)
	}
	return a, err
}

// control posts a JSON body to a simulator.
func (c *client) control(ctx context.Context, address, body string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		raw, _ := io.ReadAll(resp.Body) // the status is the error
		return fmt.Errorf("POST %s: %d %s", address, resp.StatusCode, raw)
	}
	return nil
}

// redirect opens a page and returns where it sends the browser.
func (c *client) redirect(ctx context.Context, method, address string, form url.Values) (*url.URL, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return resp.Location()
}

// outside sends a request to a simulator.
func (c *client) outside(req *http.Request) (answer, error) {
	resp, err := c.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %d %.300s", req.Method, req.URL, resp.StatusCode, raw)
	}
	return answer{resp.StatusCode, resp.Header, raw}, err
}
