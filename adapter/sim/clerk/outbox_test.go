package clerk_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	sim "docledger/adapter/sim/clerk"
)

func TestWebhooksAreRetried(t *testing.T) {
	t.Parallel()
	hooks := receiver{answers: []int{500, 302, 404}}
	target := httptest.NewServer(&hooks)
	defer target.Close()
	begin := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	b := start(t, func(o *sim.Options) {
		o.Start = begin
		o.Endpoints = []sim.Endpoint{{URL: target.URL + "/hook", Secrets: []string{hook, "whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA="}}}
	})
	id, err := b.Announce("organization.created", "org_acme")
	if err != nil {
		t.Fatal(err)
	}
	for n, wait := range []time.Duration{0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute} {
		b.Kit.Clock.Advance(wait)
		drain(t, b)
		if got := hooks.count(); got != n+1 {
			t.Fatalf("after %v: %d deliveries", wait, got)
		}
	}
	b.Kit.Clock.Advance(100 * time.Hour)
	drain(t, b)
	if got := hooks.count(); got != 4 {
		t.Errorf("after success: %d deliveries", got)
	}
	for n, r := range hooks.received {
		if r.Header.Get("Svix-Id") != id || hooks.bodies[n] != hooks.bodies[0] || strings.Count(r.Header.Get("Svix-Signature"), "v1,") != 2 {
			t.Errorf("delivery %d: %v", n, r.Header)
		}
	}
	if first, last := hooks.received[0].Header.Get("Svix-Timestamp"), hooks.received[3].Header.Get("Svix-Timestamp"); first >= last {
		t.Errorf("signed at %s and at %s", first, last)
	}
	if err := b.Resend(id); err != nil {
		t.Fatal(err)
	}
	drain(t, b)
	if got := hooks.count(); got != 5 || hooks.received[4].Header.Get("Svix-Id") != id {
		t.Errorf("sent once more: %d", got)
	}
}

func TestWebhooksEnd(t *testing.T) {
	t.Parallel()
	var hooks receiver
	for range 20 {
		hooks.answers = append(hooks.answers, http.StatusServiceUnavailable)
	}
	target := httptest.NewServer(&hooks)
	defer target.Close()
	b := start(t, func(o *sim.Options) {
		o.Start = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	})
	b.call(t, http.MethodPost, "/_sim/endpoints", `{"url":"`+target.URL+`","secrets":["`+hook+`"]}`)
	b.call(t, http.MethodPost, "/_sim/webhooks", `{"type":"organization.updated","organization_id":"org_acme"}`)
	for range 12 {
		drain(t, b)
		b.Kit.Clock.Advance(10 * time.Hour)
	}
	if got := hooks.count(); got != 8 {
		t.Errorf("%d deliveries", got)
	}
}

func TestSignaturesStateTheMachinesTimeWhenTheClockIsAdvanced(t *testing.T) {
	t.Parallel()
	var hooks receiver
	target := httptest.NewServer(&hooks)
	defer target.Close()
	b := start(t, func(o *sim.Options) { o.Endpoints = []sim.Endpoint{{URL: target.URL, Secrets: []string{hook}}} })
	b.Kit.Clock.Advance(48 * time.Hour)
	if _, err := b.Announce("organization.created", "org_acme"); err != nil {
		t.Fatal(err)
	}
	drain(t, b)
	seconds, err := strconv.ParseInt(hooks.received[0].Header.Get("Svix-Timestamp"), 10, 64)
	if apart := time.Since(time.Unix(seconds, 0)); err != nil || apart.Abs() > time.Minute {
		t.Errorf("signed %v ago, %v", apart, err)
	}
}
