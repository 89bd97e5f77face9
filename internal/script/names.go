package script

import (
	"fmt"
	"slices"
	"strings"
)

// The global names that a virtual clock can follow. Redis 7.0 and later, and Valkey, give them to every script. All
// other global names are refused. For the names in forbidden, the error states the reason.
var (
	functions = strings.Fields("assert error getmetatable ipairs next pairs pcall rawequal rawget rawset select " +
		"setmetatable tonumber tostring type unpack xpcall _VERSION")
	tables = strings.Fields("bit cjson cmsgpack coroutine math redis server string struct table KEYS ARGV")
)

const (
	reachesReal   = "reaches the server's own redis.call"
	compilesCode  = "compiles code that would see the real clock"
	absentInRedis = "does not exist in Redis"
	ownCollector  = "controls the server's own memory"
)

var forbidden = map[string]string{
	"_G": reachesReal, "getfenv": reachesReal + " (and does not exist in Redis)", "debug": reachesReal +
		" (and does not exist in Redis)",
	"package": reachesReal + " (and does not exist in Redis)",
	"setfenv": "replaces the environment (and does not exist in Redis)",
	"load":    compilesCode, "loadstring": compilesCode,
	"dofile": absentInRedis, "loadfile": absentInRedis, "require": absentInRedis, "module": absentInRedis,
	"io": absentInRedis, "print": absentInRedis, "newproxy": absentInRedis,
	"os":             "shows the real clock, which virtual time cannot control; want redis.call('TIME')",
	"collectgarbage": ownCollector, "gcinfo": ownCollector,
	"__redis__err__handler": "belongs to the server", "__server__err__handler": "belongs to the server",
}

// gone are functions of Lua 5.1 in Redis that Lua 5.4 does not have. Source: the manuals of Lua 5.1 to 5.4, section 8.
var gone = strings.Fields("unpack table.getn table.maxn table.setn table.foreach table.foreachi math.mod string.gfind")

// keyless are commands whose first argument is not a key.
var keyless = strings.Fields("acl client command config debug echo eval eval_ro evalsha evalsha_ro fcall fcall_ro " +
	"function info memory object ping publish script select spublish time")

// placed are functions whose results depend on memory addresses, if their arguments are tables or functions. rawget is
// among them because it reads the fields of redis.
var placed = strings.Fields("next pairs rawget rawset setmetatable tostring")

// Settings are functions of cjson that change it for all other scripts on the server, until the server stops. Harmless
// are its other functions.
const (
	Settings = "encode_sparse_array encode_max_depth decode_max_depth encode_number_precision encode_keep_buffer " +
		"encode_invalid_numbers decode_invalid_numbers decode_array_with_array_mt"
	Harmless = "encode decode null _NAME _VERSION"
)

var settings, harmless = strings.Fields(Settings), strings.Fields(Harmless)

// nameRefused returns the reason why a global name is refused, or "" if the name is permitted.
func nameRefused(name string) string {
	why, bad := forbidden[name]
	switch {
	case bad:
		return fmt.Sprintf("%s %s", name, why)
	case slices.Contains(functions, name) || slices.Contains(tables, name):
		return ""
	}
	return fmt.Sprintf("Redis has no global %.60q; declare it local, or correct its spelling", name)
}
