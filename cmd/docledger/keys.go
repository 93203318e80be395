package main

import (
	"context"

	"docledger/cmd/service"

	"github.com/spf13/cobra"
)

func keysCommand() *cobra.Command {
	c := &cobra.Command{Use: "keys", Short: "Look after the keys that seal tokens"}
	c.AddCommand(&cobra.Command{
		Use: "rotate", Short: "Seal everything with the first of TOKEN_KEYS", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withService(c, func(ctx context.Context, s *service.Service) error {
				n, err := s.RotateTokenKeys(ctx)
				if err != nil {
					return err
				}
				return say(c, "%d consent(s) were sealed anew. Keys after the first one are no longer needed once no older process runs.", n)
			})
		},
	})
	return c
}
