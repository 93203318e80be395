package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"docledger/adapter/httpapi/spectest"

	"github.com/google/uuid"
)

// options bound a run.
type options struct {
	calls, edges int
	seed         uint64
	only         []string // operations; nil means all
}

// workers is how many operations are called at the same time.
const workers = 4

// run tests the service that env describes, and returns what it answered.
func run(ctx context.Context, env map[string]string, o options) (*report, error) {
	w, err := open(ctx, env, env["BASE_URL"])
	if err != nil {
		return nil, err
	}
	return w.report, errors.Join(w.playAll(ctx, o), ctx.Err())
}

// open seeds the service that env describes. base is the address of the calls.
func open(ctx context.Context, env map[string]string, base string) (*world, error) {
	c, err := newClient(base, newReport())
	if err != nil {
		return nil, err
	}
	if err := c.learnUnknown(ctx); err != nil {
		return nil, err
	}
	w := &world{client: c, env: env}
	if err := w.seed(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("seed: %w", err), c.report.verdict())
	}
	return w, nil
}

// playAll calls each operation, or those that the options name, and returns what the
// report says of the run.
func (w *world) playAll(ctx context.Context, o options) error {
	next := make(chan spectest.Operation)
	var players sync.WaitGroup
	for range workers {
		players.Go(func() {
			for op := range next {
				w.play(ctx, op, o)
			}
		})
	}
	for _, op := range w.checker.Operations() {
		if o.only == nil || slices.Contains(o.only, op.ID) {
			w.report.expect(op.ID)
			next <- op
		}
	}
	close(next)
	players.Wait()
	return w.report.verdict()
}

// seeded are the real values that generated requests use.
func (w *world) seeded() values {
	ledger, store := w.connected[ledgers[0]], w.connected[stores[0]]
	return values{
		"entity_id": w.entities[0], "entity_ids": w.entities[0], "document_id": w.documents[0], "invoice_id": w.invoices["NEEDS_REVIEW"], "supplier_id": w.supplier,
		"user_id": w.user, "actor_id": w.user, "subject_id": w.invoices["APPROVED"], "settings_from": w.entities[0],
		"integrationId": ledger.integration, "integration_id": ledger.integration, "sourceId": store.source,
		"webhook_id": w.webhook, "delivery_id": w.delivery, "api_key_id": w.apiKey, "page": "1", "attachment": "1",
		"subscription_id": w.subscription, "organization_id": w.organization,
	}
}

// play calls one operation: so that it succeeds, with values at their bounds, with
// single faults, without a credential, and with an id that does not exist.
func (w *world) play(ctx context.Context, op spectest.Operation, o options) {
	began := time.Now()
	defer func() { w.report.took(op.ID, time.Since(began)) }()
	p := &player{world: w, op: op, recipe: recipes[op.ID]}
	before := w.report.successes(op.ID)
	for n := 0; n < 2*o.calls && w.report.successes(op.ID)-before < o.calls && ctx.Err() == nil; n++ {
		if err := p.succeed(ctx, n, o.seed); err != nil {
			w.report.problem(op.ID, fmt.Sprintf("call %d: %v", n, err))
			break
		}
	}
	if ctx.Err() == nil {
		if err := p.atEdges(ctx, o); err != nil {
			w.report.problem(op.ID, "edges: "+err.Error())
		}
	}
}

// player calls one operation.
type player struct {
	*world
	op     spectest.Operation
	recipe recipe
	etag   string
}

func (p *player) turn(ctx context.Context, n int) (*turn, error) {
	t := &turn{world: p.world, n: n, known: p.seeded(), token: p.admin, etag: func() string { return p.etag }}
	if p.recipe.fresh != nil {
		if err := p.recipe.fresh(ctx, t); err != nil {
			return nil, fmt.Errorf("make what it needs: %w", err)
		}
	}
	return t, nil
}

