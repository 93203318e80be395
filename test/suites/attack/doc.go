// Package attack sends hostile requests to a running sandbox. It verifies the
// effects on others: the memory above idle and the response times.
package attack
