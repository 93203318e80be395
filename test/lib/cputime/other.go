//go:build !unix

package cputime

import "time"

const thread = 0

// Children returns 0: nothing can be measured here.
func Children() time.Duration { return 0 }

// AllChildren returns false: nothing can be measured here.
func AllChildren() (time.Duration, bool) { return 0, false }

// ChildrenPeak returns 0: nothing can be measured here.
func ChildrenPeak() int64 { return 0 }

func of(int) time.Duration { return 0 }
