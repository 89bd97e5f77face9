package recording

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"ratelab/internal/wording"
)

// checkKind tells what a document is from the fields that every version of it has.
func checkKind(data []byte, want string, kinds []string) (string, *BadFile) {
	var head struct {
		SchemaVersion json.RawMessage `json:"schema_version"`
		Kind          json.RawMessage `json:"kind"`
		Tool          json.RawMessage `json:"tool"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return "", &BadFile{Problem: "is none of bench's results", Remedy: want, Err: err}
	}
	var kind string
	if json.Unmarshal(head.Kind, &kind) != nil {
		return "", &BadFile{Problem: notOurs(head.Tool), Remedy: want}
	}
	version := string(head.SchemaVersion)
	if version != fmt.Sprint(SchemaVersion) {
		return "", otherVersion(version)
	}
	if !slices.Contains(kinds, kind) {
		return "", &BadFile{Problem: fmt.Sprintf("is of kind %s", describe(kind)), Remedy: want}
	}
	return kind, nil
}

func notOurs(tool json.RawMessage) string {
	var named struct{ Name string }
	if json.Unmarshal(tool, &named) == nil && named.Name != "" && named.Name != "bench" {
		return "is a result of " + wording.Bare(named.Name)
	}
	return "is none of bench's results"
}

func describe(kind string) string {
	switch kind {
	case KindBench:
		return `"bench", a result of bench run`
	case KindPaired:
		return `"paired", two sides measured in turn`
	}
	return wording.Quote(kind)
}

func otherVersion(stated string) *BadFile {
	version, err := strconv.Atoi(stated)
	switch {
	case err != nil:
		return &BadFile{Problem: fmt.Sprintf("schema_version is %s, want %d", wording.Quote(stated), SchemaVersion), Remedy: wantOriginal}
	case version > SchemaVersion:
		return &BadFile{Problem: fmt.Sprintf("schema_version %d is newer than %d, which this program reads", version, SchemaVersion),
			Remedy: "use the version of bench that wrote it, or a newer one"}
	}
	return &BadFile{Problem: fmt.Sprintf("schema_version %d is older than %d, which this program reads", version, SchemaVersion),
		Remedy: "measure again, or use the version of bench that wrote it"}
}
