package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"

	"docledger/cmd/service"
	"docledger/domain/identity"
	"docledger/infrastructure/config"
	"docledger/usecase/organizations"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// withService runs an administration command on the configured database, which must exist.
func withService(c *cobra.Command, do func(context.Context, *service.Service) error) error {
	cfg, err := configuredDatabase()
	if err != nil {
		return err
	}
	return openService(c, cfg, do)
}

// withNewService runs an administration command that can be the first of an installation.
func withNewService(c *cobra.Command, do func(context.Context, *service.Service) error) error {
	cfg, err := service.Configured()
	if err != nil {
		return err
	}
	return openService(c, cfg, do)
}

// configuredDatabase returns the configuration of a database that exists.
func configuredDatabase() (config.Config, error) {
	cfg, err := service.Configured()
	if err != nil {
		return cfg, err
	}
	return cfg, service.RequireDatabase(cfg)
}

func openService(c *cobra.Command, cfg config.Config, do func(context.Context, *service.Service) error) error {
	log := slog.New(slog.NewTextHandler(c.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	s, err := service.Open(c.Context(), cfg, log, service.Overrides{})
	if err != nil {
		return err
	}
	defer s.Close()
	return do(c.Context(), s)
}

func migrateCommand() *cobra.Command {
	return &cobra.Command{
		Use: "migrate", Short: "Migrate the database to the schema of this release", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := service.Configured()
			if err != nil {
				return err
			}
			if err := service.Migrate(c.Context(), cfg); err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), "The schema is up to date.")
			return err
		},
	}
}

func organizationCommand() *cobra.Command {
	c := &cobra.Command{Use: "organization", Short: "Create, list, export and erase organizations, and report on them"}
	c.AddCommand(&cobra.Command{
		Use: "create NAME", Short: "Create an organization and print its id", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return withNewService(c, func(ctx context.Context, s *service.Service) error {
				o, err := s.Organizations.Create(ctx, args[0])
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(c.OutOrStdout(), o.ID)
				return err
			})
		},
	}, &cobra.Command{
		Use: "list", Short: "List organizations, oldest first", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return withService(c, func(ctx context.Context, s *service.Service) error {
				all, err := s.Organizations.List(ctx)
				if err != nil {
					return err
				}
				w := tabwriter.NewWriter(c.OutOrStdout(), 0, 4, 2, ' ', 0)
				fmt.Fprintln(w, "ID\tNAME\tCREATED")
				for _, o := range all {
					fmt.Fprintf(w, "%s\t%s\t%s\n", o.ID, cell(o.Name), o.CreatedAt.Format(time.RFC3339))
				}
				return w.Flush()
			})
		},
	}, reportCommand(), exportCommand(), eraseCommand())
	return c
}

func userCommand() *cobra.Command {
	c := &cobra.Command{Use: "user", Short: "Manage local accounts"}
	c.AddCommand(userAddCommand(), userInviteCommand(), userRoleCommand(), userRemoveCommand(), userEraseCommand(), userPasswordCommand(),
		userDisableCommand("disable", "Lock an account and end its sessions", true),
		userDisableCommand("enable", "Unlock an account", false))
	return c
}

// membershipFlags are the flags of the commands that assign a role.
type membershipFlags struct {
	organization string
	admin        bool
}

func (f *membershipFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.organization, "organization", "", "id of the organization")
	c.Flags().BoolVar(&f.admin, "admin", false, "add as an administrator instead of as a member")
}

func (f *membershipFlags) role() identity.Role {
	if f.admin {
		return identity.RoleAdmin
	}
	return identity.RoleMember
}

func (f *membershipFlags) id() (uuid.UUID, error) {
	id, err := uuid.Parse(f.organization)
	if err != nil {
		return id, errors.New("--organization must be an id from `docledger organization list`")
	}
	return id, nil
}

func userAddCommand() *cobra.Command {
	var f membershipFlags
	var name, newOrganization string
	var fromStdin bool
	c := &cobra.Command{
		Use: "add EMAIL", Short: "Add an account", Args: cobra.ExactArgs(1),
		Long: "Adds an account. With --password-stdin, the password is read from standard input. Otherwise a password is generated and printed once.",
		RunE: func(c *cobra.Command, args []string) error {
			with := withService
			if newOrganization != "" {
				with = withNewService
			}
			return with(c, func(ctx context.Context, s *service.Service) error {
				password, made, err := password(c.InOrStdin(), fromStdin)
				if err != nil {
					return err
				}
				var id uuid.UUID
				if newOrganization == "" {
					if id, err = f.id(); err != nil {
						return err
					}
				}
				_, id, err = s.Organizations.AddUser(ctx, organizations.AddUserInput{
					Email: args[0], Name: name, Password: password, OrganizationID: id, NewOrganization: newOrganization, Role: f.role(),
				})
				if err != nil {
					return err
				}
				if newOrganization != "" {
					fmt.Fprintln(c.OutOrStdout(), "organization:", id)
				}
				if made {
					fmt.Fprintln(c.OutOrStdout(), "password:", password)
				}
				return say(c, "%s can sign in.", args[0])
			})
		},
	}
	f.add(c)
	c.Flags().StringVar(&name, "name", "", "the name of the user")
	c.Flags().StringVar(&newOrganization, "new-organization", "", "create an organization with this name for the account")
	c.Flags().BoolVar(&fromStdin, "password-stdin", false, "read the password from standard input")
	c.MarkFlagsOneRequired("organization", "new-organization")
	c.MarkFlagsMutuallyExclusive("organization", "new-organization")
	return c
}

