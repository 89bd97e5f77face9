package redis

import (
	"cmp"
	"context"
	"errors"
	"strings"
)

// ScriptMemory is how much, in bytes, a server that runs users' scripts alone may take in a run.
const ScriptMemory = 4 << 30

// StartPrivate starts a server of our own for users' scripts. It is of the same kind as the one that spec names where
// that is ours, so that the same script compiles. In place of a given server it is a real one, if there is one.
//
// Its keys begin with prefix; "": with that of all servers of ours. It may take so many bytes of memory: the embedded
// one is a process of its own, since its Lua obeys nothing.
func StartPrivate(ctx context.Context, spec, prefix string, memory int64) (*Server, error) {
	if checkKind(spec) != nil || strings.Contains(spec, "://") {
		spec = KindProcess
	}
	s, err := Start(ctx, spec, ForTrial(memory))
	var absent *Unavailable
	if errors.As(err, &absent) && spec == KindProcess {
		s, err = Start(ctx, KindEmbedded, ForTrial(memory))
	}
	if err != nil {
		return nil, err
	}
	s.Prefix = cmp.Or(prefix, s.Prefix)
	return s, nil
}
