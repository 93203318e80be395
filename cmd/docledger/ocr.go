package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"docledger/adapter/extract/ocr/install"
	"docledger/cmd/service"
	"docledger/infrastructure/config"

	"github.com/spf13/cobra"
)

func ocrCommand() *cobra.Command {
	c := &cobra.Command{Use: "ocr", Short: "The reading of scans and photos"}
	c.AddCommand(ocrInstallCommand())
	return c
}

func ocrInstallCommand() *cobra.Command {
	var dir string
	var ifMissing bool
	c := &cobra.Command{
		Use: "install [FILE...]", Short: "Install what reads scans, from wheels or with pip",
		Long: "Installs the library of ONNX Runtime and the models of PP-OCR into OCR_DIR.\n" +
			"FILE are the wheels of rapidocr and onnxruntime; their sha256 is checked. Without FILE, pip downloads them where it is installed.\n" +
			"A service that runs reads scans from then on.",
		RunE: func(c *cobra.Command, files []string) error {
			if dir == "" {
				o, err := config.ReadOCR(os.LookupEnv)
				if err != nil {
					return err
				}
				dir = service.OCRDir(o)
			}
			if ifMissing && install.Missing(install.Program(dir), dir) == "" {
				return nil
			}
			if len(files) == 0 {
				temporary, err := os.MkdirTemp("", "docledger-ocr-*")
				if err != nil {
					return err
				}
				defer os.RemoveAll(temporary) //nolint:errcheck // nobody reads it any more
				if files, err = install.Fetch(c.Context(), temporary); err != nil {
					return byHand(err)
				}
			}
			if err := install.Install(dir, files); err != nil {
				return err
			}
			_, err := fmt.Fprintln(c.OutOrStdout(), "text recognition is installed in", dir)
			return err
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "folder to install into; default: OCR_DIR, else ocr beside the program")
	c.Flags().BoolVar(&ifMissing, "if-missing", false, "do nothing where it is installed")
	return c
}

// byHand says how to get the files where this machine cannot fetch them.
func byHand(err error) error {
	path := filepath.Join(os.TempDir(), "requirements.txt")
	if written := os.WriteFile(path, []byte(install.Requirements()), 0o644); written != nil {
		return errors.Join(err, written)
	}
	return fmt.Errorf("text recognition can't be fetched: %w\nOn a machine with pip and a network, with the file %s, run\n  %s\nand give the files to docledger ocr install FILE", err, path, install.Command())
}
