package main

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

func workloadFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../bench/placement/*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var workloads []string
	for _, file := range files {
		if filepath.Base(filepath.Dir(file)) != "templates" {
			workloads = append(workloads, file)
		}
	}
	if len(workloads) == 0 {
		t.Fatal("no workloads")
	}
	return workloads
}

// shrink leaves at most so many nodes of each group, and pods in proportion, but at least one measured of each group.
func shrink(w *workload, count int) {
	nodes := 0
	for _, group := range w.Nodes {
		nodes += group.Count
	}
	for i := range w.Nodes {
		w.Nodes[i].Count = min(w.Nodes[i].Count, count)
	}
	for i := range w.Init {
		w.Init[i].Count = w.Init[i].Count * count / nodes
	}
	for i := range w.Measure {
		w.Measure[i].Count = max(1, w.Measure[i].Count*count/nodes)
	}
}

// The real scheduler places all measured pods of every workload, whatever comes in between, and then stops by itself.
func TestEveryWorkloadIsScheduled(t *testing.T) {
	for _, file := range workloadFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			w, err := readWorkload(file)
			if err != nil {
				t.Fatal(err)
			}
			shrink(w, 20)
			var placements []string
			for _, group := range w.Init {
				for range group.Count {
					placements = append(placements, fmt.Sprintf("node-%d", len(placements)%20))
				}
			}
			got, err := measure(w, 100, 30*time.Second, placements)
			if err != nil {
				t.Fatal(err)
			}
			if got.Placed != got.Pods || got.Pods == 0 {
				t.Errorf("placed %d of %d pods", got.Placed, got.Pods)
			}
			if got.Decisions < got.Placed || got.Seconds <= 0 || got.Seconds > 29 {
				t.Errorf("%d decisions in %f s for %d pods", got.Decisions, got.Seconds, got.Placed)
			}
		})
	}
}

func TestPodsComeInTurnOnlyIfInterleaved(t *testing.T) {
	groups := []podGroup{{Count: 2}, {Count: 1}, {Count: 3}}
	for i := range groups {
		groups[i].pod.GenerateName = string(rune('a' + i))
	}
	for interleave, want := range map[bool]string{false: "a0 a1 b2 c3 c4 c5 ", true: "a0 b1 c2 a3 c4 c5 "} {
		made, got := 0, ""
		stream := newPodStream(groups, interleave, &made)
		for pod := stream.next(); pod != nil; pod = stream.next() {
			got += pod.Name + " "
		}
		if got != want {
			t.Errorf("interleave %v: %q, want %q", interleave, got, want)
		}
	}
}
