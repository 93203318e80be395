// Package everyday measures what an assistant can do for a bookkeeper: 40 tasks,
// each with the user's sentence, the calls of a scripted client and an answer
// that is checked against the seeded data. `make assistant` prints the calls and
// the bytes of each task.
package everyday
