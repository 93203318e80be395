//go:build linux

package attack

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// slowBody is a request with a body that arrives nearly whole at once, and the rest never.
type slowBody struct {
	endpoint
	contentType, token string
	size               int // as the request announces it
}

// slowBodies returns a request for every endpoint that reads a body.
func slowBodies(t *testing.T, p *process) (out []slowBody) {
	t.Helper()
	for _, e := range derived(t, p) {
		size := jsonBytes
		h := e.requests[0]
		if h.token == "" {
			size = openBytes
		}
		out = append(out, slowBody{e, js, h.token, size})
	}
	for _, e := range special(p) {
		h := e.requests[0]
		// The first request of these has no credential, or is too large.
		token, size := "", openBytes
		switch e.name {
		case "tools":
			token, size = e.requests[1].token, 2<<20
		case "upload of a form":
			token, size = h.token, 64<<20
		case "identity events", "payment events", "storage notifications":
			size = jsonBytes
		}
		out = append(out, slowBody{e, h.contentType, token, size})
	}
	return out
}

// open sends the request without the last bytes of its body, and then a byte at each tick until the
// server responds or stop is closed. It reports whether the server was still reading then. A chunked
// body does not announce its size.
func (s slowBody) open(chunked bool, stop <-chan struct{}) (reading bool, err error) {
	u, err := url.Parse(s.url)
	if err != nil {
		return false, err
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nAccept: application/json, text/event-stream\r\n", s.method, u.RequestURI(), u.Host, s.contentType)
	if s.token != "" {
		head += "Authorization: Bearer " + s.token + "\r\n"
	}
	begin := `{"a":"`
	if strings.HasPrefix(s.contentType, "multipart/") {
		begin = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"slow.pdf\"\r\n\r\n%PDF-1.7\n"
	}
	if chunked {
		head += "Transfer-Encoding: chunked\r\n"
		begin = fmt.Sprintf("%x\r\n%s", s.size, begin)
	} else {
		head += fmt.Sprintf("Content-Length: %d\r\n", s.size)
	}
	const kept = 1 << 10
	sent := min(s.size, 2<<20) - kept
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		r, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err == nil {
			_, _ = io.Copy(io.Discard, r.Body)
			r.Body.Close()
		}
	}()
	// The server may refuse the request before it reads the body. Then writing fails.
	if _, err := io.WriteString(conn, head+"\r\n"+begin+strings.Repeat("a", max(sent-len(begin), 0))); err != nil {
		<-answered
		return false, nil //nolint:nilerr // a refusal
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for left := kept - 1; ; {
		select {
		case <-answered:
			return false, nil
		case <-stop:
			return true, nil
		case <-tick.C:
			if left--; left > 0 {
				if _, err := io.WriteString(conn, "a"); err != nil {
					<-answered
					return false, nil //nolint:nilerr // a refusal
				}
			}
		}
	}
}

// TestSlowBodies sends 50 bodies to each endpoint that never become complete. All of them stay open,
// so that the endpoints are attacked at the same time, while another caller uses the API.
func TestSlowBodies(t *testing.T) {
	p := start(t)
	idle := p.memory("VmRSS")
	endpoints := slowBodies(t, p)
	for attempt := 1; ; attempt++ {
		var slowest time.Duration
		var mu sync.Mutex
		reading := map[string]int{}
		grown := p.above(idle, func() {
			stop := make(chan struct{})
			var running sync.WaitGroup
			for _, e := range endpoints {
				for i := range atOnce {
					running.Go(func() {
						held, err := e.open(i%2 == 1, stop)
						if err != nil {
							t.Errorf("%s: %v", e.name, err)
						}
						mu.Lock()
						defer mu.Unlock()
						if held {
							reading[e.name]++
						}
					})
				}
				slowest = max(slowest, p.others(t, 20, nil))
			}
			slowest = max(slowest, p.others(t, 100, nil))
			close(stop)
			running.Wait()
		})
		held := 0
		for _, n := range reading {
			held += n
		}
		t.Logf("%d endpoints, %d bodies, %d of them held until the end, %d MB above idle, others' p99 %v", len(endpoints), len(endpoints)*atOnce, held, grown>>20, slowest)
		if grown > mostMemory {
			t.Errorf("%d MB above idle, more than %d", grown>>20, mostMemory>>20)
		}
		if held == 0 {
			t.Error("no body was held: the attack did nothing")
		}
		if slowest <= mostP99 {
			break
		}
		if attempt == attempts {
			t.Fatalf("others' p99 is %v in each of %d attempts, more than %v", slowest, attempts, mostP99)
		}
	}
	// The service works as before, once it has seen that the connections are closed and
	// has freed the memory of their bodies.
	deadline, tick := time.After(30*time.Second), time.NewTicker(100*time.Millisecond)
	defer tick.Stop()
	for {
		status, body, err := p.send("POST", p.values["BASE_URL"]+"/api/entities", p.token, "application/json", strings.NewReader(`{"name":"After the attack"}`))
		if status == http.StatusOK || status == http.StatusCreated {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("after the attack: %d %s (%v)", status, body, err)
		}
	}
}

// TestUnfinishedHeaders opens 3,000 connections with a header that never becomes complete, while
// another caller uses the API: with one long field, and with many short ones.
func TestUnfinishedHeaders(t *testing.T) {
	p := start(t)
	idle := p.memory("VmRSS")
	short := make([]string, 6000)
	for i := range short {
		short[i] = fmt.Sprintf("%c%c%c:\n", 'a'+i%26, 'a'+i/26%26, 'a'+i/26/26)
	}
	for _, h := range []struct{ what, fields string }{
		{"one long field", "X-A: " + strings.Repeat("a", 30_000)},
		{"many short fields", strings.Join(short, "")},
	} {
		t.Run(h.what, func(t *testing.T) { p.holdHeaders(t, idle, h.fields) })
	}
}

// holdHeaders opens connections with the fields, and compares the memory of the process with idle.
func (p *process) holdHeaders(t *testing.T, idle int64, fields string) {
	t.Helper()
	const size, together = 30_000, 100
	connections := 3000
	// Both ends of each connection have a descriptor, in two processes with the same limit.
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	const others = 500 // descriptors
	if limit.Cur < uint64(connections+others) {
		if limit.Cur < 2*others {
			t.Skipf("SKIPPED: the limit of open files is %d; this test needs %d", limit.Cur, 2*others)
		}
		connections = int(limit.Cur) - others
		t.Logf("the limit of open files is %d: only %d connections", limit.Cur, connections)
	}
	u, err := url.Parse(p.values["BASE_URL"])
	if err != nil {
		t.Fatal(err)
	}
	head := (fmt.Sprintf("GET /api/me HTTP/1.1\r\nHost: %s\r\n", u.Host) + fields)[:size]
	grown := p.above(idle, func() {
		open := make(chan net.Conn, connections)
		var running sync.WaitGroup
		for range together {
			running.Go(func() {
				for range connections / together {
					conn, err := net.DialTimeout("tcp", u.Host, time.Minute)
					if err != nil {
						t.Error(err)
						return
					}
					_, _ = io.WriteString(conn, head) // the server may refuse it
					open <- conn
				}
			})
		}
		running.Wait()
		close(open)
		p.json("GET", p.values["BASE_URL"]+"/api/me", p.token, "")
		for conn := range open {
			_ = conn.Close()
		}
	})
	t.Logf("%d connections, %d MB above idle", connections, grown>>20)
	if grown > mostMemory {
		t.Errorf("%d MB above idle, more than %d", grown>>20, mostMemory>>20)
	}
	p.json("GET", p.values["BASE_URL"]+"/api/me", p.token, "")
}
