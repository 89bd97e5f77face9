package tune

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/internal/limit"
)

func TestParseShare(t *testing.T) {
	for text, want := range map[string]float64{"0.1%users": 0.001, "0%users": 0, "100%users": 1,
		"0.7%users": 14.0 / 2000} {
		if got, of, err := ParseShare(text); got != want || of != Users || err != nil {
			t.Errorf("%s: %v %s %v", text, got, of, err)
		}
	}
	if _, of, _ := ParseShare("2%requests"); of != Requests {
		t.Error(of)
	}
	for _, text := range []string{"", "1%", "1users", "101%users", "-1%users", "1e1%users", "1% users", ".5%users"} {
		if _, _, err := ParseShare(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestParseProtect(t *testing.T) {
	if n, err := ParseProtect("500/s"); n != 500 || err != nil {
		t.Error(n, err)
	}
	for _, text := range []string{"", "500", "0/s", "-1/s", "500/m", "5.5/s", "500/s/s"} {
		if _, err := ParseProtect(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// A share given in decimal is that of whole numbers: 0.1 % of 3000 are 3.
func TestAtMost(t *testing.T) {
	for _, c := range []struct {
		share   float64
		n, want int64
	}{{0.001, 3000, 3}, {0.001, 2999, 2}, {0.07, 100, 7}, {0, 5, 0}, {1, 5, 5}, {0.29, 100, 29}} {
		if got := atMost(c.share, c.n); got != c.want {
			t.Errorf("%v of %d: %d, want %d", c.share, c.n, got, c.want)
		}
	}
}

// A configuration says in the words of each product what was chosen.
func TestConfigurations(t *testing.T) {
	for _, c := range []struct {
		limit string
		burst int64
		want  string // of nginx
		rate  string
	}{
		{"100/1m", 20, "rate=100r/m; limit_req zone=perclient burst=19 nodelay;",
			"redis_rate.Limit{Rate: 100, Burst: 20, Period: time.Minute}"},
		{"50/10s", 1, "rate=5r/s; limit_req zone=perclient burst=0 nodelay;",
			"redis_rate.Limit{Rate: 50, Burst: 1, Period: 10 * time.Second}"},
		{"1000/7s", 9, "rate=8571r/m; limit_req zone=perclient burst=8 nodelay;",
			"redis_rate.Limit{Rate: 1000, Burst: 9, Period: 7 * time.Second}"},
		{"50/1h", 9, "", "redis_rate.Limit{Rate: 50, Burst: 9, Period: time.Hour}"},
		{"2/1.5ms", 9, "rate=80000r/m; limit_req zone=perclient burst=8 nodelay;",
			"redis_rate.Limit{Rate: 2, Burst: 9, Period: 1500 * time.Microsecond}"},
	} {
		p, err := limit.ParsePolicy(c.limit)
		if err != nil {
			t.Fatal(err)
		}
		p.Burst = c.burst
		if got := redisRate(p).Text; got != c.rate {
			t.Errorf("%s: %s", c.limit, got)
		}
		got := strings.ReplaceAll(nginx(p, true).Text, "\n", " ")
		if _, after, _ := strings.Cut(got, "zone=perclient:10m "); after != c.want {
			t.Errorf("%s: %s", c.limit, got)
		}
	}
	p := limit.Policy{Requests: 5, Window: time.Second}
	if got := nginx(p, false); got.Text != "" || !strings.Contains(got.Differs, "costs") {
		t.Errorf("with costs: %+v", got)
	}
	own, err := script(Setting{Algorithm: "gcra", Policy: limit.Policy{Requests: 100, Window: time.Minute, Burst: 20}})
	want := `keys: ["gcra:{key}"]` + "\n" + `args: ["", "{cost}", "20", "600000", "1"]`
	if own.Text != want || err != nil {
		t.Errorf("%s, %v", own.Text, err)
	}
	own, err = script(Setting{Algorithm: "token-bucket-interval",
		Policy: limit.Policy{Requests: 9, Window: time.Second}})
	if !strings.Contains(own.Text, `args: ["{now_us}", "{cost}", "9", "9", "1000000"]`) || err != nil {
		t.Errorf("%s, %v", own.Text, err)
	}
}

// nginxZone is the rule of limit_req for one key: how much more was asked for than the rate brought, in thousandths of
// a request, by the millisecond, and what may be. The rate is in thousandths of a request a second, rounded down:
// ngx_http_limit_req_module.c.
type nginxZone struct {
	rate, burst    int64
	known          bool
	excess, lastMS int64
}

func (z *nginxZone) allows(nowMS int64) bool {
	excess := int64(0)
	if z.known {
		excess = max(0, z.excess-z.rate*(nowMS-z.lastMS)/1000+1000)
	}
	if excess > z.burst*1000 {
		return false
	}
	z.known, z.excess, z.lastMS = true, excess, nowMS
	return true
}

// With a burst of one less nginx decides as gcra does, at whole milliseconds and whole requests a second.
func TestNginxWithOneLessDecidesAsGCRA(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := limit.Policy{Requests: rapid.Int64Range(1, 50).Draw(t, "rate"), Window: time.Second,
			Burst: rapid.Int64Range(1, 10).Draw(t, "burst")}
		in, err := Setting{Algorithm: "gcra", Policy: p}.Instance()
		if err != nil {
			t.Fatal(err)
		}
		model, zone := in.NewModel(), nginxZone{rate: p.Requests * 1000, burst: p.Burst - 1}
		nowMS := int64(1_700_000_000_000)
		for i := range rapid.IntRange(1, 80).Draw(t, "requests") {
			nowMS += rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 100),
				rapid.Int64Range(0, 2000)).Draw(t, "gap")
			want := model.Decide(nowMS*1000, "a", 1).Allowed()
			if got := zone.allows(nowMS); got != want {
				t.Fatalf("request %d: gcra %v, nginx %v", i, want, got)
			}
		}
	})
}

// A rate by the minute is no whole number of thousandths a second in most cases, and nginx's is then a little lower.
func TestNginxRoundsARateByTheMinute(t *testing.T) {
	for _, c := range []struct {
		perMinute, refusedMS, admittedMS int64 // after the first request
		want                             string
	}{
		{1, 62_499, 62_500, "it keeps the rate as 16 thousandths of a request a second, 0.96 a minute; "},
		{100, 600, 601, "it keeps the rate as 1666 thousandths of a request a second, 99.96 a minute; "},
		{90, 666, 667, ""},
	} {
		got := nginx(limit.Policy{Requests: c.perMinute, Window: time.Minute, Burst: 1}, true)
		says := strings.Contains(got.Differs, "keeps the rate as")
		if says != (c.want != "") || !strings.Contains(got.Differs, c.want) {
			t.Errorf("%dr/m: %s", c.perMinute, got.Differs)
		}
		for after, want := range map[int64]bool{c.refusedMS: false, c.admittedMS: true} {
			zone := nginxZone{rate: c.perMinute * 1000 / 60}
			if zone.allows(0); zone.allows(after) != want {
				t.Errorf("%dr/m: %d ms after the first request: admitted %t", c.perMinute, after, !want)
			}
		}
	}
}

// Rates descend from what the busiest second has, in numbers that people choose, each once.
func TestGridOfRates(t *testing.T) {
	c := &census{busiest: 14, spans: [parts]int64{100_000_000, 100_000_000}}
	var got []string
	for _, p := range newGrid(c, &limit.Policy{Requests: 7, Window: 90 * time.Second, Burst: 5}).rates {
		got = append(got, Setting{Policy: p}.Limit())
	}
	want := "1/1h 2/1h 3/1h 4/1h 5/1h 6/1h 8/1h 10/1h 15/1h 20/1h 30/1h 40/1h 50/1h " +
		"1/1m 2/1m 3/1m 4/1m 7/1m30s 5/1m 6/1m 8/1m 10/1m 15/1m 20/1m 30/1m 40/1m 50/1m " +
		"1/1s 2/1s 3/1s 4/1s 5/1s 6/1s 8/1s 10/1s 15/1s"
	if strings.Join(got, " ") != want {
		t.Errorf("%s", got)
	}
	c.busiest = 2_000_000
	if rates := newGrid(c, nil).rates; len(rates) != mostRates || slices.Max(wholes(rates)) != 2_000_000 {
		t.Errorf("%v", rates)
	}
}

func wholes(rates []limit.Policy) (all []int64) {
	for _, p := range rates {
		all = append(all, p.Requests)
	}
	return all
}
