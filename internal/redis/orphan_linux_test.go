package redis

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test's binary play the harness that is killed: see TestKilledHarnessLeavesNoServer.
func TestMain(m *testing.M) {
	if os.Getenv("RATELAB_TEST_HARNESS") == "1" {
		harness()
	}
	os.Exit(m.Run())
}

// harness starts a server, says where it is and waits to be killed.
func harness() {
	s, err := Start(context.Background(), "process")
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	fmt.Println(s.target.addr)
	select {}
}

func TestKilledHarnessLeavesNoServer(t *testing.T) {
	private(t).Close() // skips where there is no redis-server
	program := exec.Command(os.Args[0])
	program.Env = append(os.Environ(), "RATELAB_TEST_HARNESS=1")
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	socket, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(socket, "/") {
		t.Fatalf("the harness said %q: %v", socket, err)
	}
	at := target{network: "unix", addr: strings.TrimSpace(socket), label: "orphan"}
	defer os.RemoveAll(filepath.Dir(at.addr))
	conn, err := at.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	program.Process.Kill()
	program.Wait()
	conn.SetReadDeadline(time.Now().Add(patience)) // reached only by a server that lives on
	if _, err := conn.Read(make([]byte, 1)); TimedOut(err) {
		io.WriteString(conn, "SHUTDOWN NOSAVE\r\n")
		t.Error("the server outlived the harness that started it")
	}
}
