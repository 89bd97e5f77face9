package redis

import (
	"os"
	"os/exec"
	"slices"
	"testing"
)

// A process that is confined runs where it was told to, and so do the threads of this one when it is its own turn.
func TestAProcessIsConfinedToItsProcessors(t *testing.T) {
	server, callers, ok := Apart()
	if !ok {
		t.Skip("one processor only")
	}
	if slices.Contains(callers, server) {
		t.Fatalf("the server's processor %d is one of the callers' %v", server, callers)
	}
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Wait()
	defer child.Process.Kill()
	if err := Confine(child.Process.Pid, []int{server}); err != nil {
		t.Fatal(err)
	}
	if got, err := allowed(child.Process.Pid); err != nil || !slices.Equal(got, []int{server}) {
		t.Errorf("the child may run on %v (%v), want %d alone", got, err, server)
	}

	before, err := allowed(0)
	if err != nil {
		t.Fatal(err)
	}
	defer Confine(os.Getpid(), before)
	if err := Confine(os.Getpid(), callers); err != nil {
		t.Fatal(err)
	}
	for range 8 { // whichever thread this runs on
		got := make(chan []int)
		go func() { all, _ := allowed(0); got <- all }()
		if all := <-got; !slices.Equal(all, callers) {
			t.Errorf("a thread may run on %v, want %v", all, callers)
		}
	}
}

func TestAProcessThatIsGoneCannotBeConfined(t *testing.T) {
	child := exec.Command("true")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	if err := Confine(child.Process.Pid, []int{0}); err == nil {
		t.Error("no error")
	}
}
