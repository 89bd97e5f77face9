package embedded

import (
	"fmt"
	"math"
	bits32 "math/bits"

	"ratelab/internal/luavm"
)

// bits returns the library bit.
func bits() *luavm.Table {
	// The library adds 2^52 + 2^51 to a number. The lower bits of the sum are then the rounded number.
	of := func(t *luavm.Thread, args []luavm.Value, i int) uint32 {
		return uint32(math.Float64bits(t.Float(args, i) + 3<<51))
	}
	one := func(t *luavm.Thread, n uint32) []luavm.Value { return t.One(luavm.Number(float64(int32(n)))) }
	fold := func(f func(a, b uint32) uint32) luavm.Native {
		return func(t *luavm.Thread, args []luavm.Value) []luavm.Value {
			n := of(t, args, 1)
			for i := 2; i <= len(args); i++ {
				n = f(n, of(t, args, i))
			}
			return one(t, n)
		}
	}
	shift := func(f func(a uint32, n int) uint32) luavm.Native {
		return func(t *luavm.Thread, args []luavm.Value) []luavm.Value {
			return one(t, f(of(t, args, 1), int(of(t, args, 2)&31)))
		}
	}
	return luavm.NewLibrary(map[string]luavm.Native{
		"tobit":   func(t *luavm.Thread, args []luavm.Value) []luavm.Value { return one(t, of(t, args, 1)) },
		"bnot":    func(t *luavm.Thread, args []luavm.Value) []luavm.Value { return one(t, ^of(t, args, 1)) },
		"band":    fold(func(a, b uint32) uint32 { return a & b }),
		"bor":     fold(func(a, b uint32) uint32 { return a | b }),
		"bxor":    fold(func(a, b uint32) uint32 { return a ^ b }),
		"lshift":  shift(func(a uint32, n int) uint32 { return a << n }),
		"rshift":  shift(func(a uint32, n int) uint32 { return a >> n }),
		"arshift": shift(func(a uint32, n int) uint32 { return uint32(int32(a) >> n) }),
		"rol":     shift(func(a uint32, n int) uint32 { return bits32.RotateLeft32(a, n) }),
		"ror":     shift(func(a uint32, n int) uint32 { return bits32.RotateLeft32(a, -n) }),
		"bswap": func(t *luavm.Thread, args []luavm.Value) []luavm.Value {
			return one(t, bits32.ReverseBytes32(of(t, args, 1)))
		},
		"tohex": func(t *luavm.Thread, args []luavm.Value) []luavm.Value {
			n, digits, form := of(t, args, 1), 8, "%08x"
			if len(args) > 1 {
				digits = int(int32(of(t, args, 2)))
			}
			if digits < 0 {
				digits, form = -digits, "%08X"
			}
			return t.One(luavm.String(fmt.Sprintf(form, n)[8-min(digits, 8):]))
		},
	})
}
