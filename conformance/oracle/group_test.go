package oracle

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"loadline/conformance/recording"
)

func read(t *testing.T, text string) *recording.Input {
	t.Helper()
	input := &recording.Input{}
	if err := json.Unmarshal([]byte(text), input); err != nil {
		t.Fatal(err)
	}
	return input
}

// group describes a PodGroup of the namespace "a" that needs so many pods.
func group(name string, minimum int) string {
	return fmt.Sprintf(`{"metadata":{"name":%q,"namespace":"a"},"spec":{"schedulingPolicy":{"gang":{"minCount":%d}}}}`, name, minimum)
}

func node(name, cpu, pods string) string {
	return fmt.Sprintf(`{"metadata":{"name":%q,"labels":{"kubernetes.io/hostname":%q}},"status":{"allocatable":{"cpu":%q,"memory":"8Gi","pods":%q}}}`, name, name, cpu, pods)
}

// pod describes one of the namespace "a" that requests one cpu. What is more is a member of its specification, or its metadata.
func pod(name, group, spec, metadata string) string {
	if group != "" {
		spec += fmt.Sprintf(`,"schedulingGroup":{"podGroupName":%q}`, group)
	}
	return fmt.Sprintf(`{"metadata":{"name":%q,"namespace":"a"%s},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]%s}}`,
		name, metadata, spec)
}

func list(items ...string) string { return "[" + strings.Join(items, ",") + "]" }

// record returns what the real scheduler does, and what it does if it is not repaired.
func record(t *testing.T, input string) (repaired, real *recording.Expected) {
	t.Helper()
	_, repaired, err := runWith(read(t, input), true)
	if err != nil {
		t.Fatal(err)
	}
	_, real, err = runWith(read(t, input), false)
	if err != nil {
		t.Fatal(err)
	}
	return repaired, real
}

// Once these two fail, a newer scheduler does right by itself, and a repair can go.

func TestMembersDoNotSeeEachOthersTerms(t *testing.T) {
	alone := `,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":"web"}}}]}}`
	repaired, real := record(t, `{"nodes":`+list(node("n1", "4", "10"))+`,"podGroups":`+list(group("g", 2))+
		`,"pendingPods":`+list(pod("alone", "g", alone+`,"priority":1`, ""), pod("web", "g", "", `,"labels":{"app":"web"}`))+`}`)
	if found := repaired.GroupCycles[0].Outcome; found != recording.GroupUnschedulable {
		t.Errorf("with the lists renewed the group is %s", found)
	}
	if found := real.GroupCycles[0].Outcome; found != recording.GroupScheduled {
		t.Errorf("the real scheduler no longer puts both on one node: the group is %s", found)
	}
}

func TestANominatedSiblingIsAnEmptyPod(t *testing.T) {
	nominated := strings.Replace(pod("nominated", "g", "", ""), `"spec"`, `"status":{"nominatedNodeName":"n1"},"spec"`, 1)
	repaired, real := record(t, `{"nodes":`+list(node("n1", "4", "1"))+`,"podGroups":`+list(group("g", 1))+
		`,"pendingPods":`+list(pod("first", "g", "", ""), nominated)+`}`)
	if found := repaired.Attempts[0]; found.Result != recording.Scheduled {
		t.Errorf("a sibling's nomination is in the way of %s: %s", found.Pod, found.Message)
	}
	if found := real.Attempts[0]; found.Result != recording.Unschedulable || !strings.Contains(found.Message, "1 Too many pods") {
		t.Errorf("the real scheduler no longer counts the sibling: %s is %s %s", found.Pod, found.Result, found.Message)
	}
}

func TestVictimsStayInSightOfTheOtherMembers(t *testing.T) {
	running := strings.Replace(pod("running", "", "", ""), `"spec":{`, `"spec":{"nodeName":"n1",`, 1)
	_, real := record(t, `{"nodes":`+list(node("n1", "1", "10"))+`,"podGroups":`+list(group("g", 2))+
		`,"pods":`+list(running)+`,"pendingPods":`+list(pod("p1", "g", `,"priority":10`, ""), pod("p2", "g", `,"priority":10`, ""))+`}`)
	first, second, cycle := real.Attempts[0], real.Attempts[1], real.GroupCycles[0]
	if first.NominatedNode != "n1" || len(first.Victims) != 1 {
		t.Errorf("%s preempts nothing", first.Pod)
	}
	if !strings.Contains(second.Message, "preemption: 0/1 nodes are available: 1 Insufficient cpu.") {
		t.Errorf("%s fails otherwise: %s", second.Pod, second.Message)
	}
	if cycle.Outcome != recording.GroupUnschedulable || cycle.Members[0].NominatedNode != "" || len(real.Evicted) != 1 {
		t.Errorf("%s, nominated to %q, evicted %v: expected a pod that is evicted in vain", cycle.Outcome, cycle.Members[0].NominatedNode, real.Evicted)
	}
}
