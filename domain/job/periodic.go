package job

import "time"

// PeriodicVersion is the version of RunPeriodic that this release writes.
const PeriodicVersion = 1

// Periodic is the kind of RunPeriodic. It has one attempt, because the next run repeats the work.
var Periodic = define(Kind{
	Name: "periodic", Version: PeriodicVersion, Queue: DefaultQueue, Attempts: 1, Timeout: 10 * time.Minute,
	Noun:           "Periodic task",
	NotCancellable: "The periodic task %s cannot be cancelled, because it is scheduled again automatically.",
}, func(a RunPeriodic) string { return a.Name })

// RunPeriodic runs a task of the installation that is scheduled at fixed intervals.
type RunPeriodic struct {
	V    int
	Name string
}

// Kind implements Args.
func (RunPeriodic) Kind() string { return "periodic" }
