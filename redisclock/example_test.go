package redisclock_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/go-redis/redis_rate/v10"
	goredis "github.com/redis/go-redis/v9"

	"ratelab/internal/redis"
	"ratelab/redisclock"
)

// 10 per minute, past a library as it is and without a sleep: 19 requests pass within one minute.
func Example() {
	ctx := context.Background()
	clock := redisclock.New(time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC))
	client := goredis.NewClient(&goredis.Options{Addr: address()})
	client.AddHook(clock.Hook())
	limiter := redis_rate.NewLimiter(client)
	for _, wait := range []time.Duration{0, 59 * time.Second} {
		clock.Advance(wait)
		result, err := limiter.AllowAtMost(ctx, "user", redis_rate.PerMinute(10), 10)
		if err != nil {
			panic(err)
		}
		fmt.Println(clock.Now().Format("04:05"), result.Allowed, "of 10 pass")
	}
	// Output:
	// 00:00 10 of 10 pass
	// 00:59 9 of 10 pass
}

// Any driver takes a Dialer. Here the connection itself is one.
func ExampleDialer() {
	clock := redisclock.New(time.Unix(1_704_067_200, 0))
	conn, err := redisclock.Dialer{Clock: clock}.Dial("tcp", address())
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	send(conn, "SET session x EX 60")
	fmt.Println(line(conn))
	clock.Advance(45 * time.Second)
	send(conn, "TTL session")
	fmt.Println(line(conn))
	clock.Advance(16 * time.Second)
	send(conn, "EXISTS session")
	fmt.Println(line(conn))
	// Output:
	// +OK
	// :15
	// :0
}

// A client in any language connects to the Proxy, and steers the clock by a command.
func ExampleProxy() {
	dialer := redisclock.Dialer{Clock: redisclock.New(time.Unix(1_704_067_200, 0))}
	proxy, err := dialer.Proxy("127.0.0.1:0", "tcp", address())
	if err != nil {
		panic(err)
	}
	defer proxy.Close()
	conn, err := net.Dial("tcp", proxy.Addr())
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	for _, command := range []string{"SET session x EX 60", "RATELAB.CLOCK ADVANCE 61000000", "EXISTS session",
		"RATELAB.CLOCK GET"} {
		send(conn, command)
		fmt.Println(command, line(conn))
	}
	// Output:
	// SET session x EX 60 +OK
	// RATELAB.CLOCK ADVANCE 61000000 :1704067261000000
	// EXISTS session :0
	// RATELAB.CLOCK GET :1704067261000000
}

// send sends a command as a driver does.
func send(w io.Writer, command string) {
	words := strings.Fields(command)
	fmt.Fprintf(w, "*%d\r\n", len(words))
	for _, word := range words {
		fmt.Fprintf(w, "$%d\r\n%s\r\n", len(word), word)
	}
}

// line reads a line.
func line(r io.Reader) (text string) {
	for b := make([]byte, 1); ; text += string(b) {
		if _, err := io.ReadFull(r, b); err != nil || b[0] == '\r' {
			_, _ = io.ReadFull(r, b)
			return text
		}
	}
}

// address is that of an empty Redis, which ends with the process.
func address() string {
	server, err := redis.Start(context.Background(), redis.KindEmbedded)
	if err != nil {
		panic(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := server.Open(context.Background())
			if err != nil {
				return
			}
			go io.Copy(far, near)
			go io.Copy(near, far)
		}
	}()
	return l.Addr().String()
}
