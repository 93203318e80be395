package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"docledger/cmd/service"

	"github.com/spf13/cobra"
)

func dumpCommand() *cobra.Command {
	o := service.DumpOptions{Release: version}
	c := &cobra.Command{
		Use: "dump FILE", Short: "Write the whole installation to FILE for a load elsewhere", Args: cobra.ExactArgs(1),
		Long: "Writes every row and every file of the installation to FILE, a tar archive, while it is in use. The dump is a consistent snapshot. " +
			"`docledger load` loads it into another installation, with either database and either store of documents. " +
			"The dump does not contain the keys. See docs/runbook.md.",
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := configuredDatabase()
			if err != nil {
				return err
			}
			o.File, o.Progress = args[0], progress(c.ErrOrStderr())
			sums, err := service.Dump(c.Context(), cfg, o)
			if err != nil {
				return err
			}
			if err := printSums(c.OutOrStdout(), sums); err != nil {
				return err
			}
			return say(c, "Written to "+o.File+". It contains password hashes and encrypted tokens: keep it secret. "+
				"It does not contain the keys of the tokens: transfer TOKEN_KEYS and JWT_SIGNING_KEYS, or DATA_DIR/keys, separately.")
		},
	}
	c.Flags().BoolVar(&o.LeaveOutLost, "leave-out-lost", false, "skip missing or damaged files")
	return c
}

func loadCommand() *cobra.Command {
	return &cobra.Command{
		Use: "load FILE", Short: "Load a dump into an empty installation", Args: cobra.ExactArgs(1),
		Long: "Loads a dump of `docledger dump` into the configured installation, which must be empty. The whole dump is verified first. " +
			"Either all rows are loaded and verified, or none.",
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := service.Configured()
			if err != nil {
				return err
			}
			sums, err := service.Load(c.Context(), cfg, args[0], progress(c.ErrOrStderr()))
			if err != nil {
				return err
			}
			if err := printSums(c.OutOrStdout(), sums); err != nil {
				return err
			}
			return say(c, "The dump is loaded, and its counts and checksums match. Install the keys, run `docledger doctor --deep`, "+
				"and do not start the source again.")
		},
	}
}

// progressEvery is the interval of progress messages.
const progressEvery = 2 * time.Second

// progress prints the progress of a command to w.
func progress(w io.Writer) service.Progress {
	said := time.Now()
	return func(what string, done int64) {
		if time.Since(said) < progressEvery {
			return
		}
		said = time.Now()
		fmt.Fprintf(w, "%s: %d\n", what, done)
	}
}

// shownSum is the number of checksum characters in a table. The dump contains
// complete checksums.
const shownSum = 16

func printSums(out io.Writer, sums service.Sums) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "WHAT\tCOUNT\tCHECKSUM")
	for _, t := range sums.Tables {
		fmt.Fprintf(w, "%s\t%d\t%s\n", t.Table, t.Rows, t.SHA256[:shownSum])
	}
	f := sums.Files
	fmt.Fprintf(w, "files\t%d\t%s\n", f.Files, f.SHA256[:shownSum])
	fmt.Fprintf(w, "bytes of files\t%d\t\n", f.Bytes)
	if f.Lost > 0 {
		fmt.Fprintf(w, "files left out\t%d\t\n", f.Lost)
	}
	return w.Flush()
}
