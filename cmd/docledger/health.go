package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"docledger/infrastructure/config"

	"github.com/spf13/cobra"
)

// healthTimeout is shorter than the usual timeout of health checks.
const healthTimeout = 3 * time.Second

func healthCommand() *cobra.Command {
	var ready bool
	c := &cobra.Command{
		Use: "health", Short: "Check the health of the process on this machine", Args: cobra.NoArgs,
		Long: "Requests the health of the process at LISTEN, or at HEALTH_LISTEN if no process listens at LISTEN. The exit status is 1 unless the process is healthy. The command is for containers without other programs.",
		RunE: func(c *cobra.Command, _ []string) error {
			path := "/healthz"
			if ready {
				path = "/readyz"
			}
			return askHealth(c.Context(), path)
		},
	}
	c.Flags().BoolVar(&ready, "ready", false, "also check that it is ready, which requires its database")
	return c
}

// askHealth needs only the address from the configuration.
func askHealth(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	var errs []error
	for _, address := range config.Listening(os.LookupEnv) {
		err := get(ctx, config.LocalURL(address)+path)
		if err == nil {
			return nil
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func get(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // there is no proxy to this machine
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("no response: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s returns %s", url, response.Status)
	}
	return nil
}
