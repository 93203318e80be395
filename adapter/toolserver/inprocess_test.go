package toolserver_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"docledger/adapter/toolserver"
)

type valueKey struct{}

// sendInProcess sends a request to an API of this process.
func sendInProcess(t *testing.T, api http.HandlerFunc, ctx context.Context) (*http.Response, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://api.example:81/a%2Fb/c?d=e", strings.NewReader("body"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer token")
	client := &http.Client{Transport: toolserver.InProcess{API: api}}
	resp, err := client.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

// TestInProcessRequest compares what the API of this process receives with what a client sends.
func TestInProcessRequest(t *testing.T) {
	t.Parallel()
	resp, body, err := sendInProcess(t, func(w http.ResponseWriter, r *http.Request) {
		sent, err := io.ReadAll(r.Body)
		if err != nil || string(sent) != "body" || r.ContentLength != 4 {
			t.Errorf("the body is %q of %d bytes, %v", sent, r.ContentLength, err)
		}
		if r.URL.EscapedPath() != "/a%2Fb/c" || r.URL.RawQuery != "d=e" || r.URL.Host != "" || r.Host != "api.example:81" || r.RequestURI != "/a%2Fb/c?d=e" {
			t.Errorf("the address is %+v at %s, %s", r.URL, r.Host, r.RequestURI)
		}
		if r.Header.Get("Authorization") != "Bearer token" || r.Method != http.MethodPost || !strings.HasPrefix(r.RemoteAddr, "127.0.0.1:") {
			t.Errorf("%s %v from %s", r.Method, r.Header, r.RemoteAddr)
		}
		if r.Context().Value(valueKey{}) != nil {
			t.Error("the API sees a value of the context of the caller")
		}
		w.Header().Set("Retry-After", "3")
		w.WriteHeader(http.StatusTeapot)
		w.Header().Set("Late", "1")
		w.WriteHeader(http.StatusOK)
		_, _ = io.WriteString(w, "answer")
	}, context.WithValue(t.Context(), valueKey{}, 1))
	if err != nil || resp.StatusCode != http.StatusTeapot || body != "answer" || resp.Header.Get("Retry-After") != "3" || resp.Header.Get("Late") != "" {
		t.Errorf("the response is %+v %q, %v", resp, body, err)
	}
}

// TestInProcessFailures expects an error where a connection would fail: the API panics, or the
// caller is gone.
func TestInProcessFailures(t *testing.T) {
	t.Parallel()
	if _, _, err := sendInProcess(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, t.Context()); err == nil {
		t.Error("a panic of the API is no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err := sendInProcess(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}, ctx)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a call of a caller that is gone returns %v", err)
	}
	if _, _, err := sendInProcess(t, func(http.ResponseWriter, *http.Request) { t.Error("the API is called") }, ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a call after the end returns %v", err)
	}
}

// TestInProcessResponseIsBounded expects that the API cannot fill the memory of the process.
func TestInProcessResponseIsBounded(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(){"it returns": func() {}, "it ends the connection": func() { panic(http.ErrAbortHandler) }} {
		var failed error
		_, body, err := sendInProcess(t, func(w http.ResponseWriter, _ *http.Request) {
			part := make([]byte, 1<<20)
			for range 40 {
				if _, failed = w.Write(part); failed != nil {
					end()
					return
				}
			}
		}, t.Context())
		if err != nil || failed == nil || len(body) != 32<<20+1 {
			t.Errorf("%s: the response has %d bytes, %v; the API received %v", name, len(body), err, failed)
		}
	}
}

// TestInProcessStream sends a body without a known length, as uploads of files do.
func TestInProcessStream(t *testing.T) {
	t.Parallel()
	stream, end := io.Pipe()
	go func() {
		_, err := io.WriteString(end, "body")
		_ = end.CloseWithError(err)
	}()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://api.example/", stream)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: toolserver.InProcess{API: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if sent, err := io.ReadAll(r.Body); err != nil || string(sent) != "body" || r.ContentLength != -1 {
			t.Errorf("the body is %q of %d bytes, %v", sent, r.ContentLength, err)
		}
	})}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
}
