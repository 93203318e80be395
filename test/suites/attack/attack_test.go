//go:build linux

package attack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// Limits of the effects of an attack on others.
const (
	mostMemory = 300 << 20 // above idle
	mostP99    = 500 * time.Millisecond
	mostAnswer = time.Second
	mostReply  = 16 << 10 // bytes of a refusal
	// mostRefusal is the limit of the response to one request that is sent alone. It is
	// far above the usual milliseconds, so that a busy machine does not exceed it.
	mostRefusal = 4 * time.Second
	// attempts is the number of measurements of the times, because other
	// processes on the machine may use the processors. The memory limit applies
	// to each attempt.
	attempts = 3
	// atOnce is the number of concurrent hostile requests to each endpoint.
	atOnce = 50
)

// TestHostileBodies derives hostile bodies for each operation from the specification. It
// sends each one alone and verifies the response. Then it sends 50 of them at once to
// each endpoint, while another caller uses the API.
func TestHostileBodies(t *testing.T) {
	p := start(t)
	entity := p.json("GET", p.values["BASE_URL"]+"/api/me", p.token, "")
	if entity["organization"] == nil {
		t.Fatal("the administrator belongs to no organization")
	}
	endpoints := append(derived(t, p), special(p)...)
	if len(endpoints) < 25 {
		t.Fatalf("%d endpoints", len(endpoints))
	}
	began, sent := time.Now(), 0
	idle := p.memory("VmRSS")
	for _, e := range endpoints {
		t.Run(e.name, func(t *testing.T) {
			for _, h := range e.requests {
				sent++
				if fault := p.deliver(e, h, false); fault != "" {
					t.Errorf("%s: %s", h.kind, fault)
				}
			}
			for attempt := 1; ; attempt++ {
				var slowest time.Duration
				grown := p.above(idle, func() { slowest = p.attack(t, e) })
				t.Logf("%d kinds, %d MB above idle, others' p99 %v", len(e.requests), grown>>20, slowest)
				if grown > mostMemory {
					t.Errorf("%d MB above idle, more than %d", grown>>20, mostMemory>>20)
				}
				if slowest <= mostP99 {
					return
				}
				if attempt == attempts {
					t.Fatalf("others' p99 is %v in each of %d attempts, more than %v", slowest, attempts, mostP99)
				}
			}
		})
	}
	t.Logf("%d endpoints, %d bodies alone, %v", len(endpoints), sent, time.Since(began))
}

// deliver sends one hostile request and returns what is wrong with the response. busy
// allows a refusal because the memory for bodies is used up.
func (p *process) deliver(e endpoint, h hostile, busy bool) (fault string) {
	// The client waits for permission to send the body. A server that refuses the request
	// without the body responds at once.
	began := time.Now()
	reply, err := p.expect(e.method, e.url, h.token, h.contentType, h.body)
	if err != nil {
		return err.Error()
	}
	var answer struct{ Error any }
	code, details := "", []any(nil)
	if json.Unmarshal(reply.body, &answer) == nil {
		switch e := answer.Error.(type) {
		case string:
			code = e + " (OAuth)"
		case map[string]any:
			code, _ = e["code"].(string)
			more, _ := e["details"].(map[string]any)
			details, _ = more["fields"].([]any)
		}
	}
	if busy && reply.status == http.StatusServiceUnavailable && reply.header.Get("Retry-After") != "" {
		return ""
	}
	switch {
	case reply.status != h.status:
		return fmt.Sprintf("returned %d, want %d: %.300s", reply.status, h.status, reply.body)
	case h.code != "" && code != h.code:
		return fmt.Sprintf("returned the code %q, want %q: %.300s", code, h.code, reply.body)
	case !busy && time.Since(began) > mostRefusal:
		return fmt.Sprintf("the response took %v", time.Since(began))
	case len(details) > 20 || len(reply.body) > mostReply:
		return fmt.Sprintf("returned %d errors in %d bytes", len(details), len(reply.body))
	}
	return ""
}

// attack sends 50 requests at once, of all kinds in turn. It returns the p99 of the
// requests of the other caller during the attack.
func (p *process) attack(t *testing.T, e endpoint) time.Duration {
	t.Helper()
	var running sync.WaitGroup
	for i := range atOnce {
		running.Go(func() {
			h := e.requests[i%len(e.requests)]
			if fault := p.deliver(e, h, true); fault != "" {
				t.Errorf("at once: %s: %s", h.kind, fault)
			}
		})
	}
	done := make(chan struct{})
	go func() { running.Wait(); close(done) }()
	return p.others(t, 100, done)
}

// others sends at least n requests of another caller, and further ones until done is closed. It
// returns their p99.
func (p *process) others(t *testing.T, n int, done <-chan struct{}) time.Duration {
	t.Helper()
	var took []time.Duration
	for under := done != nil; under || len(took) < n; {
		began := time.Now()
		path, token := "/healthz", ""
		if len(took)%2 == 1 {
			path, token = "/api/me", p.token
		}
		status, _, err := p.send("GET", p.values["BASE_URL"]+path, token, js, nil)
		if err != nil || status != http.StatusOK {
			t.Errorf("%s: %d, %v", path, status, err)
		}
		took = append(took, time.Since(began))
		select {
		case <-done:
			under = false
		default:
		}
	}
	slices.Sort(took)
	return took[len(took)*99/100]
}

const script = "../../../../shared/cases/safe/big-json.py"

var figures = regexp.MustCompile(`(\d+) answers, statuses [\[{]([^\]}]*)[\]}], slowest ([\d.]+) s, healthz p99 (\d+) ms`)

// expectedStatuses are the refusals of bodies that the script sends.
var expectedStatuses = regexp.MustCompile(`^(400|503)(, (400|503))*$`)

// TestBigJSON runs the published attack with its published parameters.
func TestBigJSON(t *testing.T) {
	if _, err := os.Stat(script); err != nil {
		t.Skipf("SKIPPED: %s is missing, so the published attack was not run", script)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("SKIPPED: there is no python3, so the published attack was not run")
	}
	p := start(t)
	idle := p.memory("VmRSS")
	for attempt := 1; ; attempt++ {
		var out []byte
		var failed error
		grown := p.above(idle, func() {
			out, failed = exec.Command(python, script, p.values["BASE_URL"], p.token).CombinedOutput()
		})
		t.Logf("%d MB above idle\n%s", grown>>20, out)
		if failed != nil {
			t.Fatal(failed)
		}
		if grown > mostMemory {
			t.Errorf("%d MB above idle, more than %d", grown>>20, mostMemory>>20)
		}
		lines := figures.FindAllStringSubmatch(string(out), -1)
		if len(lines) != 2 {
			t.Fatalf("the script printed no figures of both endpoints")
		}
		slow := false
		for _, line := range lines {
			answer, _ := strconv.ParseFloat(line[3], 64)
			p99, _ := strconv.Atoi(line[4])
			slow = slow || answer > mostAnswer.Seconds() || time.Duration(p99)*time.Millisecond > mostP99
			// The status 0 is no answer. 503 is a full budget of memory.
			if count, _ := strconv.Atoi(line[1]); count == 0 || !expectedStatuses.MatchString(line[2]) {
				t.Errorf("answers: %s", line[0])
			}
		}
		if !slow {
			return
		}
		if attempt == attempts {
			t.Fatalf("too slow in each of %d attempts", attempts)
		}
	}
}
