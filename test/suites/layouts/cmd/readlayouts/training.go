package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"docledger/test/lib/generator"
	"docledger/test/suites/layouts/known"
)

// trainingFile is a document that the models are trained with.
type trainingFile struct{ sum, set, file string }

// readTrainingFiles reads a list of lines "SHA-256  SET/FILE". SET is the folder with
// the file expected.json that describes the document.
func readTrainingFiles(list string) ([]trainingFile, error) {
	raw, err := os.ReadFile(list) //nolint:gosec // a developer's argument
	if err != nil {
		return nil, err
	}
	var out []trainingFile
	for line := range strings.Lines(string(raw)) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			return nil, fmt.Errorf("%s: %q is no SHA-256 with a file", list, line)
		}
		set := "corpus"
		if strings.HasPrefix(name, "cases/") {
			set = path.Join("cases", strings.Split(name, "/")[1])
		}
		out = append(out, trainingFile{sum, set, strings.TrimPrefix(name, set+"/")})
	}
	return out, nil
}

// writeTraining writes the candidates of the listed files and of generated documents.
// It fails if a file is missing or differs from the list.
func writeTraining(output, list, root, cache string, documents, varied int) error {
	files, err := readTrainingFiles(list)
	if err != nil {
		return err
	}
	f, err := os.Create(output)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for len(files) > 0 {
		set, n := files[0].set, 0
		for n < len(files) && files[n].set == set {
			n++
		}
		if err := writeSet(w, files[:n], filepath.Join(root, set), cache); err != nil {
			return err
		}
		files = files[n:]
	}
	const first = 1_000_000 // seeds that no other test uses
	for seed := range documents {
		d := generator.New(uint64(first+seed), generator.None) //nolint:gosec // not negative
		if err := writeChoices(w, generated(d), d.Words()); err != nil {
			return err
		}
	}
	for seed := range varied {
		d := generator.Varied(uint64(first + seed)) //nolint:gosec // not negative
		if err := writeChoices(w, generated(d), d.Words()); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// writeSet writes the candidates of the files of a folder.
func writeSet(w *bufio.Writer, files []trainingFile, dir, cache string) error {
	all, err := known.Load(dir)
	if err != nil {
		return err
	}
	byFile := map[string]known.Record{}
	for _, r := range all {
		byFile[r.File] = r
	}
	records := make([]known.Record, len(files))
	for i, t := range files {
		raw, err := os.ReadFile(filepath.Join(dir, t.file)) //nolint:gosec // a developer's argument
		if err != nil {
			return err
		}
		if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != t.sum {
			return fmt.Errorf("%s differs from the list", t.file)
		}
		r, ok := byFile[t.file]
		if !ok {
			return fmt.Errorf("%s has no known values", t.file)
		}
		records[i] = r
	}
	pages, err := words(dir, cache, records)
	if err != nil {
		return err
	}
	for i, r := range records {
		if err := writeChoices(w, r, pages[i]); err != nil {
			return err
		}
	}
	return nil
}
