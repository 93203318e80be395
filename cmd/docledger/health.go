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

// healthTimeout is shorter than what supervisors allow a check.
const healthTimeout = 3 * time.Second

func healthCommand() *cobra.Command {
	var ready bool
	c := &cobra.Command{
		Use: "health", Short: "Ask the process on this machine how it is", Args: cobra.NoArgs,
		Long: "Asks the process that listens on LISTEN, or on HEALTH_LISTEN where that is set and nothing listens there, and ends with 1 unless it answers well. It is made for containers, which have no other program.",
		RunE: func(c *cobra.Command, _ []string) error {
			path := "/healthz"
			if ready {
				path = "/readyz"
			}
			return askHealth(c.Context(), path)
		},
	}
	c.Flags().BoolVar(&ready, "ready", false, "also ask whether it can work, which it can't without its database")
	return c
}

// askHealth needs none of the configuration but where to ask.
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
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // no proxy stands before this machine
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("nothing answers: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, response.Status)
	}
	return nil
}
