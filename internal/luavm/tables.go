package luavm

// tables returns the library table.
func tables() map[string]Native {
	return map[string]Native{
		"concat": func(t *Thread, args []Value) []Value {
			between := ""
			if !argument(args, 2).IsNil() {
				between = t.Text(args, 2)
			}
			table := t.table(args, 1)
			from, to := t.optionalShort(args, 3, 1), t.optionalShort(args, 4, table.Len())
			t.buffer = t.buffer[:0]
			for i := from; i <= to; i++ {
				v := table.GetInt(i)
				switch {
				case v.isString():
					t.buffer = append(t.buffer, v.o.text...)
				case v.isNumber():
					t.buffer = AppendNumber(t.buffer, v.n)
				default:
					t.Fail("invalid value (%s) at index %d in table for 'concat'", v.Kind(), i)
				}
				if i < to {
					t.buffer = append(t.buffer, between...)
				}
				t.bound(len(t.buffer))
			}
			return t.One(String(string(t.buffer)))
		},
		"insert": func(t *Thread, args []Value) []Value {
			table := t.table(args, 1)
			at := table.Len() + 1
			switch len(args) {
			case 2:
			case 3:
				end := at
				at = t.short(args, 2)
				for i := max(end, at); i > at; i-- {
					t.setInt(table, i, table.GetInt(i-1))
				}
			default:
				t.Fail("wrong number of arguments to 'insert'")
			}
			t.setInt(table, at, args[len(args)-1])
			return nil
		},
		"remove": func(t *Thread, args []Value) []Value {
			table := t.table(args, 1)
			n := table.Len()
			at := t.optionalShort(args, 2, n)
			if at < 1 || at > n {
				return nil
			}
			removed := table.GetInt(at)
			for ; at < n; at++ {
				t.setInt(table, at, table.GetInt(at+1))
			}
			t.setInt(table, n, Nil)
			return t.One(removed)
		},
		"sort": func(t *Thread, args []Value) []Value {
			table := t.table(args, 1)
			s := sorter{t, table, argument(args, 2)}
			n := table.Len()
			if s.by.Kind() != KindNil && s.by.Kind() != KindFunction {
				t.badType(args, 2, "function")
			}
			s.sort(1, n)
			return nil
		},
		"getn": func(t *Thread, args []Value) []Value { return t.One(Int(t.table(args, 1).Len())) },
		"setn": func(t *Thread, args []Value) []Value {
			t.table(args, 1)
			t.Fail("'setn' is obsolete")
			return nil
		},
		"maxn": func(t *Thread, args []Value) []Value {
			most := 0.0
			for key, _, _ := t.table(args, 1).Next(Nil); !key.IsNil(); key, _, _ = args[0].Table().Next(key) {
				if key.isNumber() {
					most = max(most, key.n)
				}
			}
			return t.One(Number(most))
		},
		"foreach":  Refused("table.foreach"),
		"foreachi": Refused("table.foreachi"),
	}
}

// Refused returns a function that ends the run, because this package does not have the function of that name.
func Refused(name string) Native {
	return func(*Thread, []Value) []Value {
		Abort(&CannotError{"of " + name})
		return nil
	}
}

func (t *Thread) setInt(table *Table, i int, v Value) {
	t.writableTable(table)
	table.SetInt(i, v)
}

// sorter sorts a table with the steps of C's auxsort. The order of equal elements depends on these steps. So does the
// result for an inconsistent order function.
type sorter struct {
	t     *Thread
	table *Table
	by    Value
}

func (s *sorter) less(a, b Value) bool {
	if s.by.IsNil() {
		return s.t.ordered(a, b, false)
	}
	return first(s.t.Call(s.by, a, b)).Truth()
}

func (s *sorter) get(i int) Value { return s.table.GetInt(i) }

// swapIf exchanges elements i and j if the element at less is less than the one at than.
func (s *sorter) swapIf(less, than, i, j int) bool {
	if !s.less(s.get(less), s.get(than)) {
		return false
	}
	s.swap(i, j)
	return true
}

func (s *sorter) swap(i, j int) {
	a, b := s.get(i), s.get(j)
	s.t.setInt(s.table, i, b)
	s.t.setInt(s.table, j, a)
}

func (s *sorter) sort(low, high int) {
	for low < high {
		s.swapIf(high, low, low, high)
		if high-low == 1 {
			return
		}
		middle := (low + high) / 2
		if !s.swapIf(middle, low, middle, low) {
			s.swapIf(high, middle, middle, high)
		}
		if high-low == 2 {
			return
		}
		pivot := s.get(middle)
		s.swap(middle, high-1)
		i, j := low, high-1
		for {
			for i++; s.less(s.get(i), pivot); i++ {
				if i > high {
					s.t.Fail("invalid order function for sorting")
				}
			}
			for j--; s.less(pivot, s.get(j)); j-- {
				if j < low {
					s.t.Fail("invalid order function for sorting")
				}
			}
			if j < i {
				break
			}
			s.swap(i, j)
		}
		s.swap(high-1, i)
		if i-low < high-i {
			s.sort(low, i-1)
			low = i + 1
		} else {
			s.sort(i+1, high)
			high = i - 1
		}
	}
}