// password reads a line, or generates a password with 120 random bits.
func password(r io.Reader, fromStdin bool) (text string, made bool, err error) {
	if fromStdin {
		line, err := bufio.NewReader(r).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", false, fmt.Errorf("read password: %w", err)
		}
		return strings.TrimRight(line, "\r\n"), false, nil
	}
	random := make([]byte, 15)
	if _, err := rand.Read(random); err != nil {
		return "", false, fmt.Errorf("generate password: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(random), true, nil
}

func userInviteCommand() *cobra.Command {
	var f membershipFlags
	c := &cobra.Command{
		Use: "invite EMAIL", Short: "Add an existing account to another organization", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return withService(c, func(ctx context.Context, s *service.Service) error {
				id, err := f.id()
				if err != nil {
					return err
				}
				if err := s.Organizations.Invite(ctx, args[0], id, f.role()); err != nil {
					return err
				}
				return say(c, "%s is now a member with the role %s.", args[0], f.role())
			})
		},
	}
	f.add(c)
	return c
}

func userRoleCommand() *cobra.Command {
	var organization, role string
	c := &cobra.Command{
		Use: "role EMAIL", Short: "Change a member's role in an organization", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return withService(c, func(ctx context.Context, s *service.Service) error {
				f := membershipFlags{organization: organization}
				id, err := f.id()
				if err != nil {
					return err
				}
				if err := s.Organizations.SetRole(ctx, args[0], id, identity.Role(role)); err != nil {
					return err
				}
				return say(c, "%s has the role %s from the next request on.", args[0], role)
			})
		},
	}
	c.Flags().StringVar(&organization, "organization", "", "id of the organization")
	c.Flags().StringVar(&role, "role", "", "admin or member")
	cobra.CheckErr(errors.Join(c.MarkFlagRequired("organization"), c.MarkFlagRequired("role")))
	return c
}

func userRemoveCommand() *cobra.Command {
	var f membershipFlags
	c := &cobra.Command{
		Use: "remove EMAIL", Short: "Remove a member from an organization and end the member's sessions there", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return withService(c, func(ctx context.Context, s *service.Service) error {
				id, err := f.id()
				if err != nil {
					return err
				}
				if err := s.Organizations.Remove(ctx, args[0], id); err != nil {
					return err
				}
				return say(c, "%s is no longer a member, and their sessions there have ended.", args[0])
			})
		},
	}
	c.Flags().StringVar(&f.organization, "organization", "", "id of the organization")
	cobra.CheckErr(c.MarkFlagRequired("organization"))
	return c
}

// say prints the result for the operator.
func say(c *cobra.Command, format string, args ...any) error {
	_, err := fmt.Fprintf(c.OutOrStdout(), format+"\n", args...)
	return err
}

func userPasswordCommand() *cobra.Command {
	var fromStdin bool
	c := &cobra.Command{
		Use: "password EMAIL", Short: "Set a new password and end the account's sessions", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return withService(c, func(ctx context.Context, s *service.Service) error {
				text, made, err := password(c.InOrStdin(), fromStdin)
				if err != nil {
					return err
				}
				if err := s.Organizations.SetPassword(ctx, args[0], text); err != nil {
					return err
				}
				if made {
					fmt.Fprintln(c.OutOrStdout(), "password:", text)
				}
				return say(c, "The password of %s is set, and their sessions have ended.", args[0])
			})
		},
	}
	c.Flags().BoolVar(&fromStdin, "password-stdin", false, "read the password from standard input")
	return c
}

func userDisableCommand(use, short string, disabled bool) *cobra.Command {
	return &cobra.Command{
		Use: use + " EMAIL", Short: short, Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return withService(c, func(ctx context.Context, s *service.Service) error {
				if err := s.Organizations.SetDisabled(ctx, args[0], disabled); err != nil {
					return err
				}
				if disabled {
					return say(c, "%s is locked, and their sessions have ended.", args[0])
				}
				return say(c, "%s can sign in again.", args[0])
			})
		},
	}
}
