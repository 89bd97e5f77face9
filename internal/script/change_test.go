package script

import "testing"

// A template that changes has the other's text from the instant on, and with periods in turn; with a prefix as well.
func TestChangingByHand(t *testing.T) {
	of := func(text string) *Program {
		return &Program{Decide: Call{Args: []Template{Literal("a"), NowUS(1), Literal(text)}}}
	}
	text := func(p *Program, i int, nowUS int64) string {
		return string(p.Decide.Args[i].WithPrefix("x").Append(nil, &Vars{NowUS: nowUS}))
	}
	once, turns := of("10").Changing(of("20"), 100, 0), of("10").Changing(of("20"), 100, 50)
	for nowUS, want := range map[int64][2]string{0: {"x10", "x10"}, 99: {"x10", "x10"}, 100: {"x20", "x20"},
		149: {"x20", "x20"}, 150: {"x20", "x10"}, 200: {"x20", "x20"}, 250: {"x20", "x10"}} {
		if got := [2]string{text(once, 2, nowUS), text(turns, 2, nowUS)}; got != want {
			t.Errorf("at %d: %q, want %q", nowUS, got, want)
		}
	}
	if _, constant := once.Decide.Args[0].Constant(); !constant || !once.Decide.Args[1].IsNow() {
		t.Error("what is equal in both programs changes")
	}
	if _, constant := once.Decide.Args[2].Constant(); constant || once.Decide.Args[2].Same(Vars{}, Vars{NowUS: 1}) {
		t.Error("what changes is called constant")
	}
	if !once.Changes() || of("10").Changing(of("10"), 100, 0).Changes() {
		t.Error("Changes is wrong")
	}
}
