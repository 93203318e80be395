package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// world is the seeded organization and what makes further records in it.
type world struct {
	*client
	env          map[string]string
	admin, other string // tokens of the administrator and of one of another organization
	user         string // the administrator's id
	organization string
	password     string // of the local account, which one operation changes
	price        string // for sale
	connected    map[string]connection
	entities     []string
	documents    []string
	invoices     map[string]string // one of each status
	supplier     string
	webhook      string
	delivery     string
	apiKey       string
	subscription string // of notifications of the first document store
	paged        string // a document with pages and an attachment
	count        atomic.Int64
}

// connection is an ACTIVE integration.
type connection struct {
	integration, entity string
	source, subSource   string // of a document store
	account             string // of a ledger
}

var (
	ledgers   = []string{"ACCOUNTING_A", "ACCOUNTING_B"}
	stores    = []string{"DOCSTORE_A", "DOCSTORE_B"}
	providers = slices.Concat(ledgers, stores)
	simulator = map[string]string{"ACCOUNTING_A": "XERO_URL", "ACCOUNTING_B": "QUICKBOOKS_URL", "DOCSTORE_A": "MSGRAPH_URL", "DOCSTORE_B": "GDRIVE_URL"}
	unlimited = map[string]string{
		"ACCOUNTING_A": `{"minute":100000,"app_minute":100000,"day":1000000,"concurrent":1000}`, "ACCOUNTING_B": `{"minute":100000,"second":0}`,
		"DOCSTORE_A": `{"minute_units":0}`, "DOCSTORE_B": `{"user_minute":0}`,
	}
	statuses = []string{"EXTRACTED", "NEEDS_REVIEW", "APPROVED", "SYNCED", "SYNC_FAILED", "REJECTED"}
)

type values = map[string]string

func (w *world) next() int64 { return w.count.Add(1) }

// do is call as the administrator.
func (w *world) do(ctx context.Context, operation string, ids values, query url.Values, body any) (answer, error) {
	return w.call(ctx, operation, w.admin, ids, query, body)
}

func (w *world) login(ctx context.Context, email, password string) (string, error) {
	a, err := w.call(ctx, "login", "", nil, nil, values{"email": email, "password": password})
	return a.at("token"), err
}

// seed makes the records of the run.
func (w *world) seed(ctx context.Context) (err error) {
	w.password = w.env["LOGIN_PASSWORD"]
	if w.admin, err = w.login(ctx, w.env["LOGIN_EMAIL"], w.password); err != nil {
		return err
	}
	if w.other, err = w.login(ctx, "bob@example.com", w.password); err != nil {
		return err
	}
	me, err := w.do(ctx, "getMe", nil, nil, nil)
	if err != nil {
		return err
	}
	w.user, w.organization = me.at("user", "id"), w.env["ORGANIZATION_ID"]
	w.entities = []string{w.env["ENTITY_ID"], w.env["ENTITY_B_ID"]}
	w.connected, w.invoices = map[string]connection{}, map[string]string{}
	for _, step := range []func(context.Context) error{w.subscribe, w.connectAll, w.makeInvoices, w.makeCredentials, w.awaitSubscription} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// subscribe buys a plan without limits. A price without limits in its metadata has
// none.
func (w *world) subscribe(ctx context.Context) error {
	plans, err := w.do(ctx, "listPlans", nil, nil, nil)
	if err != nil {
		return err
	}
	for _, p := range plans.items() {
		w.price, _ = p["price_id"].(string)
	}
	product, err := w.processor(ctx, http.MethodGet, "/v1/prices/"+w.price, nil)
	if err != nil {
		return err
	}
	price, err := w.processor(ctx, http.MethodPost, "/v1/prices", url.Values{
		"product": {product.at("product")}, "currency": {"eur"}, "unit_amount": {"9000"}, "recurring[interval]": {"month"}, "lookup_key": {"unlimited"},
	})
	if err != nil {
		return err
	}
	back := w.env["BASE_URL"] + "/docs"
	page, err := w.do(ctx, "createCheckoutSession", nil, nil, values{"price_id": price.at("id"), "success_url": back, "cancel_url": back})
	if err != nil {
		return err
	}
	if _, err := w.redirect(ctx, http.MethodPost, page.at("url"), url.Values{"card": {"4242424242424242"}}); err != nil {
		return fmt.Errorf("pay for the plan: %w", err)
	}
	return w.until(ctx, "the organization has an unlimited plan", func() (bool, error) {
		a, err := w.do(ctx, "getBilling", nil, nil, nil)
		return a.at("subscription_status") == "active" && a.value("max_entities") == nil, err
	})
}

// processor calls the simulated payment processor.
func (w *world) processor(ctx context.Context, method, path string, form url.Values) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, w.env["STRIPE_URL"]+path, strings.NewReader(form.Encode()))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Authorization", "Bearer sk_test_sandbox")
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return w.outside(req)
}

// until waits until a condition is true, at most a minute.
func (w *world) until(ctx context.Context, what string, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.New("it is not so after a minute: " + what)
		case <-tick.C:
		}
	}
}

