// Perf measures the real Kueue's core, in process and in virtual time, on a generator of bench/queue.
//
// What is real: Kueue's caches, queues, scheduler, and the event handlers of its controller of workloads, with its default
// feature gates. Replaced are the API server, by one that answers at once, and the clock.
//
//	perf [-batch-ms N] [-seconds S] [-quick] GENERATOR
//
// prints one line of JSON.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	batch := flag.Int64("batch-ms", 1000, "what is inadmissible comes back so many milliseconds after what may help it")
	seconds := flag.Float64("seconds", 60, "stop after so much processor time; 0: at the end")
	quick := flag.Bool("quick", false, "a tenth of the workloads")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctrl.SetLogger(logr.Discard())
	if err := measureFile(flag.Arg(0), *quick, time.Duration(*batch)*time.Millisecond, time.Duration(*seconds*float64(time.Second))); err != nil {
		fmt.Fprintln(os.Stderr, "perf:", err)
		os.Exit(1)
	}
}

func measureFile(file string, quick bool, batch, limit time.Duration) error {
	generator, err := readGenerator(file)
	if err != nil {
		return err
	}
	if quick {
		generator.shrink()
	}
	r, err := newRun(generator, batch, limit)
	if err != nil {
		return err
	}
	measured, err := r.measure()
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(measured)
}
