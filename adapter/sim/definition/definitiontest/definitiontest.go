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
		if err := record(vendor, byConnector, w.Seen()); err != nil {
			t.Error(err)
		}
	})
	return w
}

// Who made the exchanges with a simulator.
const (
	byConnector = "connector"
	byClient    = "client"
)

// Recording is what was validated of one vendor.
type Recording struct{ Connector, Client, All definition.Seen }

// record writes what was validated to Folder.
func record(vendor, by string, seen definition.Seen) error {
	folder := os.Getenv(Folder)
	if folder == "" {
		return nil
	}
	data, err := json.Marshal(seen)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(folder, vendor+"-"+by+"-*.json")
	if err != nil {
		return err
	}
	if _, err := file.Write(data); err != nil {
		return err
	}
	return file.Close()
}

// Recorded returns by vendor what all watches wrote to a folder.
func Recorded(folder string) (map[string]Recording, error) {
	all := map[string]Recording{}
	for _, vendor := range definition.Vendors() {
		var r Recording
		for by, sum := range map[string]*definition.Seen{byConnector: &r.Connector, byClient: &r.Client} {
			if err := read(filepath.Join(folder, vendor+"-"+by+"-*.json"), sum); err != nil {
				return nil, err
			}
			r.All.Add(*sum)
		}
		all[vendor] = r
	}
	return all, nil
}

// read adds the content of the files of a pattern to sum.
func read(pattern string, sum *definition.Seen) error {
	files, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	sum.Add(definition.Seen{})
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var one definition.Seen
		if err := json.Unmarshal(data, &one); err != nil {
			return err
		}
		sum.Add(one)
	}
	return nil
}
