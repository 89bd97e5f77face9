package luavm

import "math"

// maths returns the library math, without random numbers. Functions whose last bits differ between C libraries end the
// run.
func maths() map[string]Native {
	all := map[string]Native{
		"max": extreme(func(a, b float64) bool { return a > b }),
		"min": extreme(func(a, b float64) bool { return a < b }),
		"frexp": func(t *Thread, args []Value) []Value {
			fraction, exponent := math.Frexp(t.Float(args, 1))
			return t.All(Number(fraction), Int(exponent))
		},
		"ldexp": func(t *Thread, args []Value) []Value {
			return t.One(Number(math.Ldexp(t.Float(args, 1), t.short(args, 2))))
		},
		"modf": func(t *Thread, args []Value) []Value {
			n := t.Float(args, 1)
			whole := math.Trunc(n)
			if math.IsInf(n, 0) {
				return t.All(Number(n), Number(math.Copysign(0, n)))
			}
			return t.All(Number(whole), Number(math.Copysign(n-whole, n)))
		},
		"abs": func(t *Thread, args []Value) []Value { return t.One(Number(math.Abs(t.Float(args, 1)))) },
		"fmod": func(t *Thread, args []Value) []Value {
			b := t.Float(args, 2) // the second argument first, as compiled C code does
			a := t.Float(args, 1)
			return t.One(Number(computed(math.Mod(a, b), a, b)))
		},
		"pow": func(t *Thread, args []Value) []Value {
			b := t.Float(args, 2)
			return t.One(Number(compute('^', t.Float(args, 1), b)))
		},
	}
	all["mod"] = all["fmod"]
	for name, f := range map[string]func(float64) float64{"ceil": math.Ceil, "floor": math.Floor, "sqrt": math.Sqrt,
		"deg": func(n float64) float64 { return n / (math.Pi / 180) },
		"rad": func(n float64) float64 { return n * (math.Pi / 180) }} {
		all[name] = func(t *Thread, args []Value) []Value {
			n := t.Float(args, 1)
			return t.One(Number(computed(f(n), n, n)))
		}
	}
	for _, name := range []string{"exp", "log", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
		"tanh", "atan2"} {
		all[name] = func(t *Thread, args []Value) []Value {
			t.Float(args, 1)
			inexact("math." + name)
			return nil
		}
	}
	return all
}

func extreme(better func(a, b float64) bool) Native {
	return func(t *Thread, args []Value) []Value {
		best := t.Float(args, 1)
		for i := 2; i <= len(args); i++ {
			if n := t.Float(args, i); better(n, best) {
				best = n
			}
		}
		return t.One(Number(best))
	}
}
