package layouts_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../../.."

// sums reads lines "SHA-256  FILE".
func sums(t *testing.T, list string) map[string]string {
	t.Helper()
	raw, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok || len(sum) != 2*sha256.Size || out[name] != "" {
			t.Fatalf("%s: %q is no SHA-256 with a new file", list, line)
		}
		out[name] = sum
	}
	return out
}

func differs(t *testing.T, path, want string) bool {
	t.Helper()
	raw, err := os.ReadFile(path) //nolint:gosec // a file of the repository or of the list
	if err != nil {
		t.Error(err)
		return false
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]) != want
}

// TestModelsAreThoseOfTheTraining compares the models with the record of the training
// that made them. Models that were changed in another way, or a script that was changed
// without a new training, would not be reproducible.
func TestModelsAreThoseOfTheTraining(t *testing.T) {
	t.Parallel()
	recorded := sums(t, "trained.txt")
	models, err := filepath.Glob(filepath.Join(root, "adapter/extract/pdftext/models/*.json"))
	if err != nil || len(models) == 0 {
		t.Fatal("no models", err)
	}
	for _, path := range models {
		name := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		if recorded[name] == "" {
			t.Errorf("trained.txt has no %s", name)
		}
	}
	for name, sum := range recorded {
		if differs(t, filepath.Join(root, name), sum) {
			t.Errorf("%s is not that of the last training; run test/train-models.sh", name)
		}
	}
}

// TestTrainingFilesAreThoseOfTheList compares the files with the list, where they are
// alongside the project.
func TestTrainingFilesAreThoseOfTheList(t *testing.T) {
	t.Parallel()
	shared := filepath.Join(root, "../shared")
	if dir := os.Getenv("DOCLEDGER_SHARED"); dir != "" {
		shared = dir
	}
	files := sums(t, "training.txt")
	if len(files) < 400 {
		t.Errorf("%d files are listed", len(files))
	}
	if _, err := os.Stat(filepath.Join(shared, "cases")); err != nil {
		t.Logf("NOT COMPARED: there are no training files at %s", shared)
		return
	}
	for name, sum := range files {
		if differs(t, filepath.Join(shared, name), sum) {
			t.Errorf("%s differs from training.txt", name)
		}
	}
}

// TestTrainingIsReproducible trains a model twice with the same candidates: the files
// are equal.
func TestTrainingIsReproducible(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err == nil {
		err = exec.CommandContext(t.Context(), python, "-c", "import lightgbm, numpy, sklearn").Run()
	}
	if err != nil {
		t.Log("NOT TRAINED: there is no python3 with the packages of requirements.txt")
		return
	}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // not a secret
	var features bytes.Buffer
	for doc := range 80 {
		e := map[string]any{
			"group": fmt.Sprintf("layout/%d", doc/4), "file": fmt.Sprint(doc), "field": "number", "names": []string{"a", "b", "c"}, "stated": true,
		}
		var rows [][]float64
		var right []int
		var values []string
		for i := range 6 {
			is := 0
			if i == doc%6 {
				is = 1
			}
			rows = append(rows, []float64{random.Float64() + float64(is), random.Float64(), float64(i)})
			right, values = append(right, is), append(values, fmt.Sprint(i))
		}
		e["rows"], e["right"], e["values"] = rows, right, values
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		features.Write(append(raw, '\n'))
	}
	folder := t.TempDir()
	input := filepath.Join(folder, "features.jsonl")
	if err := os.WriteFile(input, features.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	var models [2][]byte
	for i := range models {
		output := filepath.Join(folder, fmt.Sprint(i))
		cmd := exec.CommandContext(t.Context(), python, "train.py", output, input)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if models[i], err = os.ReadFile(filepath.Join(output, "number.json")); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(models[0], models[1]) {
		t.Error("two trainings with the same candidates give different models")
	}
}
