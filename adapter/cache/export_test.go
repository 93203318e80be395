package cache

import "time"

// NewPatientRedis is NewRedis with a timeout that a busy machine does not exceed, for tests that
// do not measure the detection of outages.
func NewPatientRedis(url string) (*Redis, func() error, error) { return newRedis(url, time.Minute) }
