package script

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ratelab/internal/limit"
	"ratelab/internal/resp"
	"ratelab/internal/strictyaml"
)

var threeSeconds = limit.Policy{Requests: 1000, Window: 3 * time.Second}

// loadText loads a script whose binding is text.
func loadText(t *testing.T, text string, p limit.Policy) *Program {
	t.Helper()
	t.Chdir(t.TempDir())
	writeFile(t, "my.lua", "return 1\n")
	writeFile(t, "my.yaml", text)
	program, err := Load(OnDisk("my.lua"), p)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// written is what the elements of a call become for one request.
func written(templates []Template, v Vars) []string {
	texts := []string{}
	for _, t := range templates {
		texts = append(texts, string(t.Append(nil, &v)))
	}
	return texts
}

func TestLoadExamples(t *testing.T) {
	at := Vars{Key: "alice", Cost: 2, NowUS: 1_704_067_200_123_456}
	plain, err := Load(OnDisk("testdata/binding/incr-expire.lua"), threeSeconds)
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, "label", plain.Label, "incr-expire")
	checkEqual(t, "keys", written(plain.Decide.Keys, at), []string{"rl:alice"})
	checkEqual(t, "args", written(plain.Decide.Args, at), []string{"1000", "3"})
	checkEqual(t, "init", plain.Init == nil && plain.InitSource == "", true)

	bucket, err := Load(OnDisk("testdata/binding/bucket-take.lua"),
		limit.Policy{Requests: 10, Window: 4 * time.Second, Burst: 5})
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, "label", bucket.Label, "bucket")
	checkEqual(t, "source", bucket.Source, contents(t, "testdata/binding/bucket-take.lua"))
	checkEqual(t, "args", written(bucket.Decide.Args, at), []string{"2", "1704067200123"})
	checkEqual(t, "init source", bucket.InitSource, contents(t, "testdata/binding/bucket-fill.lua"))
	checkEqual(t, "init keys", written(bucket.Init.Keys, at), []string{"bucket:alice"})
	checkEqual(t, "init args", written(bucket.Init.Args, at), []string{"5", "2.5", "1704067200123"})
}

