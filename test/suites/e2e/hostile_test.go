package e2e

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/adapter/httpapi/spectest"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// TestStalledBodiesAreCutOff sends an incomplete request. The service must
// respond or close the connection by the deadline of the request.
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
			t.Errorf("the response is %d", resp.StatusCode)
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
					t.Errorf("a response is %d %s", r.Status, r.Raw)
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

func TestOriginalsAreServedWholeAndNeverAsPages(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Content")
	up := s.Upload(org.Admin.Token, org.Entity, "../a\"b\r\n;é.html", []byte("<html><script>alert(1)</script></html>")).OK()
	path := "/api/documents/" + up.Text("id") + "/content"
	whole := s.Do(http.MethodGet, path, org.Admin.Token, nil)
	if !strings.HasPrefix(whole.Header.Get("Content-Disposition"), "attachment") || whole.Header.Get("X-Content-Type-Options") != "nosniff" ||
		whole.Header.Get("Content-Length") != strconv.Itoa(len(whole.Raw)) {
		t.Errorf("headers are %v", whole.Header)
	}
	for _, condition := range [][2]string{
		{"Range", "bytes=99999-"}, {"Range", "items=0-1"}, {"If-Match", `"x"`}, // others: TestRangesOfContent
		{"If-Unmodified-Since", "Mon, 01 Jan 2001 00:00:00 GMT"}, {"If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT"},
	} {
		if r := s.Do(http.MethodGet, path, org.Admin.Token, nil, condition[0], condition[1]).OK(); len(r.Raw) != len(whole.Raw) {
			t.Errorf("%s: %s returns %d bytes", condition[0], condition[1], len(r.Raw))
		}
	}
	head := s.Do(http.MethodHead, path, org.Admin.Token, nil)
	if head.Status != http.StatusOK || len(head.Raw) != 0 || head.Header.Get("ETag") != whole.Header.Get("ETag") {
		t.Errorf("HEAD returns %d with %v", head.Status, head.Header)
	}
}

func TestMalformedFormsAreTheCallersFault(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Malformed")
	part := "--b\r\nContent-Disposition: form-data; name=\"entity_id\"\r\n\r\n" + org.Entity.String() + "\r\n"
	for name, body := range map[string]string{
		"header without colon": part + "--b\r\nContent-Disposition form-data\r\n\r\nx\r\n--b--\r\n",
		"NUL in a header":      part + "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\x00b\"\r\nX\x00: y\r\n\r\nx\r\n--b--\r\n",
		"many headers":         part + "--b\r\n" + strings.Repeat("X: y\r\n", 20_000) + "\r\nx\r\n--b--\r\n",
		"a huge header":        part + "--b\r\nX: " + strings.Repeat("y", 11<<20) + "\r\n\r\nx\r\n--b--\r\n",
		"no boundary in it":    "just text",
		"nothing":              "",
	} {
		r := s.Send(http.MethodPost, "/api/documents/upload", org.Admin.Token, strings.NewReader(body), "Content-Type", "multipart/form-data; boundary=b")
		if r.Status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, r.Status, r.Raw)
		}
	}
}

// TestTheNilUUIDIsUnknown puts the nil UUID in each place of each operation that takes a UUID. The
// answer is the same as that to any other unknown id.
func TestTheNilUUIDIsUnknown(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{Env: map[string]string{"EXTRACT_WAIT_TIMEOUT": "2s", "SIGN_IN_TRIES_PER_ACCOUNT": "1000000"}})
	org := s.NewOrganization("Nil")
	up := s.Upload(org.Admin.Token, org.Entity, "p.xml", harness.UBL("P-1")).OK()
	inv := s.Extract(org.Admin.Token, up.Text("id")).OK()
	known := map[string]string{
		"entity_id": org.Entity.String(), "document_id": up.Text("id"), "invoice_id": inv.Text("id"), "organization_id": org.ID.String(),
		"user_id": org.Admin.ID.String(), "actor_id": org.Admin.ID.String(), "subject_id": inv.Text("id"), "settings_from": org.Entity.String(),
		"created_by": org.Admin.ID.String(), "assigned_to": org.Admin.ID.String(),
	}
	ids := regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	answer := func(c spectest.Case, place int, id uuid.UUID) string {
		put := func(text string) string {
			return ids.ReplaceAllStringFunc(text, func(old string) string {
				if place--; place == -1 {
					return id.String()
				}
				return old
			})
		}
		c.Path, c.RawQuery, c.Body = put(c.Path), put(c.RawQuery), []byte(put(string(c.Body)))
		req, err := c.Request(t.Context(), s.URL)
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		req.Header.Del("Idempotency-Key") // both requests would have the same one
		token := org.Admin.Token
		if slices.Contains(endingTokens, c.Operation.ID) {
			token = s.Login(org.Admin.Email)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		r := s.Exchange(req)
		if r.Status == http.StatusOK {
			return "200"
		}
		return fmt.Sprint(r.Status, " ", r.Text("error", "code"))
	}
	places := 0
	for _, op := range s.Checker.Operations() {
		if op.Signed {
			continue
		}
		for seed := range uint64(2) { // without and with the optional parts
			c := spectest.ValidCase(op, seed, known)
			for place := range ids.FindAllString(c.Path+c.RawQuery+string(c.Body), -1) {
				places++
				if unknown, none := answer(c, place, uuid.New()), answer(c, place, uuid.Nil); unknown != none {
					t.Errorf("%s: an unknown id answers %s, the nil UUID %s (place %d of %s?%s %s)", c, unknown, none, place, c.Path, c.RawQuery, c.Body)
				}
			}
		}
	}
	if places < 100 {
		t.Errorf("only %d places take a UUID", places)
	}
}

// TestTheNilUUIDIsNoFilter expects that no list takes the nil UUID as the absence of a filter.
func TestTheNilUUIDIsNoFilter(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Nil")
	up := s.Upload(org.Admin.Token, org.Entity, "p.xml", harness.UBL("P-1")).OK()
	s.Extract(org.Admin.Token, up.Text("id")).OK()
	for _, path := range []string{
		"/api/invoices?created_by=", "/api/invoices?assigned_to=", "/api/invoices?supplier_id=", "/api/documents?created_by=",
		"/api/documents?integration_id=", "/api/events?actor_id=", "/api/events?subject_id=",
	} {
		r := s.Do(http.MethodGet, path+uuid.Nil.String(), org.Admin.Token, nil).OK()
		if n := r.Len("items"); n > 0 {
			t.Errorf("%s lists %d records", path, n)
		}
	}
	for _, path := range []string{"/api/invoices?entity_id=", "/api/documents?entity_id=", "/api/events?entity_id=", "/api/attention?entity_id="} {
		s.Do(http.MethodGet, path+uuid.Nil.String(), org.Admin.Token, nil).Want(404, "not_found")
	}
	s.Do(http.MethodPost, "/api/invoices/export-links?entity_id="+uuid.Nil.String(), org.Admin.Token, nil).Want(404, "not_found")
}

func TestUnknownCodesAreRefused(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Codes")
	for _, wrong := range []map[string]any{{"base_currency": "ZZZ"}, {"country": "ZZ"}, {"country": "UK"}} {
		wrong["name"] = "x"
		s.Do(http.MethodPost, "/api/entities", org.Admin.Token, wrong).Want(400, "invalid_request")
	}
}
