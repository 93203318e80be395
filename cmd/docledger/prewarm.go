package main

import (
	"errors"
	"os"

	"docledger/adapter/extract/worker"
	"docledger/infrastructure/config"

	"github.com/spf13/cobra"
)

func prewarmCommand() *cobra.Command {
	return &cobra.Command{
		Use: "prewarm", Short: "Compile the PDF engine into COMPILE_CACHE_DIR", Args: cobra.NoArgs,
		Long: "Compiles the PDF engine into COMPILE_CACHE_DIR. This takes some seconds the first time on a machine, and the service then starts without this delay. It needs no other configuration.",
		RunE: func(c *cobra.Command, _ []string) error {
			pool := worker.New(worker.Config{Size: 1, CacheDir: config.CompileCache(os.LookupEnv)})
			return errors.Join(pool.Prewarm(c.Context()), pool.Close())
		},
	}
}
