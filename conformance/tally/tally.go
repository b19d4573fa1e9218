// Package tally counts what a run of cases has reached, so that one sees what it has not.
package tally

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"loadline/conformance/extender"
	"loadline/conformance/recording"
)

// Tally is a set of counts by group and name.
type Tally map[string]map[string]int

// many is from how many nodes on a cluster is large.
const many = 100

// longRun is how many pods of one kind in a row count as a run.
const longRun = 4

// largeGroup is from how many members on a group is large.
const largeGroup = 30

// Groups of counts that only a run with groups of pods has.
const (
	cycles  = "cycles of groups"
	members = "members of groups"
)

// groups, in the order in which they are printed, with the names that have to turn up in a thorough run.
var groups = []struct {
	name string
	want []string
}{
	{"clusters", []string{"all", "large", "several profiles", "configured", "with extenders", "with volumes", "with events", "with budgets"}},
	{"attempts", []string{"all", "scheduled", "unschedulable in PreFilter", "unschedulable in Filter", "error", "on the nominated node", "narrowed by PreFilter", "beside nominated pods", "with a tie", "repeated"}},
	{"pods", []string{"gated", "in runs of equal pods"}},
	{"pending pods with", constraintNames()},
	{"events", []string{"pod deleted", "node updated", "node added", "namespace updated"}},
	{cycles, []string{"all", recording.GroupScheduled, recording.GroupUnschedulable, recording.GroupWaiting, recording.GroupFailed, "with the basic policy", "without an object", "with two schedulers", "with members placed before", "partly bound", "rolled back", "with victims in vain", "large", "compared as whole turns"}},
	{members, []string{"bound", "left", "that fit", "that preempt", "whose victims are gone already"}},
	{"refusals by", []string{"NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone", "PodTopologySpread", "InterPodAffinity", "Extender"}},
	{"reasons", nil},
	{"attempts told apart by the score of", []string{"TaintToleration", "NodeAffinity", "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity", "NodeResourcesBalancedAllocation", "ImageLocality", "extenders"}},
	{"preemptions", []string{"not eligible", "without candidates", "with candidates", "with several candidates", "with violated budgets", "with a tie", "victims"}},
	{"volumes", []string{"bound", "provisioned"}},
}

func (t Tally) add(group, name string, n int) {
	if n == 0 {
		return
	}
	if t[group] == nil {
		t[group] = map[string]int{}
	}
	t[group][name] += n
}

func (t Tally) addIf(condition bool, group, name string) {
	if condition {
		t.add(group, name, 1)
	}
}

// Merge adds another tally's counts.
func (t Tally) Merge(other Tally) {
	for group, counts := range other {
		for name, n := range counts {
			t.add(group, name, n)
		}
	}
}

// Case counts what a case has.
func (t Tally) Case(input *recording.Input, expected *recording.Expected) {
	t.add("clusters", "all", 1)
	t.addIf(len(input.Nodes) >= many, "clusters", "large")
	t.addIf(strings.Count(string(input.Configuration), "schedulerName") > 1, "clusters", "several profiles")
	t.addIf(len(input.Configuration) > 0, "clusters", "configured")
	t.addIf(strings.Contains(string(input.Configuration), "urlPrefix"), "clusters", "with extenders")
	t.addIf(len(input.PersistentVolumeClaims) > 0, "clusters", "with volumes")
	t.addIf(len(input.Events) > 0, "clusters", "with events")
	t.addIf(len(input.PDBs) > 0, "clusters", "with budgets")
	t.add("pods", "gated", len(expected.Gated))
	t.countRuns(input)
	for _, pod := range input.PendingPods {
		for _, constraint := range constraints {
			t.addIf(constraint.has(pod), "pending pods with", constraint.name)
		}
	}
	for _, event := range input.Events {
		t.addIf(event.DeletePod != "", "events", "pod deleted")
		t.addIf(event.UpdateNode != nil, "events", "node updated")
		t.addIf(event.AddNode != nil, "events", "node added")
		t.addIf(event.UpdateNamespace != nil, "events", "namespace updated")
		t.addIf(event.AddPod != nil, "events", "pod added")
		t.addIf(event.AddPodGroup != nil, "events", "group added")
		t.addIf(event.DeletePodGroup != "", "events", "group deleted")
	}
	for _, attempt := range expected.Attempts {
		t.attempt(attempt, expected.ScorePlugins)
	}
	for i, cycle := range expected.GroupCycles {
		t.cycle(cycle, expected.AttemptsOf(i))
	}
}

// GroupTurns counts the groups whose whole turn Loadline could compare with its own.
func (t Tally) GroupTurns(n int) { t.add(cycles, "compared as whole turns", n) }

