package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"docledger/adapter/cache"
	"docledger/adapter/payment/stripe"
	"docledger/domain/billing"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"
	"docledger/infrastructure/clock"
	"docledger/infrastructure/config"
)

// partyTimeout limits the check of one third party.
const partyTimeout = 10 * time.Second

func checkRedis(ctx context.Context, cfg config.Config) Finding {
	f := Finding{Subject: "Redis", OK: "answers", Remedy: "check REDIS_URL and that the server runs; until it does, each process keeps plans and counts for itself"}
	url := cfg.RedisURL.Reveal()
	if url == "" {
		f.OK = "not used"
		if cfg.DatabaseURL.Reveal() != "" {
			f.Warning = "not used: with several processes, each keeps plans and counts for itself"
			f.Remedy = "set REDIS_URL where there are several processes"
		}
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, partyTimeout)
	defer cancel()
	f.Err = cache.CheckRedis(ctx, url)
	return f
}

// checkIdentity reads the keys of the identity provider and checks the configured keys against
// them.
func checkIdentity(ctx context.Context, cfg config.Config) Finding {
	f := Finding{
		Subject: "identity provider", OK: "accounts of this installation",
		Remedy: "check IDENTITY_PUBLISHABLE_KEY and IDENTITY_SECRET_KEY, and that this machine reaches the provider",
	}
	if !cfg.Identity.External() {
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, partyTimeout)
	defer cancel()
	client, err := newProvider(cfg, slog.New(slog.DiscardHandler))
	if err == nil {
		err = client.Check(ctx)
	}
	f.OK, f.Err = "keys read, secret key accepted", err
	return f
}

// checkPayments reads current events and the plans for sale from the payment processor.
func checkPayments(ctx context.Context, cfg config.Config) []Finding {
	f := Finding{
		Subject: "payment processor", OK: "not used",
		Remedy: "check PAYMENT_SECRET_KEY, and that this machine reaches the processor",
	}
	if cfg.Billing != "stripe" {
		return []Finding{f}
	}
	ctx, cancel := context.WithTimeout(ctx, partyTimeout)
	defer cancel()
	client, err := stripe.New(stripe.Options{
		URL: cfg.PaymentURL, SecretKey: cfg.PaymentSecretKey.Reveal(), WebhookSecrets: []string{cfg.PaymentSigningSecret[0].Reveal()},
	})
	if err == nil {
		err = client.Events.Since(ctx, time.Now(), []billing.EventType{billing.SubscriptionUpdated}, func(billing.PaymentEvent, error) error { return nil })
	}
	f.OK, f.Err = "secret key accepted", err
	if err != nil {
		return []Finding{f}
	}
	return append([]Finding{f, checkPlans(ctx, client, cfg.PaymentProducts)}, checkPaymentSetup(ctx, client)...)
}

func checkPlans(ctx context.Context, client *stripe.Client, products []string) Finding {
	f := Finding{Subject: "plans for sale", Remedy: "set PAYMENT_PRODUCTS to products that have active recurring prices"}
	prices, err := client.Prices.OfProducts(ctx, products)
	sellable, unsellable := billing.SplitSellable(prices)
	f.OK, f.Err = fmt.Sprintf("%d price(s)", len(sellable)), err
	if err != nil {
		return f
	}
	var wrong, archived []string
	for _, u := range unsellable {
		if !u.Price.Active {
			archived = append(archived, u.Price.ID)
			continue
		}
		wrong = append(wrong, fmt.Sprintf("%s (%v)", u.Price.ID, u.Reason))
	}
	if len(archived) > 0 { // the usual reason for an end, which needs no action
		f.OK += "; archived: " + some(archived)
	}
	if currencies := currenciesOf(sellable); len(currencies) > 1 {
		// The processor keeps one currency for each customer.
		f.Warning = f.OK + " in " + strings.Join(currencies, ", ") + ": an organization that pays in one currency cannot choose a plan in another"
		f.Remedy = "this is allowed; sell one currency only if organizations must be able to change between all plans"
	}
	if len(wrong) > 0 {
		f.Warning = f.OK + "; not for sale: " + strings.Join(wrong, "; ")
		f.Remedy = "correct these prices at the payment processor, or archive them"
	}
	if len(sellable) == 0 {
		f.Warning = "none: no organization can buy a plan"
		if len(unsellable) > 0 {
			f.Warning += "; not for sale: " + strings.Join(append(wrong, archived...), "; ")
		}
	}
	return f
}

