package report

import (
	"strings"
	"testing"
)

// Rows to compare with are the foot, which no sorting moves; nothing from outside is markup.
func TestHTML(t *testing.T) {
	table := Table{Caption: "<b>caption</b>",
		Columns: []Column{{Name: "algorithm", Words: true}, {Name: "x\nlimit", Help: "the \"peak\""},
			{Name: "key", Words: true}},
		Rows: []TableRow{
			{Cells: []Cell{{Text: "<script>", Mark: "a3"}, {Text: "1.98", Key: "1.984", Style: Alarm},
				{Text: "a\u202eb"}}},
			{Cells: Cells("exact", "1.00", ""), Faint: true},
		}}
	html := string((Sheet{{Tables: []Table{table}}}).HTML())
	for _, want := range []string{
		"<caption><span>&lt;b&gt;caption&lt;/b&gt;</span></caption>",
		"<dl><div><dt>x limit</dt><dd>the &#34;peak&#34;</dd></div></dl>", `<th scope="col" title="the &#34;peak&#34;">x limit</th>`,
		`<tbody>
<tr><th scope="row"><svg class="swatch a3" aria-hidden="true"><path d="M0 5h26"/></svg><bdi>&lt;script&gt;</bdi></th><td class="over" data-k="1.984">1.98</td><td class="words"><bdi>a\u202eb</bdi></td></tr>
</tbody>`,
		`<tfoot>
<tr><th scope="row"><bdi>exact</bdi></th><td>1.00</td><td></td></tr>
</tfoot>`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in\n%s", want, html)
		}
	}
}

// A name is broken between its parts, and stays text.
func TestSoft(t *testing.T) {
	if got, want := string(Soft("a:b=<i>+c")), "a:<wbr>b=&lt;i&gt;<wbr>+c"; got != want {
		t.Errorf("%q; want %q", got, want)
	}
}

// A number and its unit are not parted at the end of a line.
func TestNumbersKeepTheirUnits(t *testing.T) {
	for s, want := range map[string]string{
		"peak in 1 s":              "peak in 1\u00a0s",
		"above 1 × in 20 min and":  "above 1\u00a0× in 20\u00a0min and",
		"1 second, 3 minutes, a s": "1 second, 3 minutes, a s",
		"(7.7 % of the offered)":   "(7.7\u00a0% of the offered)",
		"5 µs of 10 M":             "5\u00a0µs of 10\u00a0M",
	} {
		if got := together(s); got != want {
			t.Errorf("%q: %q; want %q", s, got, want)
		}
	}
}
