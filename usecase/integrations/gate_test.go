package integrations_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docledger/adapter/accounting/quickbooks"
	"docledger/adapter/accounting/xero"
	"docledger/adapter/sim/kit"
	simb "docledger/adapter/sim/quickbooks"
	sim "docledger/adapter/sim/xero"
	"docledger/domain/accounting"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"
	"docledger/infrastructure/clock"
	"docledger/usecase/integrations"
)

// stage moves the clock of a simulator to the next wake-up time when all
// callers wait.
type stage struct {
	clock *kit.Clock
	end   time.Time

	mu      sync.Mutex
	callers int
	waiting map[int]time.Time
	serial  int
}

// pause waits by the clock. It ends the caller after the end of the stage.
func (s *stage) pause(ctx context.Context, d time.Duration) error {
	until := s.clock.Now().Add(d)
	s.mu.Lock()
	s.serial++
	own := s.serial
	s.waiting[own] = until
	s.turn()
	s.mu.Unlock()
	if err := s.clock.Wait(ctx, until); err != nil {
		return err
	}
	s.mu.Lock()
	delete(s.waiting, own)
	s.mu.Unlock()
	if !until.Before(s.end) {
		return errOver
	}
	return nil
}

var errOver = errors.New("the time of the test is over")

func (s *stage) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.callers--
	s.turn()
}

// turn moves the clock if no caller works. The caller must hold the lock.
func (s *stage) turn() {
	now := s.clock.Now()
	next := time.Time{}
	for _, until := range s.waiting {
		if !until.After(now) {
			return // somebody was woken and has not continued yet
		}
		if next.IsZero() || until.Before(next) {
			next = until
		}
	}
	if len(s.waiting) < s.callers || next.IsZero() {
		return
	}
	go s.clock.Advance(next.Sub(now))
}

// counting counts the calls and the refusals among them.
type counting struct{ calls, refused atomic.Int64 }

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	c.calls.Add(1)
	if err == nil && resp.StatusCode == http.StatusTooManyRequests {
		c.refused.Add(1)
	}
	return resp, err
}

// pressed is a provider with limits and callers of two processes that call
// continuously.
type pressed struct {
	w     *world
	agree func(authorizationURL string) (string, error)
	stage *stage
	seen  counting
	reads []connector // one of each process
	a     integration.Access
}

// connector is the part of a connector that the tests use.
type connector interface {
	integration.Authorizer
	accounting.OrganizationReader
	accounting.CurrencyReader
}

func press(t *testing.T, w *world, change func(*sim.Limits)) *pressed {
	t.Helper()
	limits := sim.DefaultLimits()
	limits.TokenLifetime = 1000 * time.Hour
	change(&limits)
	origin, serve := listen(t)
	server := sim.New(sim.Options{Origin: origin, Start: start, Limits: &limits, Clients: []sim.Client{{ID: "c", Secret: "s", LoopbackRedirects: true}}})
	serve(server)
	p := &pressed{w: w, stage: newStage(server.Kit.Clock)}
	p.agree = func(u string) (string, error) { return server.Consent(u, sim.TaxedOrganization) }
	for _, process := range w.processes {
		c, err := xero.New(xero.Options{
			ClientID: "c", ClientSecret: secret.New("s"), URL: origin, LoopbackHTTP: true, RateLimiter: p.gate(process), Transport: &p.seen, Now: p.stage.clock.Now,
		})
		w.must(err)
		p.reads = append(p.reads, c)
	}
	p.consent(sim.TaxedOrganization)
	return p
}

// pressB is press for ACCOUNTING_B, which also has limits per second.
func pressB(t *testing.T, w *world) *pressed {
	t.Helper()
	origin, serve := listen(t)
	server := simb.New(simb.Options{Origin: origin, Start: start, Clients: []simb.Client{{ID: "c", Secret: "s", LoopbackRedirects: true}}})
	serve(server)
	p := &pressed{w: w, stage: newStage(server.Kit.Clock)}
	p.agree = func(u string) (string, error) { return server.Consent(u, simb.VATCompany) }
	for _, process := range w.processes {
		c, err := quickbooks.New(quickbooks.Options{
			ClientID: "c", ClientSecret: secret.New("s"), URL: origin, LoopbackHTTP: true, RateLimiter: p.gate(process), Transport: &p.seen, Now: p.stage.clock.Now,
		})
		w.must(err)
		p.reads = append(p.reads, c)
	}
	p.consent(simb.VATCompany)
	return p
}

// listen opens an address for a simulator that must know it in advance.
func listen(t *testing.T) (origin string, serve func(http.Handler)) {
	listener := httptest.NewUnstartedServer(nil)
	return "http://" + listener.Listener.Addr().String(), func(h http.Handler) {
		listener.Config.Handler = h
		listener.Start()
		t.Cleanup(listener.Close)
	}
}

