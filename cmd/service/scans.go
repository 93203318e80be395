package service

import (
	"context"
	"errors"
	"fmt"

	"docledger/adapter/extract"
	"docledger/adapter/extract/ocr/install"
	"docledger/adapter/extract/worker"
	"docledger/infrastructure/config"
)

// OCRDir is the folder of the library and models of text recognition.
func OCRDir(o config.OCR) string {
	if o.Dir != "" {
		return o.Dir
	}
	return install.DefaultDir()
}

// ScansOf returns how this configuration reads scans; nil if text recognition is off or missing.
func ScansOf(o config.OCR) *extract.OCR {
	if !o.On {
		return nil
	}
	return &extract.OCR{Program: install.Program(OCRDir(o)), Dir: OCRDir(o), Processes: o.Processes}
}

// tellOfScans logs at the start of a worker why it would refuse scans.
func (s *Service) tellOfScans() {
	o := ScansOf(s.cfg.OCR)
	if o == nil || s.pipeline == nil {
		return
	}
	if missing := install.Missing(o.Program, o.Dir); missing != "" {
		s.log.Warn("scans and photos are refused: text recognition is not installed", "missing", missing, "remedy", "docledger ocr install")
	}
}

// checkScans starts the engine of text recognition once.
func checkScans(ctx context.Context, cfg config.Config) Finding {
	f := Finding{Subject: "reading of scans"}
	if !cfg.OCR.On {
		f.OK = "off (OCR=off)"
		return f
	}
	o := ScansOf(cfg.OCR)
	if missing := install.Missing(o.Program, o.Dir); missing != "" {
		f.Warning = fmt.Sprintf("not installed: there is no %s; scans and photos are refused with no_text_layer", missing)
		f.Remedy = "run docledger ocr install, or set OCR=off"
		return f
	}
	pool := worker.NewRecognizing(o.Program, o.Dir, 1)
	f.OK = "ready, " + o.Dir
	f.Err = errors.Join(pool.StartEngine(ctx), pool.Close())
	f.Remedy = "run docledger ocr install again; the library needs glibc 2.28 or newer and libstdc++"
	return f
}
