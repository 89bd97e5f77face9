package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"ratelab/internal/cli"
	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
)

// red is a verdict: the script or limiter, the scenario, and the difference.
type red struct{ script, where, text string }

// Every command with a verdict says the same in JSON, JUnit and SARIF, and each format is valid by its schema.
func TestVerdictsAreAlikeInAllFormats(t *testing.T) {
	ownFolder(t)
	t.Setenv("PATH", "") // the embedded server decides
	write(t, "log.csv", "at,user\n0,a\n0.1,a\n0.2,a\n0.3,b\n")
	printed(t, 0, "check", "limits", "--accept")
	for _, c := range []struct {
		args   string
		change string // of the script, whose limit is ARGV[1]
		code   int
		reds   int
		sarif  bool
	}{
		{"check limits", "ARGV[1]", 0, 0, true},
		{"compare --base good.lua --head limits/limiter.lua extreme-case-1", "ARGV[1]", 0, 0, true},
		{"check limits", "ARGV[1] + 1", 1, 3, true},
		{"compare --base good.lua --head limits/limiter.lua extreme-case-1 --limit 10/1s", "ARGV[1] + 1", 1, 4, true},
		{"examine limits/limiter.lua --limit 100/1m", "ARGV[1] + 1", 1, 1, true},
		{"examine limits/limiter.lua --limit 100/1m", "ARGV[1]", 0, 0, true},
		{"examine gcra good.lua --limit 100/1m", "ARGV[1]", 0, 0, true},
		{"limits --trace log.csv --limit 5/1s --limit 1/1s --max-newly-rejected 1", "ARGV[1]", 1, 1, false},
		{"limits --trace log.csv --limit 5/1s --limit 1/1s --max-newly-rejected 2", "ARGV[1]", 0, 0, false},
	} {
		write(t, "limits/limiter.lua", strings.Replace(limiterLua, "ARGV[1]", c.change, 1))
		run := func(format string) string {
			return printed(t, c.code, append(strings.Fields(c.args), "-q", "--format", format)...)
		}
		want := inJSON(t, run("json"))
		if len(want) != c.reds {
			t.Errorf("%s: %d red verdicts, want %d: %q", c.args, len(want), c.reds, want)
		}
		if got := inJUnit(t, run("junit")); !slices.Equal(got, want) {
			t.Errorf("%s: JUnit has\n%q\nand JSON\n%q", c.args, got, want)
		}
		if !c.sarif {
			continue
		}
		if got := inSARIF(t, run("sarif")); !slices.Equal(got, want) {
			t.Errorf("%s: SARIF has\n%q\nand JSON\n%q", c.args, got, want)
		}
	}
}

const limiterLua = `local n = redis.call('INCR', KEYS[1])
if n == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return n <= tonumber(ARGV[1]) and 1 or 0
`

// ownFolder changes to a folder with a script and a scenario of its own.
func ownFolder(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.Mkdir("limits", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"good", "limits/limiter"} {
		write(t, name+".lua", limiterLua)
		write(t, name+".yaml", "keys: [\"rl:{key}\"]\nargs: [\"{limit}\", \"{window_ms}\"]\nadmitted: [1]\n")
	}
	write(t, "limits/edge.yaml", `name: edge
question: Does our limiter hold when a client comes back after a minute?
limit: {requests: 10, per: 1m}
phases:
  - {name: first, duration: 61s, burst: 30}
  - {name: second, duration: 1s, burst: 30}
expect:
  - {algorithm: limiter, admitted: 20}
`)
}

// printed returns the standard output of a run, which must end with that exit code.
func printed(t *testing.T, code int, args ...string) string {
	t.Helper()
	var out, complaints bytes.Buffer
	if got := program(t.Context(), args, cli.Streams{Stdout: &out, Stderr: &complaints}); got != code {
		t.Fatalf("%q: exit code %d, want %d\n%s%s", args, got, code, &out, &complaints)
	}
	return out.String()
}

func sorted(all []red) []red {
	slices.SortFunc(all, func(a, b red) int {
		return strings.Compare(a.script+a.where+a.text, b.script+b.where+b.text)
	})
	return all
}

func inJSON(t *testing.T, text string) (all []red) {
	t.Helper()
	if err := resulttest.Validate(t, text); err != nil {
		t.Fatal(err)
	}
	var d result.Document
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	for _, v := range d.Verdicts {
		for _, g := range v.Gates {
			for _, j := range g.Rows {
				if j.Outcome == result.Regression {
					all = append(all, red{j.Script, j.Where, j.Statement})
				}
			}
		}
	}
	for _, e := range d.Examinations {
		for _, f := range e.Findings[:e.Faults()] {
			all = append(all, red{"limits/limiter.lua", e.Limit.String(), f.String()})
		}
	}
	for _, u := range d.Users {
		if u.Change.NewlyRejected > *u.Change.Most {
			all = append(all, red{"5/1s -> 1/1s", u.WithinSecond, "2 newly rejected; --max-newly-rejected allows 1"})
		}
	}
	return sorted(all)
}

