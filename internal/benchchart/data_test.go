package benchchart

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ratelab/internal/benchresult"
)

// Every figure of the small result, by hand.
func TestDataByHand(t *testing.T) {
	dir := t.TempDir()
	if _, err := Write(dir, []*benchresult.Document{small()}, "svg"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"tiny.admitted-latency": `server,algorithm,rounds,start_us,width_us,offered,admitted,rolling,accepted,accepted_response_us_p50,accepted_response_us_p99,rejected,rejected_response_us_p50,rejected_response_us_p99
redis-server 7.0.15,none,2,40000000,500000,8,8,4,,,,,,
redis-server 7.0.15,none,2,40500000,500000,2,2,8,,,,,,
redis-server 7.0.15,none,2,41000000,500000,0,0,4,,,,,,
redis-server 7.0.15,none,2,41500000,500000,0,0,0,,,,,,
redis-server 7.0.15,none,2,40000000,1000000,,,,10,500,1000,0,,
redis-server 7.0.15,none,2,41000000,1000000,,,,0,,,0,,
redis-server 7.0.15,gcra,2,40000000,500000,8,6,4,,,,,,
redis-server 7.0.15,gcra,2,40500000,500000,2,0,6,,,,,,
redis-server 7.0.15,gcra,2,41000000,500000,0,0,4,,,,,,
redis-server 7.0.15,gcra,2,41500000,500000,0,0,0,,,,,,
redis-server 7.0.15,gcra,2,40000000,1000000,,,,6,600,1200,4,1600,2000
redis-server 7.0.15,gcra,2,41000000,1000000,,,,0,,,0,,
redis-server 7.0.15,sliding-window-log,2,40000000,500000,8,6,4,,,,,,
redis-server 7.0.15,sliding-window-log,2,40500000,500000,2,0,4,,,,,,
redis-server 7.0.15,sliding-window-log,2,41000000,500000,0,0,4,,,,,,
redis-server 7.0.15,sliding-window-log,2,41500000,500000,0,0,0,,,,,,
redis-server 7.0.15,sliding-window-log,2,40000000,1000000,,,,6,900,1800,4,2401,3001
redis-server 7.0.15,sliding-window-log,2,41000000,1000000,,,,0,,,0,,
`,
		"throughput": `server,algorithm,connections,throughput_per_s,server_us_per_decision
redis-server 7.0.15,none,1,2250,
redis-server 7.0.15,none,4,6000,
redis-server 7.0.15,gcra,1,1500,
redis-server 7.0.15,gcra,4,4000,
redis-server 7.0.15,sliding-window-log,1,1125,
redis-server 7.0.15,sliding-window-log,4,3000,
`,
		"memory": `server,algorithm,entries,bytes,keys
redis-server 7.0.15,gcra,1,80,1
redis-server 7.0.15,gcra,1000,80,1
redis-server 7.0.15,sliding-window-log,1,80,1
redis-server 7.0.15,sliding-window-log,1000,20080,1
`,
	} {
		if got := string(read(t, filepath.Join(dir, name+".csv"))); got != want {
			t.Errorf("%s:\n%swant\n%s", name, got, want)
		}
	}
	costs := string(read(t, filepath.Join(dir, "server-cost.csv")))
	if want := "redis-server 7.0.15,gcra,rejected,6,5.5,6.25,1.5,1.05\n"; !strings.Contains(costs, want) {
		t.Errorf("server-cost:\n%shas no line\n%s", costs, want)
	}
}

// A label that a spreadsheet would take for a formula is defused, and one with a comma is quoted.
func TestDataIsSafe(t *testing.T) {
	r := small()
	relabel(r, 1, "=1+1,2")
	pictures, _ := draw(newScene([]*benchresult.Document{r}))
	for _, p := range pictures {
		if text := string(p.Data); strings.Contains(text, ",=1") || !strings.Contains(text, `,"'=1+1,2",`) {
			t.Errorf("%s:\n%s", p.Name, text)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
