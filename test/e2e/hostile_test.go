package e2e

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/test/harness"
)

// TestStalledBodiesAreCutOff sends a request that stops in the middle: it must
// be answered, or its connection closed, by the request's deadline.
func TestStalledBodiesAreCutOff(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{Env: map[string]string{"REQUEST_TIMEOUT": "300ms"}})
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"email\":")
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if ne, ok := err.(net.Error); ok && ne.Timeout() {
		t.Fatal("the request was neither answered nor closed")
	}
	if err == nil {
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest {
			t.Errorf("the answer is %d", resp.StatusCode)
		}
	}
}

func TestConcurrentRequestsOfOneKeyCreateOnce(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		s := harness.Start(t, o)
		org := s.NewOrganization("Once")
		var mu sync.Mutex
		ids := map[string]int{}
		var callers sync.WaitGroup
		for range 20 {
			callers.Go(func() {
				r := s.Do(http.MethodPost, "/api/entities", org.Admin.Token, map[string]any{"name": "Only"}, "Idempotency-Key", "same")
				mu.Lock()
				defer mu.Unlock()
				switch {
				case r.Status == http.StatusOK:
					ids[r.Text("id")]++
				case r.Text("error", "code") != "conflict" || r.Header.Get("Retry-After") != "1":
					t.Errorf("an answer is %d %s", r.Status, r.Raw)
				}
			})
		}
		callers.Wait()
		if len(ids) != 1 {
			t.Errorf("entities %v were created", ids)
		}
		if n := s.Do(http.MethodGet, "/api/entities", org.Admin.Token, nil).OK().Len("items"); n != 2 {
			t.Errorf("%d entities are there", n)
		}
	})
}

func TestConcurrentUploadsOfOneFileAreOneDocument(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		s := harness.Start(t, o)
		org := s.NewOrganization("Same")
		var mu sync.Mutex
		fresh, ids := 0, map[string]bool{}
		var callers sync.WaitGroup
		for range 20 {
			callers.Go(func() {
				r := s.Upload(org.Admin.Token, org.Entity, "same.xml", harness.UBL("S-1")).OK()
				mu.Lock()
				defer mu.Unlock()
				ids[r.Text("id")] = true
				if r.At("duplicate") == false {
					fresh++
				}
			})
		}
		callers.Wait()
		if len(ids) != 1 || fresh != 1 {
			t.Errorf("%d documents, %d of them said to be new", len(ids), fresh)
		}
	})
}

func TestOriginalsAreServedInRangesAndNeverAsPages(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Content")
	up := s.Upload(org.Admin.Token, org.Entity, "../a\"b\r\n;é.html", []byte("<html><script>alert(1)</script></html>")).OK()
	path := "/api/documents/" + up.Text("id") + "/content"
	whole := s.Do(http.MethodGet, path, org.Admin.Token, nil)
	if !strings.HasPrefix(whole.Header.Get("Content-Disposition"), "attachment") || whole.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers are %v", whole.Header)
	}
	head := s.Do(http.MethodHead, path, org.Admin.Token, nil)
	if head.Status != http.StatusOK || len(head.Raw) != 0 || head.Header.Get("ETag") != whole.Header.Get("ETag") {
		t.Errorf("HEAD answers %d with %v", head.Status, head.Header)
	}
}
