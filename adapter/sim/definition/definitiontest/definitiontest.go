// Package definitiontest fails a test if its connector or simulator leaves the
// vendor's published definition.
package definitiontest

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"docledger/adapter/sim/definition"
)

// Folder is the environment variable with the folder that receives what each
// watch has validated. Without it, nothing is written.
const Folder = "DOCLEDGER_DEFINITIONS"

// Handler validates all exchanges with a simulator. The test fails at its end
// if one of them has an operation, a parameter or a field that the vendor's
// definition does not have.
func Handler(t testing.TB, vendor string, simulator http.Handler) http.Handler {
	t.Helper()
	w, err := definition.New(vendor, simulator)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, finding := range w.Findings() {
			t.Errorf("%s: %s", vendor, finding)
		}
		if err := Record(vendor, w.Seen()); err != nil {
			t.Error(err)
		}
	})
	return w
}

// Record writes what was validated to Folder.
func Record(vendor string, seen definition.Seen) error {
	folder := os.Getenv(Folder)
	if folder == "" {
		return nil
	}
	data, err := json.Marshal(seen)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(folder, vendor+"-*.json")
	if err != nil {
		return err
	}
	if _, err := file.Write(data); err != nil {
		return err
	}
	return file.Close()
}

// Recorded returns by vendor what all watches wrote to a folder.
func Recorded(folder string) (map[string]definition.Seen, error) {
	all := map[string]definition.Seen{}
	for _, vendor := range definition.Vendors() {
		var sum definition.Seen
		sum.Add(definition.Seen{})
		files, err := filepath.Glob(filepath.Join(folder, vendor+"-*.json"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			var one definition.Seen
			if err := json.Unmarshal(data, &one); err != nil {
				return nil, err
			}
			sum.Add(one)
		}
		all[vendor] = sum
	}
	return all, nil
}
