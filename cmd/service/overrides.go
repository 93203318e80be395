package service

import (
	"crypto/tls"
	"time"

	"docledger/adapter/connector"
	"docledger/adapter/email"
	"docledger/adapter/identity/local"
	"docledger/domain/extraction"
	"docledger/domain/integration"
	"docledger/infrastructure/telemetry"
	"docledger/usecase"
	"docledger/usecase/integrations"
)

// Overrides replace parts of the service; the zero value replaces nothing.
type Overrides struct {
	Clock  usecase.Clock
	Reader extraction.Reader
	// Version is that of the binary.
	Version string
	// Tracing receives spans instead of a configured collector.
	Tracing *telemetry.Tracing
	// Resolver replaces the name servers of e-mail.
	Resolver email.Resolver
	// MailboxTLS replaces the usual roots for the mailbox of EMAIL_IMAP.
	MailboxTLS *tls.Config
	// MailerTLS replaces the usual roots for the server of EMAIL_SMTP_HOST.
	MailerTLS *tls.Config
	// Connectors replace connectors of providers.
	Connectors integrations.Connectors
	// Registrations are additional providers.
	Registrations []connector.Registration
	// SyncAtOnce starts automatic syncs with the approval, without the time to undo it.
	SyncAtOnce bool
	// TestKeys gives new API keys the prefix of a sandbox.
	TestKeys bool
	// PasswordCost replaces the configured cost of password hashes, for tests.
	PasswordCost *local.Cost
	// SettleTimeout replaces the time that a reader of events waits for older transactions.
	SettleTimeout time.Duration
	// Providers configures the calls to providers.
	Providers Providers
}

// Providers are limits for the calls to providers; a zero value means the provider's own limit.
type Providers struct {
	Timeout time.Duration       // of one request
	Limits  *integration.Limits // of one tenant
}
