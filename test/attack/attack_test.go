//go:build linux

package attack

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Limits of the effects of an attack on others.
const (
	mostMemory = 300 << 20 // above idle
	mostP99    = 500 * time.Millisecond
	mostAnswer = time.Second
	// attempts is the number of measurements of the times, because other
	// processes on the machine may use the processors. The memory limit applies
	// to each attempt.
	attempts = 3
)

// hostile is one kind of request that is cheap for its sender.
type hostile struct {
	name, method, url, contentType, body string
	token                                string
}

func list(n int, item string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
}

// bodies are the hostile requests, at least one for each entry point.
func bodies(p *process) []hostile {
	const js, form = "application/json", "multipart/form-data; boundary=b"
	base := p.values["BASE_URL"]
	ones := list(500_000, "1")
	keys := &strings.Builder{}
	for i := range 70_000 {
		fmt.Fprintf(keys, `,"key%d":1`, i)
	}
	id := "01936b1e-0000-7000-8000-000000000005"
	assistant := p.json("POST", p.values["IDENTITY_URL"]+"/_sim/tokens", "", `{"kind":"oauth","user_id":"user_ada","organization_id":"org_sandbox"}`)["token"].(string)
	call := func(tool, arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
	}
	return []hostile{
		{"login, a list for a text", "POST", base + "/api/auth/login", js, `{"email":` + ones + `}`, ""},
		{"login, unknown keys", "POST", base + "/api/auth/login", js, `{"email":"a"` + keys.String() + `}`, ""},
		{"no credential", "POST", base + "/api/entities", js, `{"name":"x","aliases":` + ones + `}`, ""},
		{"entities, too many items", "POST", base + "/api/entities", js, `{"name":"x","aliases":` + ones + `}`, p.token},
		{"entities, unknown keys", "POST", base + "/api/entities", js, `{"name":"x"` + keys.String() + `}`, p.token},
		{"entities, deep", "POST", base + "/api/entities", js, strings.Repeat(`{"a":`, 150_000) + "1" + strings.Repeat("}", 150_000), p.token},
		{"invoice, wrong lines", "PATCH", base + "/api/invoices/" + id, js, `{"lines":` + list(9_999, `{"id":1,"x":2,"y":[1,2,3]}`) + `}`, p.token},
		{"invoice, valid lines", "PATCH", base + "/api/invoices/" + id, js, `{"lines":` + list(9_000, `{"id":"`+id+`","net_amount":"1"}`) + `}`, p.token},
		{"settings, mappings", "PUT", base + "/api/settings/" + id, js, `{"tax_mappings":` + list(300_000, "{}") + `}`, p.token},
		{"upload as JSON", "POST", base + "/api/documents/upload", js, `{"entity_id":"` + id + `","filename":"a","content":"` + strings.Repeat("A", 1_000_000) + `"}`, p.token},
		{"upload, headers of a part", "POST", base + "/api/documents/upload", form, "--b\r\nContent-Disposition: form-data; name=\"file\"\r\nX: " + strings.Repeat("x", 4<<20) + "\r\n\r\na\r\n--b--\r\n", p.token},
		{"integrations, set-up", "PUT", base + "/api/v1/integrations/" + id, js, `{"status":"PENDING","public_metadata":{"provider":"DOCSTORE_A","directories":` + ones + `}}`, p.token},
		{"webhook without signature", "POST", base + "/webhook/payments", js, `{"id":"e","data":` + ones + `}`, ""},
		{"notification of nobody", "POST", base + "/webhook/storage/" + id, js, `{"value":` + list(300_000, "{}") + `}`, ""},
		{"register", "POST", base + "/register", js, `{"redirect_uris":` + ones + `}`, ""},
		{"token", "POST", base + "/token", "application/x-www-form-urlencoded", strings.Repeat("a=1&", 250_000), ""},
		{"tools, no token", "POST", base + "/mcp", js, call("update_invoice", `{"invoice_id":"x","lines":`+ones+`}`), ""},
		{"tools, too many values", "POST", base + "/mcp", js, call("update_invoice", `{"invoice_id":"x","lines":`+ones+`}`), assistant},
		{"tools, wrong lines", "POST", base + "/mcp", js, call("update_invoice", `{"invoice_id":"`+id+`","lines":`+list(9_999, `{"id":1,"x":2}`)+`}`), assistant},
	}
}

// TestHostileBodies sends 50 concurrent requests of each kind while another
// caller uses the API.
func TestHostileBodies(t *testing.T) {
	p := start(t)
	entity := p.json("GET", p.values["BASE_URL"]+"/api/me", p.token, "")
	if entity["organization"] == nil {
		t.Fatal("the administrator belongs to no organization")
	}
	idle := p.memory("VmRSS")
	for _, h := range bodies(p) {
		t.Run(h.name, func(t *testing.T) {
			for attempt := 1; ; attempt++ {
				var slowest time.Duration
				grown := p.above(idle, func() { slowest = p.attack(t, h) })
				t.Logf("%d MB above idle, others' p99 %v", grown>>20, slowest)
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
}

// attack sends 150 requests, 50 at a time. It returns the p99 of the requests
// of the other caller during the attack.
func (p *process) attack(t *testing.T, h hostile) time.Duration {
	t.Helper()
	const atOnce, each = 50, 3
	var running sync.WaitGroup
	for range atOnce {
		running.Go(func() {
			for range each {
				// A server that does not read a body closes the connection. The
				// client may see that before the response.
				status, answer, err := p.send(h.method, h.url, h.token, h.contentType, strings.NewReader(h.body))
				if err == nil && (status == http.StatusInternalServerError || status == http.StatusOK && !strings.HasSuffix(h.url, "/mcp")) {
					t.Errorf("returned %d: %.300s", status, answer)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { running.Wait(); close(done) }()
	var took []time.Duration
	for under := true; under || len(took) < 100; {
		began := time.Now()
		path, token := "/healthz", ""
		if len(took)%2 == 1 {
			path, token = "/api/me", p.token
		}
		status, _, err := p.send("GET", p.values["BASE_URL"]+path, token, "application/json", nil)
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

const script = "../../../shared/cases/safe/big-json.py"

var figures = regexp.MustCompile(`(\d+) answers, statuses [\[{]([^\]}]*)[\]}], slowest ([\d.]+) s, healthz p99 (\d+) ms`)

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
			if count, _ := strconv.Atoi(line[1]); count == 0 || strings.Contains(line[2], "500") {
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
