package clitest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
)

// oldRedisProgram imitates a redis-server 5.0.7 during its start. The variable OLD_REDIS has its path.
const oldRedisProgram = "old-redis-server"

// oldRedis answers like an old Redis at the socket in its arguments, until it is killed.
func oldRedis() {
	at := slices.Index(os.Args, "--unixsocket")
	listener, err := net.Listen("unix", os.Args[at+1])
	if err != nil {
		panic(err)
	}
	for {
		conn, err := listener.Accept()
		if err != nil {
			panic(err)
		}
		go answerAsOld(conn)
	}
}

// answerAsOld replies to each command of a connection. It reads only the name of the command.
func answerAsOld(conn net.Conn) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	for {
		var words, length int
		if _, err := fmt.Fscanf(r, "*%d\r\n", &words); err != nil {
			return
		}
		var name []byte
		for i := range words {
			if _, err := fmt.Fscanf(r, "$%d\r\n", &length); err != nil {
				return
			}
			word := make([]byte, length+len("\r\n"))
			if _, err := io.ReadFull(r, word); err != nil {
				return
			}
			if i == 0 {
				name = word[:length]
			}
		}
		switch strings.ToUpper(string(name)) {
		case "PING":
			fmt.Fprint(conn, "+PONG\r\n")
		case "INFO":
			text := fmt.Sprintf("# Server\r\nredis_version:5.0.7\r\nprocess_id:%d\r\n", os.Getpid())
			fmt.Fprintf(conn, "$%d\r\n%s\r\n", len(text), text)
		case "EVAL": // capabilities.lua, without redis.acl_check_cmd
			fmt.Fprint(conn, "*1\r\n$3\r\nold\r\n")
		default:
			fmt.Fprintf(conn, "-ERR unknown command `%s`\r\n", name)
		}
	}
}