// connectAll connects an integration of every provider: a ledger and a document
// store for each of the two entities.
func (w *world) connectAll(ctx context.Context) error {
	for _, provider := range providers {
		at := w.env[simulator[provider]]
		if err := w.control(ctx, at+"/_sim/settings", `{"auto_approve":true}`); err != nil {
			return err
		}
		if err := w.control(ctx, at+"/_sim/limits", unlimited[provider]); err != nil {
			return err
		}
	}
	for i, provider := range providers {
		c, err := w.connect(ctx, provider, w.entities[i%2])
		if err != nil {
			return fmt.Errorf("connect %s: %w", provider, err)
		}
		w.connected[provider] = c
	}
	for _, provider := range ledgers {
		c := w.connected[provider]
		a, err := w.do(ctx, "listAccountingAccounts", values{"integrationId": c.integration}, url.Values{"account_types": {"EXPENSE"}}, nil)
		if err != nil || len(a.items()) == 0 {
			return errors.Join(errors.New("no account of "+provider), err)
		}
		account, _ := a.items()[0]["id"].(string)
		c.account = account
		w.connected[provider] = c
		if _, err := w.do(ctx, "updateSettings", values{"entity_id": c.entity}, nil, values{"default_account_id": account}); err != nil {
			return err
		}
	}
	return nil
}

// authorize starts an integration of an entity.
func (w *world) authorize(ctx context.Context, provider, entity string) (integration, page string, err error) {
	a, err := w.do(ctx, "authorizeIntegration", nil, nil, values{"entity_id": entity, "provider": provider, "redirect_url": w.env["BASE_URL"] + "/docs"})
	return a.at("integration_id"), a.at("authorization_url"), err
}

// consent agrees on the provider's page and returns the query of the callback.
func (w *world) consent(ctx context.Context, page string) (url.Values, error) {
	callback, err := w.redirect(ctx, http.MethodGet, page, nil)
	if err != nil {
		return nil, fmt.Errorf("the consent page: %w", err)
	}
	return callback.Query(), nil
}

// authorized makes an integration that has a consent and no set-up.
func (w *world) authorized(ctx context.Context, provider, entity string) (integration string, err error) {
	integration, page, err := w.authorize(ctx, provider, entity)
	if err != nil {
		return "", err
	}
	query, err := w.consent(ctx, page)
	if err != nil {
		return "", err
	}
	_, err = w.call(ctx, "finishAuthorization", "", nil, query, nil)
	return integration, err
}

// connect makes an ACTIVE integration.
func (w *world) connect(ctx context.Context, provider, entity string) (connection, error) {
	integration, err := w.authorized(ctx, provider, entity)
	if err != nil {
		return connection{}, err
	}
	metadata, err := w.location(ctx, provider, integration, entity)
	if err != nil {
		return connection{}, err
	}
	a, err := w.do(ctx, "setUpIntegration", values{"integrationId": integration}, nil, setUp(entity, metadata))
	if err == nil && a.at("status") != "ACTIVE" {
		err = fmt.Errorf("the integration is %s", a.raw)
	}
	source, _ := metadata["source_id"].(string)
	subSource, _ := metadata["sub_source_id"].(string)
	return connection{integration: integration, entity: entity, source: source, subSource: subSource}, err
}

func setUp(entity string, metadata map[string]any) map[string]any {
	return map[string]any{"entity_id": entity, "status": "PENDING", "public_metadata": metadata}
}

// location returns the metadata of a set-up: the first organization of a ledger, the
// first folder of a document store.
func (w *world) location(ctx context.Context, provider, integration, entity string) (map[string]any, error) {
	ids, query := values{"integrationId": integration}, url.Values{"entity_id": {entity}}
	if slices.Contains(ledgers, provider) {
		found, err := w.do(ctx, "listAccountingOrganizations", ids, query, nil)
		if err != nil || len(found.items()) == 0 {
			return nil, errors.Join(errors.New("no organization"), err)
		}
		return map[string]any{"provider": provider, "organization_id": found.items()[0]["organization_id"], "pays_tax": true}, nil
	}
	found, err := w.do(ctx, "listTriggerSources", ids, query, nil)
	if err != nil || len(found.items()) == 0 {
		return nil, errors.Join(errors.New("no source"), err)
	}
	source, _ := found.items()[0]["id"].(string)
	ids["sourceId"] = source
	found, err = w.do(ctx, "listTriggerSubSources", ids, query, nil)
	if err != nil || len(found.items()) == 0 {
		return nil, errors.Join(errors.New("no folder"), err)
	}
	return map[string]any{"provider": provider, "source_id": source, "sub_source_id": found.items()[0]["id"]}, nil
}

// awaitSubscription waits until the document store notifies the service.
func (w *world) awaitSubscription(ctx context.Context) error {
	return w.until(ctx, "the document store has a subscription", func() (bool, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.env["MSGRAPH_URL"]+"/_sim/state", nil)
		if err != nil {
			return false, err
		}
		a, err := w.outside(req)
		list, _ := a.value("subscriptions").([]any)
		if err != nil || len(list) == 0 {
			return false, err
		}
		first, _ := list[0].(map[string]any)
		address, _ := first["address"].(string)
		w.subscription = address[strings.LastIndex(address, "/")+1:]
		return w.subscription != "", nil
	})
}

// root is the folder of the module, also for a test of this package.
func root() string {
	if _, err := os.Stat("go.mod"); err == nil {
		return "."
	}
	return filepath.Join("..", "..", "..")
}
