package pdf

// pageTree is the result of a traversal of the pages.
type pageTree struct {
	count int
	files []object // file specifications of the pages and of their annotations
}

// walkPages counts the pages of the tree (7.7.3) and collects their files: associated
// files (14.13.5) and files of annotations (12.5.6.15).
func (d *document) walkPages() pageTree {
	var t pageTree
	seen := map[ref]bool{}
	type node struct {
		o     object
		depth int
	}
	stack := []node{{d.catalog()["Pages"], 0}}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if r, ok := n.o.(ref); ok {
			if seen[r] {
				continue
			}
			seen[r] = true
		}
		m := dictOf(d.get(n.o))
		if m == nil {
			continue
		}
		kids, isNode := d.get(m["Kids"]).(array)
		if !isNode {
			if d.get(m["Type"]) == name("Pages") {
				continue
			}
			t.count++
			t.files = append(t.files, d.pageFiles(m)...)
			continue
		}
		if n.depth >= d.limits.Depth {
			d.spent.tooDeep = true
			continue
		}
		for i := len(kids) - 1; i >= 0; i-- {
			stack = append(stack, node{kids[i], n.depth + 1})
		}
	}
	return t
}

func (d *document) pageFiles(page dict) []object {
	out := d.associated(page)
	annotations, _ := d.get(page["Annots"]).(array)
	for _, a := range annotations {
		m := dictOf(d.get(a))
		if m["Subtype"] == name("FileAttachment") && m["FS"] != nil {
			out = append(out, m["FS"])
		}
		out = append(out, d.associated(m)...)
	}
	return out
}

// associated returns the file specifications in /AF, an array or a single one.
func (d *document) associated(m dict) []object {
	if m["AF"] == nil {
		return nil
	}
	if list, ok := d.get(m["AF"]).(array); ok {
		return list
	}
	return []object{m["AF"]}
}
