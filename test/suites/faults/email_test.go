package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/smtp"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/domain/page"
	"docledger/test/lib/postgres"

	"github.com/google/uuid"
)

// emailLongest is the maximum lifetime of the service between two kills.
const emailLongest = 2 * time.Second

// TestKilledServiceKeepsReceivedEmail kills the service repeatedly while messages are
// sent to it by SMTP. Every message that it answered with 250 is stored, and no message
// is stored twice, although the senders repeat those without an answer.
func TestKilledServiceKeepsReceivedEmail(t *testing.T) {
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			at := ""
			if database == "postgres" {
				at = postgres.New(t)
			}
			killingEmail(t, at)
		})
	}
}

// stored returns how often each name of a document is stored.
func (p *product) stored(r *running) map[string]int {
	p.t.Helper()
	stored := map[string]int{}
	cursor := ""
	for {
		var listed struct {
			Items []struct{ Filename string } `json:"items"`
			Next  *string                     `json:"next_cursor"`
		}
		req, err := http.NewRequest(http.MethodGet, r.url+"/api/documents?limit=100"+cursor, nil)
		p.must(err)
		req.Header.Set("Authorization", "Bearer "+p.token)
		resp, err := p.client.Do(req)
		p.must(err)
		var body bytes.Buffer
		_, err = body.ReadFrom(resp.Body)
		p.must(err)
		_ = resp.Body.Close()
		p.must(json.Unmarshal(body.Bytes(), &listed))
		for _, d := range listed.Items {
			stored[d.Filename]++
		}
		if listed.Next == nil {
			return stored
		}
		cursor = "&cursor=" + *listed.Next
	}
}

// freeAddress returns an address of this machine at which no process listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer free.Close()
	return free.Addr().String()
}

// onlyEntity returns the entity of a product.
func onlyEntity(t *testing.T, s *service.Service, admin identity.Actor) uuid.UUID {
	t.Helper()
	list, err := s.Entities.List(context.Background(), admin.Scope(), entity.Filter{}, page.Request{Limit: 10})
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("entities: %v, %v", list.Items, err)
	}
	return list.Items[0].ID
}

// intakeOf returns the e-mail address of the entity.
func intakeOf(t *testing.T, s *service.Service, admin identity.Actor) string {
	t.Helper()
	intake, err := s.Emails.Get(context.Background(), admin, onlyEntity(t, s, admin))
	if err != nil {
		t.Fatal(err)
	}
	return s.Emails.Address(intake)
}

func killingEmail(t *testing.T, databaseURL string) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	draw := rand.New(rand.NewPCG(seed, 0))
	address := freeAddress(t)
	var to string
	env := map[string]string{"EMAIL_DOMAIN": "in.example.com", "EMAIL_LISTEN": address}
	p := newProductWith(t, databaseURL, env, func(s *service.Service, admin identity.Actor) {
		to = intakeOf(t, s, admin)
	})
	answered := map[string]bool{}
	for round := range kills(t) {
		r := p.start()
		end := time.AfterFunc(time.Duration(draw.Int64N(int64(emailLongest))), func() { _ = r.cmd.Process.Kill() })
		for n := 0; ; n++ {
			subject := fmt.Sprintf("message %d of round %d", n, round)
			text := []byte("From: a@shop.example\r\nTo: b@in.example.com\r\nSubject: " + subject + "\r\n\r\nHello\r\n")
			if err := smtp.SendMail(address, nil, "a@shop.example", []string{to}, text); err != nil {
				break
			}
			answered[subject+".eml"] = true
		}
		end.Stop()
		r.kill()
	}
	r := p.start()
	stored := p.stored(r)
	for name := range answered {
		if stored[name] != 1 {
			t.Errorf("%q was answered with 250 and is stored %d times", name, stored[name])
		}
	}
	if len(answered) == 0 {
		t.Error("no message was received")
	}
	t.Logf("%d messages answered with 250, %d stored", len(answered), len(stored))
}