func newStage(c *kit.Clock) *stage { return &stage{clock: c, waiting: map[int]time.Time{}} }

func (p *pressed) gate(of *process) integration.RateLimiter {
	return &integrations.RateLimiter{Meters: of.store.Meters(), Clock: p.stage.clock, IDs: clock.UUIDv7{}, Pause: p.stage.pause, Log: of.Log}
}

// consent grants a consent to one organization and returns an access to it.
func (p *pressed) consent(tenant string) integration.Consent {
	p.w.t.Helper()
	c := p.reads[0]
	to, err := p.agree(c.AuthorizationURL(integration.AuthorizationRequest{State: "state", RedirectURI: "http://localhost/back"}))
	p.w.must(err)
	u, err := url.Parse(to)
	p.w.must(err)
	p.stage.callers, p.stage.end = 1, start.Add(time.Hour)
	consent, err := c.Exchange(p.w.ctx, integration.Callback{Code: u.Query().Get("code"), RedirectURI: "http://localhost/back", Query: u.Query()})
	p.w.must(err)
	p.a = integration.Access{Token: consent.Tokens.Access, Account: consent.Account, Event: consent.Event, Tenant: tenant}
	return consent
}

// run makes callers of both kinds call continuously for a duration of the
// clock. It returns the number of successful calls.
func (p *pressed) run(callers int, during time.Duration) (interactive, background int64) {
	p.w.t.Helper()
	p.stage.end = p.stage.clock.Now().Add(during)
	p.stage.callers = callers
	var done [2]atomic.Int64
	var all sync.WaitGroup
	for n := range callers {
		all.Go(func() {
			defer p.stage.leave()
			a := p.a
			a.Background = n%2 == 1
			for p.stage.clock.Now().Before(p.stage.end) {
				_, err := p.reads[n/2%len(p.reads)].Currencies(p.w.ctx, a)
				if err == nil {
					done[n%2].Add(1)
					continue
				}
				f, ok := fault.As(err)
				if !ok || !errors.Is(err, integration.ErrRateLimited) {
					if !errors.Is(err, errOver) {
						p.w.t.Error(err)
					}
					return
				}
				if p.stage.pause(p.w.ctx, f.RetryAfter) != nil {
					return
				}
			}
		})
	}
	all.Wait()
	return done[0].Load(), done[1].Load()
}

// TestDemandMeetsNoRefusal creates more than ten times the allowed demand from
// two processes. The provider must refuse no call, and the callers must use
// most of the allowed calls.
func TestDemandMeetsNoRefusal(t *testing.T) {
	t.Parallel()
	onEach(t, 2, func(t *testing.T, w *world) {
		p := press(t, w, func(*sim.Limits) {})
		const minutes = 10
		interactive, background := p.run(40, minutes*time.Minute)
		if n := p.seen.refused.Load(); n != 0 {
			t.Errorf("%d of %d calls were refused", n, p.seen.calls.Load())
		}
		if n := interactive + background; n < 60*minutes*8/10 {
			t.Errorf("%d calls in %d minutes that allow %d", n, minutes, 60*minutes)
		}
		if background > interactive {
			t.Errorf("%d calls in the background, %d of people who wait", background, interactive)
		}
		t.Logf("%d calls of people, %d in the background, in %d minutes that allow %d", interactive, background, minutes, 60*minutes)
	})
}

// TestDemandBySecond is the same for ACCOUNTING_B, which allows 10 calls per
// second and 500 per minute.
func TestDemandBySecond(t *testing.T) {
	t.Parallel()
	onEach(t, 2, func(t *testing.T, w *world) {
		p := pressB(t, w)
		p.run(20, 2*time.Minute)
		calls := p.seen.calls.Load()
		if n := p.seen.refused.Load(); n != 0 {
			t.Errorf("%d of %d calls were refused", n, calls)
		}
		if calls < 600 {
			t.Errorf("%d calls in two minutes that allow 1000", calls)
		}
		t.Logf("%d calls in two minutes that allow 1000", calls)
	})
}

// TestSmallerDayIsLearnt uses a provider with a smaller daily limit, which only
// its responses report.
func TestSmallerDayIsLearnt(t *testing.T) {
	t.Parallel()
	onEach(t, 2, func(t *testing.T, w *world) {
		p := press(t, w, func(l *sim.Limits) { l.Day = 100 })
		interactive, background := p.run(10, 60*time.Hour)
		if n := p.seen.refused.Load(); n != 0 {
			t.Errorf("%d of %d calls were refused", n, p.seen.calls.Load())
		}
		if n := interactive + background; n < 180 {
			t.Errorf("%d calls in two and a half days of 100", n)
		}
		t.Logf("%d calls in two and a half days of 100", interactive+background)
	})
}
