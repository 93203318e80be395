package msgraph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"docledger/adapter/sim/msgraph"
)

// names returns the names of the entries. A deletion is a dash and the id.
func names(list []map[string]any) (out []string) {
	for _, entry := range list {
		name, _ := entry["name"].(string)
		if entry["deleted"] != nil {
			name = "-" + entry["id"].(string)
		}
		out = append(out, name)
	}
	return out
}

func TestDelta(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	one := w.put("d/one.xml", "<a/>")
	list, last := w.all(drivePath + "/root/delta")
	if got := names(list); !slices.Equal(got, []string{"root", "d", "one.xml"}) {
		t.Fatalf("%v", got)
	}
	for _, entry := range list {
		if parent, _ := entry["parentReference"].(map[string]any); parent["path"] != nil || parent["driveId"] != msgraph.DefaultDrive {
			t.Errorf("%v", entry)
		}
	}
	folder := list[1]["id"].(string)
	step := func(name string, want ...string) []map[string]any {
		t.Helper()
		list, last = w.all(last.text("@odata.deltaLink"))
		if got := names(list); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		return list
	}
	step("nothing")
	w.must(w.sim.Rename("", folder, "e"))
	step("a folder renamed", "e")
	w.must(w.sim.Change("", one, []byte("<b/>")))
	was := step("changed", "one.xml")[0]
	w.must(w.sim.Move("", one, ""))
	now := step("moved", "one.xml")[0]
	if was["cTag"] != now["cTag"] || was["eTag"] == now["eTag"] {
		t.Errorf("%v, then %v", was, now)
	}
	w.must(w.sim.Move("", one, folder))
	step("moved back", "one.xml")
	w.must(w.sim.Delete("", folder))
	gone := step("deleted", "-"+folder)[0]
	if _, named := gone["name"]; named || gone["cTag"] != nil {
		t.Errorf("%v", gone)
	}
	if list, _ := w.all(drivePath + "/root/delta"); len(list) != 1 {
		t.Errorf("after a restart: %v", names(list))
	}
	w.must(w.sim.Restore("", folder))
	step("restored", "e", "one.xml")
	w.sim.Configure(func(s *msgraph.Settings) { s.TellDescendants = true })
	w.must(w.sim.Delete("", folder))
	step("deleted with all", "-"+folder, "-"+one)
	if r := w.get(200, drivePath+"/root/delta?token=latest"); len(r.list()) != 0 || r.text("@odata.deltaLink") == "" {
		t.Errorf("%s", r.raw)
	}
	if r := w.get(200, drivePath+"/root/delta?$select=id"); len(r.list()[0]) != 1 {
		t.Errorf("%s", r.raw)
	}
	w.get(400, drivePath+"/root/delta?token=nonsense")
	w.get(501, drivePath+"/items/"+w.put("f/x", "")+"/delta")
}

// TestDeltaPages changes a drive while its pages are read. The entries of all pages together must
// equal the drive.
func TestDeltaPages(t *testing.T) {
	t.Parallel()
	for _, repeats := range []bool{false, true} {
		w := connected(t, func(o *msgraph.Options) { o.Settings.PageSize, o.Settings.RepeatItems = 4, repeats })
		ids := []string{}
		for n := range 30 {
			ids = append(ids, w.put(fmt.Sprintf("d%d/f%d.xml", n%3, n), "x"))
		}
		known, path, count := map[any]bool{}, drivePath+"/root/delta", 0
		for page := 0; ; page++ {
			r := w.get(200, path)
			for _, entry := range r.list() {
				count++
				if known[entry["id"]] = true; entry["deleted"] != nil {
					delete(known, entry["id"])
				}
			}
			if page == 2 {
				w.must(w.sim.Delete("", ids[0]))
				w.must(w.sim.Delete("", ids[29]))
				w.put("d9/new.xml", "x")
			}
			if path = r.text("@odata.nextLink"); path == "" {
				break
			}
		}
		if len(known) != 34 || known[ids[0]] || known[ids[29]] || (count > 37) != repeats {
			t.Errorf("repeats %v: %d known, %d entries", repeats, len(known), count)
		}
	}
}

func TestLostDelta(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	_, last := w.all(drivePath + "/root/delta")
	w.put("a.xml", "x")
	w.must(w.sim.ExpireCursors(""))
	r := w.get(410, last.text("@odata.deltaLink"))
	if r.code() != "resyncRequired" || !strings.Contains(r.raw, "resyncChangesApplyDifferences") {
		t.Errorf("%s", r.raw)
	}
	if list, _ := w.all(r.header.Get("Location")); len(list) != 2 {
		t.Errorf("%v", names(list))
	}
}

// TestOtherDrive moves folders between drives, where all items get new ids.
func TestOtherDrive(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	w.sim.AddSites(1)
	sites, _ := w.all("/v1.0/sites?search=Seeded")
	drives, _ := w.all("/v1.0/sites/" + sites[0]["id"].(string) + "/drives")
	other := drives[0]["id"].(string)
	_, here := w.all(drivePath + "/root/delta")
	_, err := w.sim.Put(other, "came/new.xml", []byte("x"), 0, "")
	w.must(err)
	came := w.get(200, "/v1.0/drives/"+other+"/root:/came").text("id")
	made, err := w.sim.MoveOut(other, came, msgraph.DefaultDrive, "")
	w.must(err)
	list, _ := w.all(here.text("@odata.deltaLink"))
	if got := names(list); !slices.Equal(got, []string{"came", "new.xml"}) || list[0]["id"] != made || made == came {
		t.Errorf("%v", list)
	}
	w.get(404, "/v1.0/drives/"+other+"/items/"+came)
	if _, err := w.sim.MoveOut("", made, "", ""); err == nil {
		t.Error("moved out to where it is")
	}
}
