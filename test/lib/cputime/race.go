//go:build race

package cputime

const race = true
