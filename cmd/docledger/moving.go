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
		Use: "dump FILE", Short: "Write the whole installation to FILE, to load it elsewhere", Args: cobra.ExactArgs(1),
		Long: "Writes every row and every file of the installation to FILE, a tar, as they stand at one moment, while it is used. " +
			"`docledger load` fills another installation with it, on either database and either store of documents. " +
			"The keys are not in it. See docs/runbook.md.",
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := service.Configured()
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
			return say(c, "Written to "+o.File+". It holds passwords' hashes and sealed tokens: keep it to yourself. "+
				"The keys that open the tokens are not in it: take TOKEN_KEYS and JWT_SIGNING_KEYS, or DATA_DIR/keys, by another way.")
		},
	}
	c.Flags().BoolVar(&o.LeaveOutLost, "leave-out-lost", false, "go on without files that are missing or damaged")
	return c
}

func loadCommand() *cobra.Command {
	return &cobra.Command{
		Use: "load FILE", Short: "Fill an empty installation with a dump", Args: cobra.ExactArgs(1),
		Long: "Fills the configured installation, which must be empty, with what `docledger dump` wrote. The whole dump is verified first. " +
			"Either all rows are taken, and read back alike, or none.",
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
			return say(c, "Loaded; counts and checksums are those of the dump. Put the keys in place, run `docledger doctor --deep`, "+
				"and start no process of the source again.")
		},
	}
}

// progressEvery is how often a long command says how far it is.
const progressEvery = 2 * time.Second

// progress says on w how far a command is.
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

// shownSum is how much of a checksum a table shows; the dump has them whole.
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
