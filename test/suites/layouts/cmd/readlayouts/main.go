// Command readlayouts extracts printed documents with known values in one process and
// prints the number of correct values. It stores the words of each PDF in a cache
// folder, so that a change of the rules is measured within seconds.
//
//	go run ./test/suites/layouts/cmd/readlayouts [-half made-on|left-out|all] [-wrong] [-only REGEX] [-folds DIR] DIR
//	go run ./test/suites/layouts/cmd/readlayouts -features FILE DIR
//
// For the left-out layouts it prints only their share in the sums. -wrong and -only
// apply to the layouts that are used for the development of rules.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdftext"
	"docledger/adapter/extract/worker"
	"docledger/domain/entity"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
	"docledger/domain/review"
	"docledger/test/suites/layouts/known"

	"github.com/google/uuid"
)

type outcome struct {
	record  known.Record
	invoice *invoice.Invoice
	err     error
	took    time.Duration
}

func main() {
	worker.ServeIfChild()
	half := flag.String("half", "made-on", "made-on, left-out or all; only the layouts have halves")
	wrong := flag.Bool("wrong", false, "list each wrong or missing value")
	alarms := flag.Bool("alarms", false, "list the failed blocking checks")
	only := flag.String("only", "", "regular expression on the file name")
	cache := flag.String("cache", filepath.Join(os.TempDir(), "docledger-layouts"), "cache folder for the words of PDFs")
	features := flag.String("features", "", "write the candidates of each field, for training, to this file; DIR contains the files of -training")
	training := flag.String("training", "test/suites/layouts/training.txt", "list of the files for -features")
	used := flag.String("models", "", "folder of models for -features, instead of those of the program")
	documents := flag.Int("generated", 200, "add this many generated documents to -features")
	varied := flag.Int("varied", 1200, "add this many generated documents with layouts of their own to -features")
	models := flag.String("folds", "", "folder of train.py --folds: extract each layout with models that did not see it")
	print := flag.Bool("print", false, "print the analysis of each page")
	flag.Parse()
	dir := flag.Arg(0)
	if *features != "" {
		if *used != "" {
			if err := pdftext.UseModels(os.DirFS(*used)); err != nil {
				log.Fatal(err)
			}
		}
		if err := writeTraining(*features, *training, dir, *cache, *documents, *varied); err != nil {
			log.Fatal(err)
		}
		return
	}
	records, err := known.Load(dir)
	if err != nil {
		log.Fatal(err)
	}
	pattern := regexp.MustCompile(*only)
	hidden := false
	records = slices.DeleteFunc(records, func(r known.Record) bool {
		out := strings.HasPrefix(r.Category, "layout/") && known.LeftOut(r.Category)
		switch {
		case *half == "made-on" && out, *half == "left-out" && !out:
			return true
		}
		hidden = hidden || out
		return r.Type != "application/pdf" || !pattern.MatchString(r.File)
	})
	if hidden && (*only != "" || *wrong || *print || *alarms) && os.Getenv("OPEN_LEFT_OUT") == "" {
		log.Fatal("documents of left-out layouts are not shown")
	}
	pages, err := words(dir, *cache, records)
	if err != nil {
		log.Fatal(err)
	}
	if *print {
		for i := range records {
			fmt.Println("=====", records[i].File)
			fmt.Print(pdftext.Explain(pages[i]))
		}
	}
	started := time.Now()
	outcomes, err := readAll(records, pages, *models)
	if err != nil {
		log.Fatal(err)
	}
	took := time.Since(started)
	s := newScore()
	for _, o := range outcomes {
		s.add(o)
	}
	s.print(*wrong, *alarms)
	fmt.Printf("extracted %d documents in %s\n", len(records), took.Round(time.Millisecond))
}

