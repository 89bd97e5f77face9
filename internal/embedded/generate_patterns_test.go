//go:build !js

package embedded_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// patterns is a program that matches texts with patterns, some of them broken.
func patterns(r *rand.Rand) *node {
	texts := lines(`a ## b ## c ## x ## 1 ## 7 ## - ## _ ## . ## : ## % ## ] ## [ ## ( ## ) ## ^ ## \0 ## \n ## \32 ## \255 ## ab ## A`)
	text := func() string {
		var b strings.Builder
		for range r.IntN(9) {
			b.WriteString(pick(r, texts...))
		}
		return `"` + b.String() + `"`
	}
	items := lines(`a ## b ## 1 ## . ## %a ## %d ## %w ## %s ## %p ## %x ## %l ## %u ## %c ## %W ## %D ## %S ## %z ## %% ## %.
		%- ## - ## [ab] ## [^a] ## [%w-_] ## [a-c] ## [a-c-x] ## [x--] ## []a] ## [^]x] ## [%a-] ## [-a] ## [a-] ## [%d.-]
		[%z1] ## () ## %1 ## %b() ## %bab ## %f[%w] ## %f[^a] ## ^ ## $ ## ] ## ab ## [%] ## [a ## %b ## %ba ## %2 ## %f
		[a-%d] ## [%a-z] ## ( ## )`)
	var pattern func(depth int) string
	pattern = func(depth int) string {
		var b strings.Builder
		for range 1 + r.IntN(4) {
			if depth > 0 && r.IntN(5) == 0 {
				b.WriteString("(" + pattern(depth-1) + ")")
				continue
			}
			b.WriteString(pick(r, items...))
			if r.IntN(3) == 0 {
				b.WriteString(pick(r, "*", "+", "-", "?"))
			}
		}
		return b.String()
	}
	calls := lines(`tell(pcall(string.match, %s, '%s')) ## tell(pcall(string.find, %s, '%s')) ## tell(pcall(string.find, %s, '%s', 2))
		tell(pcall(string.gsub, %s, '%s', '<%%0>')) ## tell(pcall(string.gsub, %s, '%s', '%%1.'))
		tell(pcall(string.gsub, %s, '%s', {a = 1, ab = false, b = 'B'}, 2)) ## tell(pcall(string.match, %s, '%s', -3))
		tell(pcall(string.gsub, %s, '%s', function(...) return (select('#', ...)) .. tostring((...)) end))
		tell(pcall(string.find, %s, '%s', 1, true)) ## tell((%s):match('%s'))
		tell(pcall(function() for a, b in string.gmatch(%s, '%s') do spend() tell(a, b) end end))`)
	root := &node{}
	for range 1 + r.IntN(3) {
		pat := pick(r, "", "", "", "^") + pattern(2) + pick(r, "", "", "", "$")
		root.kids = append(root.kids, &node{open: fmt.Sprintf(pick(r, calls...), text(), pat)})
	}
	return root
}
