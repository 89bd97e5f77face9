package algorithms

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"ratelab/algorithms/algotest"
	"ratelab/internal/longtest"
)

// Fifty thousand keys come and go, a few at a time: a model keeps those that Redis keeps, up to two seconds after they
// matter, and forgets no other. Every answer is that of a model with one key only.
func TestModelsForgetWhatIsOverAndNothingElse(t *testing.T) {
	for _, name := range limiting() {
		t.Run(name, func(t *testing.T) {
			p := policy(t, "3/10ms")
			many, random := modelOf(t, name, p), rand.New(rand.NewPCG(1, 2))
			for group := range int64(longtest.Of(500, 80)) {
				at := algotest.StartUS + group*3_000_000
				alone := map[string]func(int64) any{}
				for step := range int64(300) {
					key := fmt.Sprintf("%d-%d", group, random.IntN(100))
					if alone[key] == nil {
						l := modelOf(t, name, p)
						alone[key] = func(at int64) any { return l.Decide(at, at, "k", 1) }
					}
					now := at + step*100
					if got, want := any(many.Decide(now, now, key, 1)), alone[key](now); got != want {
						t.Fatalf("key %s at %d us: %+v; alone %+v", key, now, got, want)
					}
				}
			}
			if keys := keysIn(many); keys == 0 {
				t.Error("no keys found; want a model that keeps its state in a store")
			} else if keys > 512 && instanceOf(t, name, p).Init == nil { // configurations stay
				t.Errorf("%d keys in memory, 100 of which are in use", keys)
			}
		})
	}
}

// keysIn is the number of keys in the store that a model holds, in whichever of its fields; 0 without one.
func keysIn(model any) int { return keysOf(reflect.ValueOf(model)) }

func keysOf(v reflect.Value) int {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return keysOf(v.Elem())
	case reflect.Struct:
		if strings.HasPrefix(v.Type().Name(), "store[") {
			return v.FieldByName("states").Len()
		}
		keys := 0
		for i := range v.NumField() {
			keys += keysOf(v.Field(i))
		}
		return keys
	}
	return 0
}

// Once its keys are known, a model decides without allocating.
func TestModelsDoNotAllocateInTheSteadyState(t *testing.T) {
	for _, name := range Names() {
		l, at := modelOf(t, name, policy(t, "10/1ms")), algotest.StartUS
		decide := func() {
			for _, key := range []string{"a", "b", "c"} {
				at += 30
				l.Decide(at, at, key, 1)
			}
		}
		for range 1000 {
			decide()
		}
		if n := testing.AllocsPerRun(1000, decide); n != 0 {
			t.Errorf("%s: %v allocations for three decisions", name, n)
		}
	}
}
