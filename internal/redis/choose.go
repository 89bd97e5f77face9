package redis

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"
)

// KindAuto stands for the server that Choose chooses. Start does not accept this kind.
const KindAuto = "auto"

// chooseTime bounds the start of a program in Choose. A redis-server needs about 20 ms.
const chooseTime = 3 * time.Second

// Choose returns the spec of the server that runs users' scripts. The spec names the first program on PATH that starts
// and supports virtual time. If there is none, the spec is KindEmbedded, and why has a short reason: the first clause
// of the first program's error. If REDIS_SERVER is set, only that program is tried. The error is the context's or that
// of an interrupt.
func Choose(ctx context.Context) (spec, why string, err error) {
	names := programs
	if name := os.Getenv("REDIS_SERVER"); name != "" {
		names = []string{name}
	}
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		limited, cancel := context.WithTimeout(ctx, chooseTime)
		s, err := Start(limited, KindProcess+"="+path, ForTrial(ScriptMemory))
		cancel()
		var absent *Unavailable
		if err == nil {
			s.Abandon() // it is empty, and an orderly end would take a tenth of a second
			return KindProcess + "=" + path, "", s.Close()
		} else if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			err = unavailable("%s does not answer within %v", path, chooseTime)
		}
		if !errors.As(err, &absent) {
			return "", "", err
		}
		trouble, _, _ := strings.Cut(strings.TrimPrefix(absent.Error(), "process: "), "; ")
		why = cmp.Or(why, strings.ReplaceAll(trouble, path, name)) // users know their PATH
	}
	return KindEmbedded, cmp.Or(why, "no "+names[0]+" on PATH"), nil
}
