// Command docledger ingests documents, extracts their data and serves both over HTTP.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"docledger/adapter/extract/worker"
	"docledger/domain/fault"
	"docledger/infrastructure/notices"

	_ "time/tzdata" // the binary includes time zones for settings

	"github.com/spf13/cobra"
)

// version is set at build time.
var version = "dev"

func main() {
	worker.ServeIfChild()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the process immediately.
	context.AfterFunc(ctx, stop)
	err := root().ExecuteContext(ctx)
	stop()
	if err == nil {
		return
	}
	if !errors.Is(err, errSilent) {
		fmt.Fprintln(os.Stderr, "docledger:", explain(err))
	}
	os.Exit(1)
}

// errSilent ends a command that has already printed its error.
var errSilent = errors.New("already reported")

// explain returns only the message of a fault.
func explain(err error) string {
	if f, ok := fault.As(err); ok {
		return f.Message
	}
	return err.Error()
}

func root() *cobra.Command {
	c := &cobra.Command{
		Use:           "docledger",
		Short:         "Documents in, ledger out",
		Long:          "docledger ingests business documents, extracts their data and serves both over HTTP.\nIts configuration comes from environment variables; see docs/configuration.md.",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	c.AddCommand(serveCommand(), migrateCommand(), extractCommand(), validateCommand(), organizationCommand(), userCommand(), billingCommand(), eventsCommand(), jobsCommand(), keysCommand(), doctorCommand(), healthCommand(), backupCommand(), resumeCommand(), dumpCommand(), loadCommand(), prewarmCommand(), ocrCommand(), licensesCommand(), versionCommand())
	c.InitDefaultCompletionCmd() // the library adds it later otherwise
	refuseUnknown(c)
	return c
}

// refuseUnknown makes the commands below c that have commands refuse unknown ones. The library
// prints their help and reports success.
func refuseUnknown(c *cobra.Command) {
	for _, group := range c.Commands() {
		if group.HasSubCommands() && !group.Runnable() {
			group.Args = cobra.NoArgs // an unknown command is an argument
			group.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
		refuseUnknown(group)
	}
}

func licensesCommand() *cobra.Command {
	return &cobra.Command{
		Use: "licenses", Short: "Print the licences of the third-party software in this program", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return notices.Write(c.OutOrStdout()) },
	}
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), version)
			return err
		},
	}
}
