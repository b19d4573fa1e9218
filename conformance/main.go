// Command conformance compares Loadline with the real kube-scheduler on random clusters.
//
// One seed is one cluster. The real scheduler works through it; Loadline is asked for each of its decisions; where the
// two differ, the cluster is made as small as it can be and written down as a case.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	options := options{}
	flag.Int64Var(&options.first, "first-seed", 1, "the first seed")
	flag.Int64Var(&options.count, "seeds", 300, "how many seeds")
	flag.BoolVar(&options.groups, "groups", false, "put pods of each cluster into PodGroups")
	flag.BoolVar(&options.topology, "topology", false, "with --groups: turn TopologyAwareWorkloadScheduling on, and give groups topology constraints")
	flag.DurationVar(&options.limit, "time-limit", 0, "begin no further seed after so long; 0: no limit")
	flag.IntVar(&options.workers, "workers", 2, "how many clusters at a time")
	flag.StringVar(&options.program, "loadline", "build/release/loadline-conformance", "the program that answers for Loadline")
	flag.StringVar(&options.folder, "out", "build/conformance", "where cases that diverge are written to")
	flag.DurationVar(&options.patience, "shrink", time.Minute, "how long to look for a smaller case of one divergence")
	flag.StringVar(&options.record, "record", "", "write what the real scheduler does, with the first seed or the one folder, to this folder, and do no more")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "usage: conformance [OPTION…] [FOLDER…]\n"+
			"Compares Loadline with the real kube-scheduler on random clusters, or on the input.json of folders.\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	options.inputs = flag.Args()
	diverging, err := run(options)
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(2)
	}
	if diverging > 0 {
		os.Exit(1)
	}
}
