package commandline

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ratelab/internal/replay"
)

// mostShards is how many shards a job may have: more are more work to start than to do.
const mostShards = 1000

// Shard is the value of --shard; Of is 0 where it was not given.
type Shard struct{ replay.Shard }

func (s *Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return s.Shard.String()
}

// Type implements pflag.Value.
func (s *Shard) Type() string { return "I/N" }

// Wanted says what the value is to be.
func (s *Shard) Wanted() string {
	return fmt.Sprintf("one of N shards, such as 2/4, N from 1 to %d", mostShards)
}

// Set implements pflag.Value.
func (s *Shard) Set(text string) error {
	number, of, _ := strings.Cut(text, "/")
	i, err := strconv.Atoi(number)
	n, failed := strconv.Atoi(of)
	given := replay.Shard{Number: i, Of: n}
	if err != nil || failed != nil || given.String() != text || i < 1 || i > n || n > mostShards {
		return errors.New(s.Wanted())
	}
	s.Shard = given
	return nil
}
