// Package scenarios is the collection of traffic situations: one YAML file each, which asks one question of a rate
// limiter, describes the traffic that puts it, and states the answer to expect. A file that is put here is built in.
package scenarios

import "embed"

// Files are the scenarios, NAME.yaml each.
//
//go:embed *.yaml
var Files embed.FS

// Schema is the JSON Schema (draft 2020-12) of a scenario's file, for editors. It says less than scenario.Parse checks.
//
//go:embed schema.json
var Schema []byte
