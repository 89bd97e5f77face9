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
		"tiny.cost-overshoot": `server,algorithm,overshoot,peak_window_admitted,server_us_per_decision,cost_measured
redis-server 7.0.15,none,2,8,4,under this traffic
redis-server 7.0.15,gcra,1.5,6,7,under this traffic
redis-server 7.0.15,sliding-window-log,1,4,10,under this traffic
`,
		"tiny.latency-time": `server,algorithm,start_us,width_us,requests,response_us_p50,response_us_p99
redis-server 7.0.15,none,0,1e+06,10,500,1000
redis-server 7.0.15,gcra,0,1e+06,10,1000,2000
redis-server 7.0.15,sliding-window-log,0,1e+06,10,1500,3001
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