// readAll extracts all documents, with the models of their folds if there is a folder
// of them.
func readAll(records []known.Record, pages [][]layout.Page, models string) ([]outcome, error) {
	outcomes := make([]outcome, len(records))
	for fold := range known.Folds {
		if models != "" {
			if err := pdftext.UseModels(os.DirFS(filepath.Join(models, fmt.Sprint("fold", fold)))); err != nil {
				return nil, err
			}
		}
		var group sync.WaitGroup
		turns := make(chan struct{}, runtime.NumCPU())
		for i := range records {
			if known.FoldOf(records[i].Category) != fold {
				continue
			}
			group.Go(func() {
				turns <- struct{}{}
				defer func() { <-turns }()
				outcomes[i] = read(records[i], pages[i])
			})
		}
		group.Wait()
	}
	return outcomes, nil
}

// words returns the pages of each document, from the cache if they are in it.
func words(dir, cache string, records []known.Record) ([][]layout.Page, error) {
	out := make([][]layout.Page, len(records))
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, err
	}
	var pool *worker.Pool
	for i, r := range records {
		path := filepath.Join(dir, r.File)
		sum := sha256.Sum256([]byte(path))
		cached := filepath.Join(cache, hex.EncodeToString(sum[:8])+".json")
		if raw, err := os.ReadFile(cached); err == nil {
			if err := json.Unmarshal(raw, &out[i]); err != nil {
				return nil, err
			}
			continue
		}
		if pool == nil {
			pool = worker.New(worker.Config{})
			defer pool.Close()
		}
		pages, err := pool.Text(context.Background(), path, worker.TextOptions{Pages: 300, Words: 100_000})
		if err != nil {
			fmt.Fprintln(os.Stderr, r.File, err)
		}
		out[i] = pages
		raw, err := json.Marshal(pages)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(cached, raw, 0o600); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func read(r known.Record, pages []layout.Page) outcome {
	o := outcome{record: r}
	started := time.Now()
	draft, err := pdftext.Read(pages, pdftext.Options{})
	o.took = time.Since(started)
	if err != nil {
		o.err = err
		return o
	}
	o.invoice = &invoice.Invoice{Status: invoice.Extracted, Content: draft.Content, Fields: draft.Fields}
	settings := entity.DefaultSettings(uuid.Nil, uuid.Nil)
	review.Evaluate(o.invoice, &entity.Entity{}, &settings, draft.Checks, time.Now(), 1)
	return o
}

func kind(err error) string {
	var failure *extraction.Failure
	if errors.As(err, &failure) {
		return failure.Code()
	}
	return "error"
}

type counts struct{ right, empty, wrong, missing int }

type score struct {
	fields                          map[string]*counts
	byCategory                      map[string]*[4]int
	bands                           map[float64]*[2]int
	documents, exact, passed, clean int
	refused, due                    int
	sureWrong, stated               int
	notes, alarms                   []string
	kinds                           map[string]int
	failed                          map[string]int
	sureBy                          map[string]int // sure and wrong values by field
	doubts                          map[string]*doubt
	slowest                         time.Duration
	slow                            string
}

func newScore() *score {
	return &score{fields: map[string]*counts{}, byCategory: map[string]*[4]int{}, bands: map[float64]*[2]int{}, kinds: map[string]int{}, failed: map[string]int{}, sureBy: map[string]int{}, doubts: map[string]*doubt{}}
}

func (s *score) add(o outcome) {
	if o.took > s.slowest {
		s.slowest, s.slow = o.took, o.record.File
	}
	if o.record.Outcome != "extract" {
		s.due++
		if o.err != nil {
			s.refused++
			s.kinds[kind(o.err)]++
			s.notes = append(s.notes, fmt.Sprintf("%s | refused as %s", o.record.File, kind(o.err)))
		} else {
			s.notes = append(s.notes, fmt.Sprintf("%s | not refused", o.record.File))
		}
		return
	}
	s.documents++
	if o.err != nil {
		s.notes = append(s.notes, fmt.Sprintf("%s | refused: %v", o.record.File, o.err))
	}
	claims := o.invoice != nil && o.invoice.Status == invoice.Extracted
	if o.invoice != nil {
		seen := map[string]bool{}
		for _, c := range o.invoice.Checks {
			if !c.Passed && c.Severity == invoice.Blocking {
				s.alarms = append(s.alarms, fmt.Sprintf("%s | %s %s expected %s found %s", o.record.File, c.Rule, c.Path, c.Expected, c.Found))
				seen[c.Rule+" "+c.Path] = true
			}
		}
		for k := range seen {
			s.failed[k]++
		}
	}
	s.addDoubts(o)
	row := s.byCategory[o.record.Category]
	if row == nil {
		row = &[4]int{}
		s.byCategory[o.record.Category] = row
	}
	good, all := 0, 0
	for _, v := range verdicts(o) {
		c := s.fields[v.field]
		if c == nil {
			c = &counts{}
			s.fields[v.field] = c
		}
		all++
		switch v.verdict {
		case "right":
			c.right++
			good++
		case "empty":
			c.empty++
			good++
		case "wrong":
			c.wrong++
		case "missing":
			c.missing++
		}
		if v.verdict == "wrong" || v.verdict == "missing" {
			s.notes = append(s.notes, fmt.Sprintf("%s | %s | want %v | got %q | %.2f", o.record.File, v.field, o.record.Expected[v.field], v.got, v.confidence))
		}
		if v.got != "" && v.evidence {
			b := 0.0
			for _, floor := range []float64{0.9, 0.8, 0.6} {
				if v.confidence >= floor {
					b = floor
					break
				}
			}
			if s.bands[b] == nil {
				s.bands[b] = &[2]int{}
			}
			s.bands[b][1]++
			if v.verdict == "right" {
				s.bands[b][0]++
			}
		}
		if claims && v.got != "" {
			s.stated++
			if v.verdict == "wrong" && v.evidence && v.confidence >= 0.8 {
				s.sureWrong++
				s.sureBy[v.field]++
				s.notes = append(s.notes, fmt.Sprintf("SURE AND WRONG %s | %s | want %v | got %q | %.2f", o.record.File, v.field, o.record.Expected[v.field], v.got, v.confidence))
			}
		}
	}
	row[1]++
	row[2] += good
	row[3] += all
	if claims {
		s.passed++
	}
	if good == all {
		s.exact++
		row[0]++
		if claims {
			s.clean++
		}
	}
}

func (s *score) print(wrong, alarms bool) {
	if wrong {
		for _, n := range s.notes {
			fmt.Println(n)
		}
	}
	if alarms {
		for _, n := range s.alarms {
			fmt.Println(n)
		}
		for _, c := range slices.Sorted(maps.Keys(s.byCategory)) {
			fmt.Println(c, *s.byCategory[c])
		}
	}
	right, all := 0, 0
	for _, f := range known.FieldNames {
		c := s.fields[f]
		if c == nil {
			continue
		}
		fmt.Printf("  %-16s right %4d  empty %3d  wrong %3d  missing %3d\n", f, c.right, c.empty, c.wrong, c.missing)
		right += c.right + c.empty
		all += c.right + c.empty + c.wrong + c.missing
	}
	for _, b := range []float64{0.9, 0.8, 0.6, 0} {
		if v := s.bands[b]; v != nil {
			fmt.Printf("  confidence >= %.1f values %5d right %.4f\n", b, v[1], float64(v[0])/float64(v[1]))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(s.failed)) {
		if s.failed[k] > 2 {
			fmt.Printf("  blocking %s: %d\n", k, s.failed[k])
		}
	}
	fmt.Printf("exact %d/%d fields %d/%d = %.2f %%  refused %d/%d %v  EXTRACTED %d = %.1f %%, of these exact %d  sure and wrong %d/%d\n",
		s.exact, s.documents, right, all, 100*float64(right)/float64(max(all, 1)), s.refused, s.due, s.kinds, s.passed, 100*float64(s.passed)/float64(max(s.documents, 1)), s.clean, s.sureWrong, s.stated)
	fmt.Printf("sure and wrong by field %v\n", s.sureBy)
	for _, f := range slices.Sorted(maps.Keys(s.doubts)) {
		d := s.doubts[f]
		fmt.Printf("  doubted %-16s right %3d  wrong %3d  the only reason for a review of a correct value %d\n", f, d.right, d.wrong, d.alone)
	}
	fmt.Printf("slowest %s\n", s.slowest.Round(time.Microsecond))
}