func currenciesOf(prices []billing.Price) []string {
	var list []string
	for _, p := range prices {
		if code := strings.ToUpper(p.Currency); !slices.Contains(list, code) {
			list = append(list, code)
		}
	}
	slices.Sort(list)
	return list
}

// checkPaymentSetup checks what a person sets once in the processor's dashboard. A restricted key may
// lack the permission to read it, which is a warning.
func checkPaymentSetup(ctx context.Context, client *stripe.Client) []Finding {
	name, portal := Finding{
		Subject: "business name", OK: "set at the payment processor",
		Remedy: "set the account or business name in the processor's dashboard; without it no organization can buy a plan (provider_setup_incomplete)",
	}, Finding{
		Subject: "customer portal", OK: "set up at the payment processor",
		Remedy: "save the settings of the customer portal once in the processor's dashboard; without them no user can open it (provider_setup_incomplete)",
	}
	precondition(ctx, &name, client.Setup.HasBusinessName, "the account has no business name")
	precondition(ctx, &portal, client.Setup.HasPortal, "the settings of the customer portal were never saved")
	return []Finding{name, portal}
}

func precondition(ctx context.Context, f *Finding, met func(context.Context) (bool, error), unmet string) {
	switch is, err := met(ctx); {
	case fault.CodeOf(err) == fault.CodeProviderUnauthorized:
		f.Warning, f.Remedy = "the secret key may not read this", "look in the processor's dashboard, or give the restricted key this permission"
	case err != nil:
		f.Err = err
	case !is:
		f.Err = errors.New(unmet)
	}
}

// probe is a refresh token that no provider has issued. A provider that accepts the application's
// id and secret reports that its consent has ended; otherwise it refuses the application.
const probe = "docledger-doctor-asks-whether-the-application-is-known"

// checkProviders checks whether every configured provider knows the application.
func checkProviders(ctx context.Context, cfg config.Config) []Finding {
	s := &Service{cfg: cfg, clock: clock.System{}, registered: Registrations()}
	connectors, err := s.connectors(integration.Unlimited{}, Providers{Timeout: partyTimeout})
	if err != nil {
		return []Finding{{Subject: "integrations", Err: err, Remedy: "correct the variables of that provider"}}
	}
	var out []Finding
	for _, p := range Catalog(s.registered).Codes() {
		f := Finding{
			Subject: string(p), OK: "not offered",
			Remedy: fmt.Sprintf("check %s_CLIENT_ID and %s_CLIENT_SECRET, and that this machine reaches the provider", p, p),
		}
		if c, offered := connectors[p]; offered {
			f.OK, f.Err = "application known", knows(ctx, c)
		}
		out = append(out, f)
	}
	return out
}

func knows(ctx context.Context, c integration.Authorizer) error {
	ctx, cancel := context.WithTimeout(ctx, partyTimeout)
	defer cancel()
	_, err := c.Refresh(ctx, secret.New(probe))
	switch {
	case errors.Is(err, integration.ErrReconnect):
		return nil
	case err == nil:
		return errors.New("it accepts any token; therefore it is not the provider")
	}
	if f, ok := fault.As(err); ok && f.Unwrap() != nil {
		return f.Unwrap() // the message is for users who connect, not for operators
	}
	return err
}

// checkBackend checks the API that a process with only the role tools calls.
func checkBackend(ctx context.Context, cfg config.Config) Finding {
	f := Finding{Subject: "API", OK: "ready", Remedy: "check BACKEND_URL and that a process with the role api runs there"}
	ctx, cancel := context.WithTimeout(ctx, partyTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, cfg.Tools.BackendURL+"/readyz", nil)
	if err != nil {
		f.Err = err
		return f
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		f.Err = err
		return f
	}
	if response.StatusCode != http.StatusOK {
		err = fmt.Errorf("it answers %s", response.Status)
	}
	f.Err = errors.Join(err, response.Body.Close())
	return f
}
