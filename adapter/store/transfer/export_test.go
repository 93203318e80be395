package transfer

// Columns returns the names and kinds of a table's columns.
func Columns(name string) (out [][2]string) {
	t, _ := find(name)
	for _, c := range t.columns {
		out = append(out, [2]string{c.name, string(c.kind)})
	}
	return out
}

// Unowned are the tables without rows of organizations.
var Unowned = unowned

// Exported returns the columns of a table in exports.
func Exported(name string) (out []string) {
	t, _ := find(name)
	for _, c := range t.columns {
		if c.exported() {
			out = append(out, c.name)
		}
	}
	return out
}
