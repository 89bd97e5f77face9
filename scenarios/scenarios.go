// Package scenarios is the collection of built-in scenarios, one YAML file each. A file asks one question about rate
// limiters, describes the traffic for it, and states the expected answer. A file that is added here is built in.
package scenarios

import "embed"

// Files are the scenarios, as NAME.yaml.
//
//go:embed *.yaml
var Files embed.FS

// Schema is the JSON Schema (draft 2020-12) of scenario files, for editors. scenario.Parse checks more.
//
//go:embed schema.json
var Schema []byte
