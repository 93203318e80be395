package service

import (
	"fmt"
	"slices"

	"docledger/adapter/accounting/quickbooks"
	"docledger/adapter/accounting/xero"
	"docledger/adapter/connector"
	"docledger/adapter/docstore/gdrive"
	"docledger/adapter/docstore/msgraph"
	"docledger/domain/integration"
	"docledger/infrastructure/config"
	"docledger/usecase/integrations"
)

// Registrations lists the providers of integrations in the order in which users see them. It is
// the only such list in the product.
func Registrations() []connector.Registration {
	return []connector.Registration{
		connector.Register(xero.Descriptor(), xero.New),
		connector.Register(quickbooks.Descriptor(), quickbooks.New),
		connector.Register(msgraph.Descriptor(), msgraph.New),
		connector.Register(gdrive.Descriptor(), gdrive.New),
	}
}

// Catalog returns the descriptors of registrations.
func Catalog(registered []connector.Registration) integration.Catalog {
	out := make(integration.Catalog, len(registered))
	for i, r := range registered {
		out[i] = r.Descriptor
	}
	return out
}

// ProviderSpecs returns the configuration variables of registrations.
func ProviderSpecs(registered []connector.Registration) []config.ProviderSpec {
	out := make([]config.ProviderSpec, 0, len(registered))
	for _, d := range Catalog(registered) {
		spec := config.ProviderSpec{Code: string(d.Code), PublicClient: d.PublicClient}
		for _, setting := range d.Settings {
			spec.Settings = append(spec.Settings, config.ProviderSetting(setting))
		}
		out = append(out, spec)
	}
	return out
}

// Configured reads the process's environment for all registered providers.
func Configured() (config.Config, error) {
	return config.FromEnvironment(ProviderSpecs(Registrations())...)
}

// ConfiguredFor is Configured for a process with certain roles.
func ConfiguredFor(roles []string) (config.Config, error) {
	return config.FromEnvironmentFor(roles, ProviderSpecs(Registrations())...)
}

// ConfiguredFrom reads a configuration from values other than the process's environment.
func ConfiguredFrom(env config.Environ) (config.Config, error) {
	return config.Load(env, ProviderSpecs(Registrations())...)
}

// ConfiguredSimulated is ConfiguredFrom for the sandbox.
func ConfiguredSimulated(env config.Environ) (config.Config, error) {
	return config.LoadSimulated(env, ProviderSpecs(Registrations())...)
}

// connectors builds the connector of each configured provider.
func (s *Service) connectors(limiter integration.RateLimiter, n Providers) (integrations.Connectors, error) {
	made := integrations.Connectors{}
	for _, r := range s.registered {
		c := s.cfg.Providers[string(r.Code)]
		if c.ClientID == "" {
			continue
		}
		built, err := r.New(connector.Options{
			ClientID: c.ClientID, ClientSecret: c.ClientSecret, Scopes: c.Scopes, Settings: c.Settings, URL: c.URL, LoopbackHTTP: true,
			RateLimiter: limiter, Limits: n.Limits, Timeout: n.Timeout, Now: s.clock.Now, Log: s.log,
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Code, err)
		}
		made[r.Code] = built
	}
	return made, nil
}

// registered returns all providers of a service, including additional ones.
func registered(further []connector.Registration) []connector.Registration {
	return slices.Concat(Registrations(), further)
}