// cycle counts what became of a group.
func (t Tally) cycle(c *recording.GroupCycle, attempts []*recording.Attempt) {
	bound, fitting, evicted := 0, 0, 0
	for _, member := range c.Members {
		if member.Node != nil {
			bound++
		}
	}
	for _, attempt := range attempts {
		t.addIf(attempt.NominatedNode != "", members, "that preempt")
		t.addIf(attempt.NominatedNode != "" && len(attempt.Victims) == 0, members, "whose victims are gone already")
		t.addIf(attempt.Result == recording.Scheduled, members, "that fit")
		evicted += len(attempt.Victims)
		if attempt.Result == recording.Scheduled {
			fitting++
		}
	}
	t.add(cycles, "all", 1)
	t.add(cycles, c.Outcome, 1)
	t.addIf(c.MinCount == nil && !c.Gone, cycles, "with the basic policy")
	t.addIf(c.Gone, cycles, "without an object")
	t.addIf(len(attempts) == 0, cycles, "with two schedulers")
	t.addIf(c.ScheduledBefore > 0, cycles, "with members placed before")
	t.addIf(bound > 0 && bound < len(c.Members), cycles, "partly bound")
	t.addIf(bound == 0 && fitting > 0 && c.Outcome != recording.GroupWaiting, cycles, "rolled back")
	t.addIf(c.Outcome != recording.GroupWaiting && evicted > 0, cycles, "with victims in vain")
	t.addIf(len(c.Members) >= largeGroup, cycles, "large")
	t.add(members, "bound", bound)
	t.add(members, "left", len(c.Members)-bound)
}

func (t Tally) countRuns(input *recording.Input) {
	length, last := 0, ""
	for _, pod := range input.PendingPods {
		kind := fmt.Sprint(pod.Labels, pod.Spec.Containers, pod.Spec.Affinity, pod.Spec.Priority)
		if kind != last {
			length, last = 0, kind
		}
		length++
		switch {
		case length == longRun:
			t.add("pods", "in runs of equal pods", longRun)
		case length > longRun:
			t.add("pods", "in runs of equal pods", 1)
		}
	}
}

func (t Tally) attempt(a *recording.Attempt, columns []string) {
	t.add("attempts", "all", 1)
	t.addIf(a.Result == recording.Scheduled, "attempts", "scheduled")
	t.addIf(a.Result == recording.Unschedulable && a.PreFilter != nil, "attempts", "unschedulable in PreFilter")
	t.addIf(a.Result == recording.Unschedulable && a.PreFilter == nil, "attempts", "unschedulable in Filter")
	t.addIf(a.Result == recording.Failed, "attempts", "error")
	t.addIf(a.NominatedBefore != "" && a.NominatedBefore == a.NodeName, "attempts", "on the nominated node")
	t.addIf(a.PreFilterNodes != nil, "attempts", "narrowed by PreFilter")
	t.addIf(len(a.OtherNominated) > 0, "attempts", "beside nominated pods")
	t.addIf(len(a.MaxNodes) > 1, "attempts", "with a tie")
	t.addIf(a.PodAttempt > 1, "attempts", "repeated")
	if a.PreFilter != nil {
		t.add("refusals by", a.PreFilter.Plugin, 1)
	}
	for _, refusal := range a.Infeasible {
		t.add("refusals by", refusal.Plugin, 1)
		for _, reason := range refusal.Reasons {
			t.addIf(refusal.Code != "Error", "reasons", reason)
		}
	}
	for i, column := range columns {
		different := false
		for _, row := range a.Scores {
			different = different || row[2+i] != a.Scores[0][2+i]
		}
		if strings.HasPrefix(column, extender.Host) {
			column = "extenders"
		}
		t.addIf(different, "attempts told apart by the score of", column)
	}
	if p := a.Preemption; p != nil {
		t.addIf(!p.Eligible, "preemptions", "not eligible")
		t.addIf(p.Eligible && len(p.Candidates) == 0, "preemptions", "without candidates")
		t.addIf(len(p.Candidates) > 0, "preemptions", "with candidates")
		t.addIf(len(p.Candidates) > 1, "preemptions", "with several candidates")
		t.addIf(slices.ContainsFunc(p.Candidates, func(c recording.Candidate) bool { return c.PDBViolations > 0 }), "preemptions", "with violated budgets")
		t.addIf(len(p.Best) > 1, "preemptions", "with a tie")
		t.add("preemptions", "victims", len(a.Victims))
	}
	if v := a.VolumeUpdates; v != nil {
		provisioned := 0
		for _, pv := range v.PersistentVolumes {
			if strings.HasPrefix(pv.Name, "pvc-") {
				provisioned++
			}
		}
		t.add("volumes", "provisioned", provisioned)
		t.add("volumes", "bound", len(v.PersistentVolumes)-provisioned)
	}
}

// Print writes all counts, with a zero for what should have been reached and was not.
func (t Tally) Print(out io.Writer) {
	for _, group := range groups {
		if (group.name == cycles || group.name == members) && len(t[group.name]) == 0 {
			continue
		}
		names := slices.Clone(group.want)
		for _, name := range slices.Sorted(maps.Keys(t[group.name])) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		var counts []string
		for _, name := range names {
			counts = append(counts, fmt.Sprintf("%s %d", name, t[group.name][name]))
		}
		fmt.Fprintf(out, "%s: %s\n", group.name, strings.Join(counts, ", "))
	}
}
