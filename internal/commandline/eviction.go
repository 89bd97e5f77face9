package commandline

import "github.com/spf13/pflag"

// EvictionFlag registers --allow-eviction, which goes with --redis.
func EvictionFlag(fs *pflag.FlagSet, allowed *bool) {
	fs.BoolVar(allowed, "allow-eviction", false,
		"use your server though it evicts keys when its memory is full; a run that meets this ends with an error")
}
