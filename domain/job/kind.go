package job

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind describes the jobs of one kind. Each kind is one variable of this package, in the file of its
// arguments; every other list of kinds is derived from Kinds.
type Kind struct {
	// Name is the stored name. It never changes after a release.
	Name string
	// Version is the newest version of the arguments that this release writes and runs.
	Version int
	// Queue is the queue whose workers run the jobs.
	Queue string
	// Attempts is the number of errors and panics after which a job is discarded.
	Attempts int
	// Timeout is the time after which the context of a job ends.
	Timeout time.Duration
	// Shared reports whether the jobs of one organization use at most half of the workers while
	// those of other organizations wait (domain D22).
	Shared bool
	// Paused reports whether a restore from a backup pauses the jobs (domain D23). It is set for all
	// kinds that call other systems.
	Paused bool
	// Noun names the work in messages to the operator, such as "Sync of invoice".
	Noun string
	// Cancelled is the message to the operator after a cancellation: the state of the work, and how
	// to continue it. %s is the subject.
	Cancelled string
	// NotCancellable is the reason why the operator cannot cancel jobs of this kind, and what to do
	// instead; "" for kinds with jobs that can be cancelled. %s is the subject.
	NotCancellable string

	decode func(text []byte) (args Args, subject string, err error)
}

// KindOf is the Kind of the arguments T.
type KindOf[T Args] struct{ Kind }

// kinds contains every defined kind. It is complete when the package is initialized.
var kinds []Kind

// define adds a kind to Kinds. subject returns the id or the name of what a job works on.
func define[T Args](k Kind, subject func(T) string) KindOf[T] {
	var args T
	if args.Kind() != k.Name || slices.ContainsFunc(kinds, func(other Kind) bool { return other.Name == k.Name }) {
		panic("job kind " + k.Name + " is defined twice or under another name")
	}
	k.decode = func(text []byte) (Args, string, error) {
		var args T
		if err := json.Unmarshal(text, &args); err != nil {
			return nil, "", fmt.Errorf("decode the arguments of a %s job: %w", k.Name, err)
		}
		return args, subject(args), nil
	}
	kinds = append(kinds, k)
	return KindOf[T]{k}
}

// Kinds returns every kind, ordered by name.
func Kinds() []Kind {
	return slices.SortedFunc(slices.Values(kinds), func(a, b Kind) int { return strings.Compare(a.Name, b.Name) })
}

// ByName returns a kind. ok is false for the kinds of other releases.
func ByName(name string) (k Kind, ok bool) {
	for _, k := range kinds {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}

// Decode returns the arguments of a stored job and the id of what it works on. It returns an error
// for a version that this release does not know.
func (k Kind) Decode(text []byte) (args Args, subject string, err error) {
	var known struct{ V int }
	if err := json.Unmarshal(text, &known); err != nil || known.V < 1 || known.V > k.Version {
		return nil, "", fmt.Errorf("a %s job of the unknown version %d", k.Name, known.V)
	}
	return k.decode(text)
}

// NamesOf returns the names of the kinds for which is returns true, in order.
func NamesOf(is func(Kind) bool) (names []string) {
	for _, k := range Kinds() {
		if is(k) {
			names = append(names, k.Name)
		}
	}
	return names
}

// PausedKinds returns the names of the kinds that a restore pauses.
func PausedKinds() []string { return NamesOf(func(k Kind) bool { return k.Paused }) }
