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
	c := &cobra.Command{Use: "ocr", Short: "Manage text recognition for scans and photos"}
	c.AddCommand(ocrInstallCommand())
	return c
}

func ocrInstallCommand() *cobra.Command {
	var dir string
	var ifMissing bool
	c := &cobra.Command{
		Use: "install [FILE...]", Short: "Install text recognition, from wheels or with pip",
		Long: "Installs the library of ONNX Runtime and the models of PP-OCR into OCR_DIR.\n" +
			"FILE are the wheels of rapidocr and onnxruntime; their SHA-256 is verified. Without FILE, pip downloads them if it is installed.\n" +
			"A running service then processes scans without a restart.",
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
				defer os.RemoveAll(temporary) //nolint:errcheck // no longer needed
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
	c.Flags().StringVar(&dir, "dir", "", "target folder; default: OCR_DIR, or the folder ocr next to the program")
	c.Flags().BoolVar(&ifMissing, "if-missing", false, "do nothing if it is installed")
	return c
}

// byHand explains how to get the files if this machine cannot fetch them.
func byHand(err error) error {
	path := filepath.Join(os.TempDir(), "requirements.txt")
	if written := os.WriteFile(path, []byte(install.Requirements()), 0o644); written != nil {
		return errors.Join(err, written)
	}
	return fmt.Errorf("text recognition cannot be downloaded: %w\nOn a machine with pip and a network, with the file %s, run\n  %s\nand give the files to docledger ocr install FILE", err, path, install.Command())
}