// junitParts are the elements of JUnit that the programs write, with all their attributes and the elements inside. The
// schema junit-10.xsd of Jenkins' xUnit plugin permits more.
var junitParts = map[string]struct{ attributes, inside string }{
	"":           {"", "testsuites"},
	"testsuites": {"", "testsuite"},
	"testsuite":  {"name tests failures errors skipped", "testcase"},
	"testcase":   {"name classname", "failure error skipped"},
	"failure":    {"type message", ""},
	"error":      {"type message", ""},
	"skipped":    {"type message", ""},
}

func inJUnit(t *testing.T, text string) (all []red) {
	t.Helper()
	decoder, open := xml.NewDecoder(strings.NewReader(text)), []string{""}
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			var names []string
			for _, a := range e.Attr {
				names = append(names, a.Name.Local)
			}
			inside := strings.Fields(junitParts[open[len(open)-1]].inside)
			if !slices.Contains(inside, e.Name.Local) ||
				strings.Join(names, " ") != junitParts[e.Name.Local].attributes {
				t.Errorf("<%s> in <%s> with the attributes %q", e.Name.Local, open[len(open)-1], names)
			}
			open = append(open, e.Name.Local)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
	var suites struct {
		Suites []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Cases    []struct {
				Name    string `xml:"name,attr"`
				Class   string `xml:"classname,attr"`
				Failure string `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(text), &suites); err != nil {
		t.Fatal(err)
	}
	for _, s := range suites.Suites {
		failures := 0
		for _, c := range s.Cases {
			for line := range strings.Lines(c.Failure) {
				if c.Name == "findings" || c.Name == "newly rejected" { // of a gate without scenarios
					c.Name = ""
				}
				all = append(all, red{c.Class, c.Name, strings.TrimSuffix(line, "\n")})
			}
			if c.Failure != "" {
				failures++
			}
		}
		if s.Tests != len(s.Cases) || s.Tests == 0 || s.Failures != failures {
			t.Errorf("%d tests and %d failures; the cases are %+v", s.Tests, s.Failures, s.Cases)
		}
	}
	return sorted(all)
}

// sarifSchema describes the part of SARIF 2.1.0 that the programs write. It permits less than the schema of OASIS.
const sarifSchema = `{
  "$defs": {
    "log": {"type": "object", "additionalProperties": false, "required": ["$schema", "version", "runs"],
      "properties": {"$schema": {"type": "string", "format": "uri"}, "version": {"const": "2.1.0"},
      "runs": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/run"}}}},
    "run": {"type": "object", "additionalProperties": false, "properties": {
      "automationDetails": {"type": "object", "additionalProperties": false, "required": ["id"],
        "properties": {"id": {"type": "string", "pattern": "^[a-z-]+[.].+/$"}}},
      "tool": {"type": "object", "additionalProperties": false, "required": ["driver"],
        "properties": {"driver": {"$ref": "#/$defs/driver"}}},
      "results": {"type": "array", "items": {"$ref": "#/$defs/result"}}},
      "required": ["automationDetails", "tool", "results"]},
    "driver": {"type": "object", "additionalProperties": false, "required": ["name", "rules"], "properties": {
      "name": {"const": "ratelab"}, "version": {"type": "string"},
      "rules": {"type": "array", "uniqueItems": true, "items": {"$ref": "#/$defs/rule"}}}},
    "rule": {"type": "object", "additionalProperties": false, "required": ["id", "shortDescription", "help"],
      "properties": {"id": {"type": "string", "pattern": "^[a-z0-9_]+$"},
        "shortDescription": {"$ref": "#/$defs/text"}, "help": {"$ref": "#/$defs/text"}}},
    "text": {"type": "object", "additionalProperties": false, "required": ["text"],
      "properties": {"text": {"type": "string", "minLength": 1}}},
    "result": {"type": "object", "additionalProperties": false,
      "required": ["ruleId", "level", "message", "locations", "partialFingerprints"], "properties": {
        "ruleId": {"type": "string"}, "level": {"enum": ["error", "warning", "note"]},
        "message": {"$ref": "#/$defs/text"},
        "locations": {"type": "array", "minItems": 1, "maxItems": 1, "items": {"$ref": "#/$defs/location"}},
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string", "minLength": 32}}}},
    "location": {"type": "object", "additionalProperties": false, "properties": {
      "logicalLocations": {"type": "array", "items": {"type": "object", "additionalProperties": false,
        "required": ["name"], "properties": {"name": {"type": "string"}}}},
      "physicalLocation": {"type": "object", "additionalProperties": false,
        "required": ["artifactLocation", "region"], "properties": {
          "artifactLocation": {"type": "object", "additionalProperties": false, "required": ["uri"],
            "properties": {"uri": {"type": "string", "format": "uri-reference"}}},
          "region": {"type": "object", "additionalProperties": false, "required": ["startLine"],
            "properties": {"startLine": {"type": "integer", "minimum": 1}}}}}}}
  },
  "$ref": "#/$defs/log"
}`

// sarifLog is the part of SARIF that these tests read.
type sarifLog struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Rules []struct{ ID string }
			}
		}
		Results []struct {
			RuleID    string
			Level     string
			Message   struct{ Text string }
			Locations []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI string }
					Region           struct{ StartLine int }
				}
			}
			PartialFingerprints map[string]string
		}
	}
}

func readSARIF(t *testing.T, text string) (log sarifLog) {
	t.Helper()
	if err := errors.Join(resulttest.ValidateBy(t, sarifSchema, text), json.Unmarshal([]byte(text), &log)); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return log
}

func inSARIF(t *testing.T, text string) (all []red) {
	t.Helper()
	run, prints, rules := readSARIF(t, text).Runs[0], map[string]bool{}, map[string]bool{}
	for _, r := range run.Tool.Driver.Rules {
		rules[r.ID] = true
	}
	for _, r := range run.Results {
		id := r.PartialFingerprints["verdict/v1"]
		if prints[id] || !rules[r.RuleID] {
			t.Errorf("%s: the fingerprint %q is not the only one, or there is no rule", r.RuleID, id)
		}
		prints[id] = true
		if r.Level != "error" {
			continue
		}
		where, text, _ := strings.Cut(r.Message.Text, ": ")
		if strings.HasPrefix(where, "new ") { // a finding of check has no scenario
			where, text = "", r.Message.Text
		}
		all = append(all, red{r.Locations[0].PhysicalLocation.ArtifactLocation.URI, where, text})
	}
	return sorted(all)
}

// A fingerprint stays when figures and lines change.
func TestFingerprintsAreStable(t *testing.T) {
	ownFolder(t)
	t.Setenv("PATH", "")
	prints := func() (all []string) {
		text := printed(t, 1, "examine", "limits/limiter.lua", "--limit", "100/1m", "-q", "--format", "sarif")
		for _, r := range readSARIF(t, text).Runs[0].Results {
			all = append(all, r.PartialFingerprints["verdict/v1"])
		}
		return all
	}
	write(t, "limits/limiter.lua", strings.Replace(limiterLua, "ARGV[1]", "ARGV[1] + 2", 1))
	before := prints()
	write(t, "limits/limiter.lua", "-- more\n\n"+strings.Replace(limiterLua, "ARGV[1]", "ARGV[1] + 3", 1))
	if after := prints(); len(before) == 0 || !slices.Equal(before, after) {
		t.Errorf("%q, then %q", before, after)
	}
}

// Notes about the source have the line, change no verdict, and are not part of the accepted findings.
func TestNotesHaveTheLine(t *testing.T) {
	ownFolder(t)
	t.Setenv("PATH", "")
	write(t, "limits/limiter.yaml", "keys: [\"rl:{{{key}}}\"]\nargs: [\"{limit}\", \"{window_ms}\"]\nadmitted: [1]\n")
	printed(t, 0, "check", "limits", "--accept")
	write(t, "limits/limiter.lua", `-- a counter in two keys of one slot
local n = redis.call('INCR', KEYS[1])
local since = KEYS[1] .. ':since'

if n == 1 then
  redis.call('SET', since, 1, 'PX', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[1 + table.getn({1})])
end
return n <= tonumber((unpack(ARGV))) and 1 or 0
`)
	got := map[string]int{}
	text := printed(t, 0, "examine", "limits/limiter.lua", "--limit", "10/1m", "-q", "--format", "sarif")
	for _, r := range readSARIF(t, text).Runs[0].Results {
		if at := r.Locations[0].PhysicalLocation.Region.StartLine; at > 1 {
			name, _, _ := strings.Cut(r.Message.Text[strings.Index(r.Message.Text, "line "):], " is ")
			got[r.RuleID+" "+r.Level+" "+name] = at
		}
	}
	want := map[string]int{"undeclared_key note line 6: the script touches the key \"rl:{k0}:since\", which": 6,
		"lua_51_only note line 7: table.getn": 7, "lua_51_only note line 9: unpack": 9}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v\n%s", got, want, text)
	}
	table := printed(t, 0, "examine", "limits/limiter.lua", "--limit", "10/1m", "-q")
	if strings.Count(table, "\nnote ") != 3 || !strings.Contains(table, "0 faults, 1") {
		t.Error(table)
	}
	if out := printed(t, 1, "check", "limits", "-q", "--format", "csv"); strings.Contains(out, "lua_51_only") {
		t.Error(out)
	}
}
