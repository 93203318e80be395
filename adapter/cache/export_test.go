package cache

import "time"

// NewPatientRedis is NewRedis with a timeout that a busy machine does not exceed, for tests that
// do not measure the detection of outages.
func NewPatientRedis(url string) (*Redis, func() error, error) { return newRedis(url, time.Minute) }

// MaxPlans is the limit of remembered organizations.
const MaxPlans = maxPlans

// Remembered returns the number of organizations with a remembered invalidation.
func (m *Memory) Remembered() int {
	m.flights.mu.Lock()
	defer m.flights.mu.Unlock()
	return len(m.flights.generations)
}
