package main

import (
	"fmt"
	"sort"
	"strings"

	"loadline/conformance/kueue/compare"
)

// tally counts what was compared, and what was reached: a zero there is a gap.
type tally struct {
	kinds   map[string]*counts
	reached map[string]int
	leftOut map[string]int
	differ  int
}

type counts struct{ scenarios, cycles, byChance, differ int }

func (t *tally) add(kind string, verdict *compare.Verdict) {
	it := t.kinds[kind]
	if it == nil {
		it = &counts{}
		t.kinds[kind] = it
	}
	it.scenarios++
	it.cycles += verdict.Answer.Cycles
	switch {
	case !verdict.Answer.Agrees():
		it.differ++
		t.differ++
	case verdict.Runs > 1:
		it.byChance++
	}
	for _, step := range verdict.Trace.Steps {
		if step.Cycle == nil {
			continue
		}
		for _, told := range step.Cycle.Events {
			t.reached[outcome(told)]++
		}
	}
}

var outcomes = []string{"Flavors considered", "Pending the preemption", "overlapping preemption targets", "no longer fits", "maximum capacity",
	"insufficient unused quota", "untolerated taint", "node affinity", "unavailable in ClusterQueue", "is inactive", "failed admission checks",
	"doesn't match ClusterQueue selector", "does not exist", "prioritization in the ClusterQueue", "reclamation within the cohort while borrowing",
	"reclamation within the cohort", "Fair Sharing within the cohort"}

// outcome names what an event tells.
func outcome(told string) string {
	_, told, _ = strings.Cut(told, " ")
	reason, message, _ := strings.Cut(told, ": ")
	for _, it := range outcomes {
		if strings.Contains(message, it) {
			return reason + ": " + it
		}
	}
	return reason
}

func (t *tally) print() int {
	var sum counts
	fmt.Printf("\n%-12s %9s %8s %9s %7s\n", "kind", "scenarios", "cycles", "by chance", "differ")
	for _, kind := range sorted(t.kinds) {
		it := t.kinds[kind]
		fmt.Printf("%-12s %9d %8d %9d %7d\n", kind, it.scenarios, it.cycles, it.byChance, it.differ)
		sum = counts{sum.scenarios + it.scenarios, sum.cycles + it.cycles, sum.byChance + it.byChance, sum.differ + it.differ}
	}
	fmt.Printf("%-12s %9d %8d %9d %7d\n\n", "all", sum.scenarios, sum.cycles, sum.byChance, sum.differ)
	for _, it := range sorted(t.leftOut) {
		fmt.Printf("%8d left out: %s\n", t.leftOut[it], it)
	}
	for _, it := range sorted(t.reached) {
		fmt.Printf("%8d %s\n", t.reached[it], it)
	}
	if sum.differ > 0 {
		return 1
	}
	return 0
}

func sorted[T any](of map[string]T) []string {
	var names []string
	for name := range of {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
