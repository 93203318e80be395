package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	stripesim "docledger/adapter/sim/stripe"
	"docledger/cmd/service"
	"docledger/domain/billing"
)

// What the simulated payment processor and the service know of each other.
// Both listen on the loopback address alone, so these are no secrets.
const (
	paymentSecretKey     = "sk_test_sandbox"
	paymentSigningSecret = "whsec_sandbox"
)

// payments is the simulated payment processor, with one plan for sale. It
// remembers nothing of an earlier run.
type payments struct {
	url     string
	product string
	sim     *stripesim.Server
	server  *http.Server
}

// startPayments starts the processor, which reports to the service at baseURL.
func startPayments(baseURL string, autoApprove bool) (*payments, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the payment processor: %w", err)
	}
	limits := stripesim.DefaultLimits()
	limits.RequestsPerSecond = 0 // a load test of the service is not one of the processor
	p := &payments{url: "http://" + l.Addr().String()}
	p.sim = stripesim.New(stripesim.Options{
		Account: stripesim.ReadyAccount(), SecretKeys: []string{paymentSecretKey}, BaseURL: p.url, Limits: &limits, AutoApprove: autoApprove,
		Endpoints: []stripesim.Endpoint{{URL: baseURL + "/webhook/payments", Secrets: []string{paymentSigningSecret}}},
	})
	p.server = &http.Server{Handler: p.sim, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = p.server.Serve(l) }() // ends with Close
	if err := p.offer(); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// offer puts the plan up for sale.
func (p *payments) offer() (err error) {
	p.product, err = p.make("/v1/products", url.Values{"name": {"Team"}})
	if err != nil {
		return err
	}
	_, err = p.make("/v1/prices", url.Values{
		"product": {p.product}, "currency": {"eur"}, "unit_amount": {"3000"}, "recurring[interval]": {"month"}, "lookup_key": {"team"},
		"metadata[" + billing.MetadataMaxEntities + "]": {"100"}, "metadata[" + billing.MetadataMaxInvoices + "]": {"3000"},
	})
	return err
}

func (p *payments) make(path string, form url.Values) (id string, err error) {
	status, body := p.sim.Do(http.MethodPost, path, form)
	id, _ = body["id"].(string)
	if status != http.StatusOK || id == "" {
		return "", fmt.Errorf("payment processor answers %d to POST %s: %v", status, path, body)
	}
	return id, nil
}

// restore puts back the customers that the service remembers from an earlier
// run. Their subscriptions are gone: they are on their trial again.
func (p *payments) restore(ctx context.Context, s *service.Service) error {
	found, err := s.Organizations.List(ctx)
	if err != nil {
		return fmt.Errorf("list the organizations: %w", err)
	}
	for _, o := range found {
		if o.PaymentCustomerID != "" {
			p.sim.RestoreCustomer(o.PaymentCustomerID, map[string]string{billing.MetadataOrganization: o.ID.String()})
		}
	}
	return nil
}

// Close ends the processor at once.
func (p *payments) Close() {
	_ = p.server.Close()
	p.sim.Close()
}
