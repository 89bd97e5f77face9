package main

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall/js"
	"time"
)

// version is the version of the module. The build sets it.
var version = ""

// beatEvery is the shortest time between two messages that tell the page that the engine is working.
const beatEvery = 100 * time.Millisecond

// memory is the size from which garbage is collected as often as needed to stay below it. The page allows 512 MB.
const memory = 384 << 20

// main answers questions, which the page asks with the function ask. It posts texts: a kind, a blank and JSON.
func main() {
	debug.SetGCPercent(400) // one thread does both the work and the collection
	debug.SetMemoryLimit(memory)
	post := js.Global().Get("postMessage")
	say := func(kind string, part any) {
		text, err := json.Marshal(part)
		if err != nil {
			kind, text = "error", []byte(strconv.Quote(err.Error()))
		}
		post.Invoke(kind + " " + string(text))
	}
	var last time.Time
	e := newEngine(func() {
		if now := time.Now(); now.Sub(last) > beatEvery {
			last = now
			say("beat", nil)
		}
	})
	questions := make(chan string, 1)
	js.Global().Set("ask", js.FuncOf(func(_ js.Value, args []js.Value) any {
		questions <- args[0].String()
		return nil
	}))
	say("ready", nil)
	for text := range questions {
		var q question
		var found any
		err := json.Unmarshal([]byte(text), &q)
		if err == nil {
			found, err = e.ask(context.Background(), &q)
		}
		if err != nil {
			say("error", strings.ReplaceAll(err.Error(), "; use --redis", "; on a terminal use --redis"))
		} else {
			say(q.Part, found)
		}
	}
}
