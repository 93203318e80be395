// Package attack sends hostile requests to a running sandbox and asserts what
// others notice of them: memory above idle and response times.
package attack
