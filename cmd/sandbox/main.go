// Command sandbox runs docledger on this machine alone: embedded database,
// local folder, a seeded organization with users and two entities, nothing to
// install or configure.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"docledger/adapter/email"
	"docledger/adapter/extract/worker"
	"docledger/cmd/service"
	"docledger/infrastructure/config"
	"docledger/infrastructure/logging"

	_ "time/tzdata" // time zones of settings, wherever the binary runs
)

const defaultPort = 8080

// emailWebhookSecret is the secret of inbound e-mail.
const emailWebhookSecret = "sandbox-inbound-email"

// options are the command's flags.
type options struct {
	port        int
	dataDir     string
	envFile     string
	environment string
	autoApprove bool
	empty       bool
	verbose     bool
}

// level is the least severe level of the log.
func (o options) level() slog.Level {
	if o.verbose {
		return slog.LevelInfo
	}
	return slog.LevelWarn
}

func main() {
	worker.ServeIfChild()
	var o options
	flag.IntVar(&o.port, "port", defaultPort, "port to listen on, on the loopback address; 0 for a free one")
	flag.StringVar(&o.dataDir, "data-dir", "", "folder of all state; empty for a temporary one that is removed at the end")
	flag.StringVar(&o.envFile, "env-file", "", "also write the KEY=value lines to this file, whole, once everything answers")
	flag.StringVar(&o.environment, "env", string(config.Local), "the environment to act: local or deployed")
	flag.BoolVar(&o.autoApprove, "auto-approve", false, "complete every page of the simulators at once, as a person would who agrees")
	flag.BoolVar(&o.empty, "empty", false, "start with local accounts and without users, without an identity provider and a payment processor")
	flag.BoolVar(&o.verbose, "verbose", false, "log every request")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sandbox:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	if flag.NArg() > 0 {
		return fmt.Errorf("takes flags only, not %q; see --help", flag.Arg(0))
	}
	if o.environment != string(config.Local) && o.environment != string(config.Deployed) {
		return errors.New("--env must be local or deployed")
	}
	if o.dataDir == "" {
		dir, err := os.MkdirTemp("", "docledger-sandbox-*")
		if err != nil {
			return fmt.Errorf("make a data folder: %w", err)
		}
		defer os.RemoveAll(dir)
		o.dataDir = dir
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.port)))
	if err != nil {
		return fmt.Errorf("%w; choose another port with --port, or --port 0 for a free one", err)
	}
	if o.empty {
		return runEmpty(ctx, o, l)
	}
	baseURL := "http://" + l.Addr().String()
	payments, err := startPayments(baseURL, o.autoApprove)
	if err != nil {
		return err
	}
	defer payments.Close()
	providers, err := startSimulators(o.autoApprove)
	if err != nil {
		return err
	}
	defer providers.Close()
	people, err := startIdentity(baseURL, config.Environment(o.environment).Rules(), o.autoApprove)
	if err != nil {
		return err
	}
	defer people.Close()
	cfg, err := configuration(o, baseURL, payments, providers, people)
	if err != nil {
		return err
	}
	s, err := service.Open(ctx, cfg, logging.New(os.Stderr, "text", o.level()), service.Overrides{Version: "sandbox", TestKeys: true, Resolver: email.NoNames{}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.ServeTools("sandbox", true); err != nil {
		return err
	}
	metricsAt, err := s.ListenMetrics("127.0.0.1:0")
	if err != nil {
		return err
	}
	emailAt, err := s.ListenEmail("127.0.0.1:0")
	if err != nil {
		return err
	}
	if err := payments.restore(ctx, s); err != nil {
		return err
	}
	if err := people.restore(ctx, s); err != nil {
		return err
	}
	seeded, err := seed(ctx, s)
	if err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan struct{})
	var runErr error
	go func() {
		defer close(ended)
		runErr = s.Run(ctx, l, true)
	}()
	at := addresses{
		base: baseURL, payments: payments.url, providers: providers,
		identity: people, metrics: "http://" + metricsAt.String() + "/metrics", email: "smtp://" + emailAt.String(),
	}
	if err := announce(ctx, at, o.envFile, seeded, ended); err != nil {
		cancel()
		<-ended
		return errors.Join(err, runErr)
	}
	<-ended
	return runErr
}

// configuration is what the environment would say.
func configuration(o options, baseURL string, p *payments, providers *simulators, people *identityProvider) (config.Config, error) {
	further := people.settings()
	maps.Copy(further, map[string]string{
		"BILLING": "stripe", "PAYMENT_SECRET_KEY": paymentSecretKey, "PAYMENT_SIGNING_SECRETS": paymentSigningSecret,
		"PAYMENT_URL": p.url, "PAYMENT_PRODUCTS": p.product,
		// A hash of the known password needs no high cost, which would delay the start.
		"PASSWORD_MEMORY_KIB": "8192",
	})
	return configured(o, baseURL, providers, further)
}

// configured adds to the further variables what every sandbox has.
func configured(o options, baseURL string, providers *simulators, further map[string]string) (config.Config, error) {
	values := map[string]string{
		"DOCLEDGER_ENV": o.environment, "WEBHOOK_LOOPBACK": "on", "BASE_URL": baseURL, "DATA_DIR": o.dataDir,
		"NOTIFICATIONS_URL": baseURL, "REDIRECT_ORIGINS": baseURL + ",http://localhost:*,http://127.0.0.1:*", "CORS_ALLOWED_ORIGINS": "http://localhost:*,http://127.0.0.1:*", "SHUTDOWN_TIMEOUT": (5 * time.Second).String(), "SHUTDOWN_DELAY": "1ms",
		// Everybody here is at one address, and may be a test that signs in and asks often.
		"SIGN_IN_TRIES_PER_ADDRESS": "100000", "REQUESTS_PER_CREDENTIAL": "1000000", "REQUESTS_PER_ORGANIZATION": "1000000",
		"REQUESTS_PER_ADDRESS": "1000000", "REQUESTS_AT_ONCE": "1000",
	}
	maps.Copy(values, map[string]string{"EMAIL_DOMAIN": "in.example.com", "EMAIL_LISTEN": "127.0.0.1:0", "EMAIL_WEBHOOK_SECRET": emailWebhookSecret})
	maps.Copy(values, providers.environment())
	values["NOTIFICATIONS_URL"] = baseURL
	maps.Copy(values, further)
	return service.ConfiguredSimulated(func(name string) (string, bool) { v, ok := values[name]; return v, ok })
}

// writeWhole writes a file so that a reader sees all of it or none.
func writeWhole(path string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".sandbox-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(data)
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
