//go:build !race

package cputime

const race = false
