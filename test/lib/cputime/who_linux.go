package cputime

// thread is RUSAGE_THREAD: the calling thread alone.
const thread = 1

// rssUnit is the unit of Rusage.Maxrss in bytes.
const rssUnit = 1 << 10