func contents(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func checkEqual(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestInitIsTheScriptItselfUnlessItNamesAnother(t *testing.T) {
	p := loadText(t, "keys: ['{key}']\nadmitted: nil\ninit: {keys: ['{key}'], args: [setup]}\n", threeSeconds)
	checkEqual(t, "init source", p.InitSource, p.Source)
	checkEqual(t, "init args", written(p.Init.Args, Vars{}), []string{"setup"})
}

// Each name of a template, for limits whose windows are whole seconds, milliseconds and microseconds.
func TestTemplateNames(t *testing.T) {
	at := Vars{Key: "k", Cost: 7, NowUS: 5_999_999}
	cases := []struct {
		policy limit.Policy
		args   string
		want   []string
	}{
		{threeSeconds, `["{limit}", "{burst}", "{rate}", "{window_s}", "{window_ms}", "{window_us}"]`,
			[]string{"1000", "1000", "333.3333333333333", "3", "3000", "3000000"}},
		{limit.Policy{Requests: 3, Window: 1500 * time.Millisecond, Burst: 9}, `["{burst}", "{rate}", "{window_ms}"]`,
			[]string{"9", "2", "1500"}},
		{limit.Policy{Requests: 1, Window: 1500 * time.Microsecond}, `["{rate}", "{window_us}"]`,
			[]string{"666.6666666666666", "1500"}},
		{limit.Policy{Requests: 1, Window: limit.MaxWindow}, `["{rate}"]`, []string{"0.000000031623153207852664"}},
		{threeSeconds, `["{key}", "{cost}", "{now_s}", "{now_ms}", "{now_us}"]`,
			[]string{"k", "7", "5", "5999", "5999999"}},
		{threeSeconds, `[60, "", "{{{key}}}", "a{cost}b"]`, []string{"60", "", "{k}", "a7b"}},
		{threeSeconds, `[]`, []string{}},
	}
	for _, c := range cases {
		p := loadText(t, "keys: ['{key}']\nadmitted: [1]\nargs: "+c.args, c.policy)
		checkEqual(t, c.args, written(p.Decide.Args, at), c.want)
	}
}

// A script's own limit stands for the run's in all names, and the binding means the same under any other.
func TestALimitOfItsOwn(t *testing.T) {
	text := "keys: ['{key}', '']\nargs: ['{limit}', '{burst}', '{window_s}']\nadmitted: <= {limit - 1}\nlimit: 100/1m"
	p := loadText(t, text, limit.Policy{Requests: 7, Window: time.Second, Burst: 3})
	checkEqual(t, "args", written(p.Decide.Args, Vars{}), []string{"100", "100", "60"})
	checkEqual(t, "keys", written(p.InKeyspace("own:").Decide.Keys, Vars{Key: "k"}), []string{"own:k", ""})
	checkEqual(t, "own", *p.Own, limit.Policy{Requests: 100, Window: time.Minute})
	checkEqual(t, "alike", p.CalledAlike(loadText(t, text, threeSeconds)), true)
	for reply, want := range map[int64]limit.Decision{99: admitted, 100: rejected(0)} {
		d, err := p.Decode(num(reply))
		checkEqual(t, "decision", d, want)
		checkEqual(t, "error", err, error(nil))
	}
}

// Whatever the bytes of a binding, it is either usable or has problems; it never panics.
func FuzzBinding(f *testing.F) {
	f.Add([]byte(minimal))
	f.Add([]byte("keys: [\"{key}\"]\nadmitted: \"< {limit}\"\nelement: [1, 2]\nrejected: [null, x]\nretry_after: " +
		"{unit: s}\n"))
	f.Add([]byte("keys: &a [*a, 1.5, {limit}]\nadmitted: !!set {}\n? [x]\n: y\n"))
	f.Fuzz(checkAnyBinding)
}

func checkAnyBinding(t *testing.T, data []byte) {
	file := strictyaml.File{Name: "my.yaml"}
	b := binding{file: OnDisk("my.lua"), base: "my", limits: []limit.Limit{{Policy: threeSeconds}}}
	if root, ok := file.Root(data); ok {
		b.read(root)
	}
	if len(file.Errors()) > 0 {
		return
	}
	if b.admitted == nil || len(b.program.Decide.Keys) == 0 || b.program.Label == "" {
		t.Fatalf("%q: neither a problem nor a binding: %+v", data, b)
	}
	_, _ = b.decode(resp.Value{Kind: resp.Array,
		Items: []resp.Value{{Kind: resp.Int, Int: 1}, {Kind: resp.String, Text: "x"}}})
}

// The same for bindings that are nearly right: known fields with values of all sorts.
func TestAnyBindingIsUsableOrHasProblems(t *testing.T) {
	fields := []string{"keys", "args", "admitted", "rejected", "element", "remaining", "retry_after", "init", "name",
		"nmae", "limit"}
	values := []string{`["{key}"]`, `["{limit}"]`, `[1]`, `[1, 2]`, `">= 0"`, `nil`, `"nil"`, `[nil, true]`,
		`{element: 1}`, `{unit: ms}`,
		`{element: [2, 1], unit: s}`, `{keys: ["{key}"]}`, `{script: x.lua, keys: ["a"]}`, `my-name`, `""`, `1`, `{}`,
		`[]`, ``, `[[1]]`, `1.5`, `5/1m`, `["{id}:{now_ms // limit}", ""]`}
	rapid.Check(t, func(rt *rapid.T) {
		var text strings.Builder
		for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom(fields), rapid.ID[string]).Draw(rt, "fields") {
			text.WriteString(name + ": " + rapid.SampledFrom(values).Draw(rt, name) + "\n")
		}
		checkAnyBinding(t, []byte(text.String()))
	})
}

// A caller can tell problems of files from other errors, and sees each with its place.
func TestErrorsCarryTheirPlaces(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "my.lua", "return 1")
	writeFile(t, "my.yaml", "keys: [\"{key}\"]\nadmitted: [1]\nelement: 0\n")
	_, err := Load(OnDisk("my.lua"), threeSeconds)
	var problems strictyaml.Errors
	if !errors.As(err, &problems) {
		t.Fatal(err)
	}
	checkEqual(t, "problems", problems, strictyaml.Errors{{File: "my.yaml", Line: 3, Column: 10, Field: "element",
		Message: `0 is out of range; want a whole number from 1 to 1000`}})
}
