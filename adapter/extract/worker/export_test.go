package worker

// OnDocument sets what a child does before it reads a document.
func OnDocument(f func(path string)) { onDocument = f }

// Children returns the process ids of the children that are idle.
func (p *Pool) Children() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []int
	for _, c := range p.idle {
		out = append(out, c.cmd.Process.Pid)
	}
	return out
}
