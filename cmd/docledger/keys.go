package main

import (
	"context"

	"docledger/cmd/service"

	"github.com/spf13/cobra"
)

func keysCommand() *cobra.Command {
	c := &cobra.Command{Use: "keys", Short: "Manage the keys that encrypt tokens"}
	c.AddCommand(&cobra.Command{
		Use: "rotate", Short: "Encrypt all tokens and secrets of webhooks with the first of TOKEN_KEYS", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withService(c, func(ctx context.Context, s *service.Service) error {
				n, err := s.RotateTokenKeys(ctx)
				if err != nil {
					return err
				}
				return say(c, "%d value(s) were encrypted again. Keys after the first one are no longer needed once no older process runs.", n)
			})
		},
	})
	return c
}