// succeed makes a call that is due to succeed.
func (p *player) succeed(ctx context.Context, n int, seed uint64) error {
	t, err := p.turn(ctx, n)
	if err != nil {
		return err
	}
	c := spectest.ValidCase(p.op, seed*1000+uint64(n), t.known)
	t.c = &c
	if p.recipe.change != nil {
		if err := p.recipe.change(ctx, t); err != nil {
			return fmt.Errorf("make the request: %w", err)
		}
	}
	a, err := p.request(ctx, c, t.token)
	if err != nil {
		return err
	}
	if !succeeds(p.op, a.status) {
		p.report.refused(p.op.ID, a)
	}
	if tag := a.header.Get("ETag"); tag != "" {
		p.etag = tag
	}
	if next := a.at("next_cursor"); next != "" {
		if err := p.follow(ctx, c, t.token, next); err != nil {
			return err
		}
	}
	if p.recipe.after != nil && succeeds(p.op, a.status) {
		return p.recipe.after(ctx, t, a)
	}
	return nil
}

// follow requests the next page of a list.
func (p *player) follow(ctx context.Context, c spectest.Case, token, cursor string) error {
	query, err := url.ParseQuery(c.RawQuery)
	if err != nil {
		return err
	}
	name := "cursor"
	if p.op.ID == "listEvents" {
		name = "after"
	}
	query.Set(name, cursor)
	c.RawQuery = query.Encode()
	a, err := p.request(ctx, c, token)
	if err == nil && a.status != http.StatusOK {
		p.report.problem(p.op.ID, fmt.Sprintf("the next page answers %d: %.200s", a.status, a.raw))
	}
	return err
}

func (p *player) request(ctx context.Context, c spectest.Case, token string) (answer, error) {
	req, err := c.Request(ctx, p.base)
	if err != nil {
		return answer{}, err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return p.send(p.op, req)
}

// atEdges sends values at their bounds and single faults.
func (p *player) atEdges(ctx context.Context, o options) error {
	if o.edges == 0 {
		return nil
	}
	t, err := p.turn(ctx, 0)
	if err != nil {
		return err
	}
	chosen := map[spectest.Kind]int{}
	cases := spectest.Cases(p.op, o.seed, t.known)
	rand.New(rand.NewPCG(o.seed, uint64(len(cases)))).Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	for _, c := range cases {
		if chosen[c.Kind]++; c.Kind == spectest.Valid || chosen[c.Kind] > o.edges || ctx.Err() != nil {
			continue
		}
		if err := p.edge(ctx, c, t.token); err != nil {
			return err
		}
	}
	valid := spectest.ValidCase(p.op, o.seed*1000, t.known)
	if !p.op.Public {
		a, err := p.request(ctx, valid, "")
		if err != nil {
			return err
		}
		p.expect(a, "without a credential", http.StatusUnauthorized)
	}
	return p.unknownIDs(ctx, t)
}

// spent are the operations after which a token is valid no longer.
var spent = []string{"logout", "refreshToken", "changePassword"}

func (p *player) edge(ctx context.Context, c spectest.Case, token string) error {
	switch {
	case p.op.ID == "changePassword":
		token = p.other // wrong passwords must not lock the local account
	case slices.Contains(spent, p.op.ID):
		t, err := p.turn(ctx, 0)
		if err != nil {
			return err
		}
		token = t.token
	}
	a, err := p.request(ctx, c, token)
	if err == nil && c.Kind == spectest.Fault && !p.op.Signed {
		p.expect(a, c.Name, http.StatusBadRequest)
	}
	return err
}

func (p *player) expect(a answer, what string, status int) {
	if a.status != status {
		p.report.problem(p.op.ID, fmt.Sprintf("%s: %d is due, the response is %d %.200s", what, status, a.status, a.raw))
	}
}

// unknownIDs asks for a record that does not exist, for each id in the path.
func (p *player) unknownIDs(ctx context.Context, t *turn) error {
	for name := range t.known {
		if !strings.Contains(p.op.Path, "{"+name+"}") || name == "page" || name == "attachment" || name == "sourceId" || p.op.Signed {
			continue
		}
		known := maps.Clone(t.known)
		known[name] = uuid.NewString()
		c := spectest.ValidCase(p.op, 1000, known)
		changed := &turn{world: p.world, known: known, token: t.token, c: &c, etag: t.etag}
		switch {
		case p.op.ID == "setUpIntegration": // its set-up reads the location of the integration
			c.RawQuery = entityQuery(known["entity_id"]).Encode()
		case p.recipe.change != nil:
			if err := p.recipe.change(ctx, changed); err != nil {
				return err
			}
		}
		a, err := p.request(ctx, c, t.token)
		if err != nil {
			return err
		}
		p.expect(a, "an unknown "+name, http.StatusNotFound)
	}
	return nil
}
