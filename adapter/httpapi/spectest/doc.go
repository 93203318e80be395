// Package spectest tests a running API against the joined specification: it
// checks each response by two validators that share no code, and makes requests
// that are valid, at a bound, or wrong in exactly one place.
package spectest
