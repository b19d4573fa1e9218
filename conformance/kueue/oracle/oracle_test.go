package oracle_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"loadline/conformance/kueue/oracle"
	"loadline/conformance/kueue/scenario"
)

func put(text string) scenario.Step {
	return scenario.Step{Op: scenario.Put, Object: json.RawMessage(text)}
}

func workload(name, priority string) scenario.Step {
	return put(`{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload","metadata":{"name":"` + name + `","namespace":"ns",
		"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"` + name + `","uid":"job"}]},"spec":{"queueName":"lq",
		"priority":` + priority + `,"active":true,"podSets":[{"name":"main","count":1,"template":{"spec":{"containers":[
		{"name":"c","image":"i","resources":{"requests":{"cpu":"2"}}}]}}}]}}`)
}

func small(steps ...scenario.Step) *scenario.Scenario {
	objects := []scenario.Step{
		put(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ns"}}`),
		put(`{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"ResourceFlavor","metadata":{"name":"f"}}`),
		put(`{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"ClusterQueue","metadata":{"name":"q"},"spec":{"namespaceSelector":{},
			"queueingStrategy":"BestEffortFIFO","preemption":{"withinClusterQueue":"LowerPriority"},"resourceGroups":[
			{"coveredResources":["cpu"],"flavors":[{"name":"f","resources":[{"name":"cpu","nominalQuota":"3"}]}]}]}}`),
		put(`{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"LocalQueue","metadata":{"name":"lq","namespace":"ns"},"spec":{"clusterQueue":"q"}}`),
	}
	return &scenario.Scenario{Name: "small", Steps: append(objects, steps...)}
}

func cycles(t *testing.T, it *scenario.Scenario) []*oracle.Cycle {
	t.Helper()
	trace, err := oracle.Run(it)
	if err != nil {
		t.Fatal(err)
	}
	var found []*oracle.Cycle
	for _, step := range trace.Steps {
		if step.Cycle != nil {
			found = append(found, step.Cycle)
		}
	}
	return found
}

var cycle = scenario.Step{Op: scenario.Cycle}

func cohort(name, parent string) scenario.Step {
	return put(`{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Cohort","metadata":{"name":"` + name + `"},"spec":{"parentName":"` + parent + `"}}`)
}

// The real cache would never return from the workload's end.
func TestAWorkloadBelowACircleIsLeftOut(t *testing.T) {
	queue := put(`{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"ClusterQueue","metadata":{"name":"q"},"spec":{"namespaceSelector":{},
		"cohortName":"a","queueingStrategy":"BestEffortFIFO","resourceGroups":[{"coveredResources":["cpu"],"flavors":[
		{"name":"f","resources":[{"name":"cpu","nominalQuota":"3"}]}]}]}}`)
	it := small(cohort("a", ""), cohort("b", "a"), queue, workload("one", "0"), cycle, cohort("a", "b"),
		scenario.Step{Op: scenario.Finish, Name: "ns/one"}, cycle)
	var why oracle.LeftOut
	if _, err := oracle.Run(it); !errors.As(err, &why) || !strings.Contains(err.Error(), "circle") {
		t.Errorf("not left out, but: %v", err)
	}
}

func TestAVictimStopsAndItsPreemptorIsAdmitted(t *testing.T) {
	found := cycles(t, small(workload("low", "0"), cycle, workload("high", "1"), cycle,
		scenario.Step{Op: scenario.Stop, Name: "ns/low"}, cycle, cycle))
	admitted := map[string][]oracle.PodSet{"ns/high": {{Name: "main", Count: 1, Flavors: map[string]string{"cpu": "f"}, Usage: map[string]int64{"cpu": 2000}}}}
	if !reflect.DeepEqual(found[2].Admitted, admitted) {
		t.Errorf("admitted %v", found[2].Admitted)
	}
	if len(found[1].Events) != 4 || found[1].Events[0] != "ns/high Pending: couldn't assign flavors to pod set main: "+
		"insufficient unused quota for cpu in flavor f, 1 more needed. Pending the preemption of 1 workload(s)" {
		t.Errorf("told %q", found[1].Events)
	}
	if waiting := found[3].Waiting; !reflect.DeepEqual(waiting, map[string][]string{"q": {"ns/low"}}) {
		t.Errorf("waiting are %v", waiting)
	}
}

func TestWhatIsInadmissibleComesBackASecondAfterQuotaBecameFree(t *testing.T) {
	found := cycles(t, small(workload("one", "0"), cycle, workload("two", "0"), cycle,
		scenario.Step{Op: scenario.Advance, Number: 5000}, cycle, scenario.Step{Op: scenario.Finish, Name: "ns/one"},
		scenario.Step{Op: scenario.Advance, Number: 999}, cycle, scenario.Step{Op: scenario.Advance, Number: 1}, cycle))
	if len(found[3].Events) != 0 || len(found[4].Admitted) != 1 {
		t.Errorf("told %q, then admitted %v", found[3].Events, found[4].Admitted)
	}
}

func TestWhatIsNoObjectIsAnError(t *testing.T) {
	for _, text := range []string{`{"kind":"Pod"}`, `[]`, `{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"LocalQueue","metadata":{"name":"lq","namespace":"none"}}`} {
		if _, err := oracle.Run(&scenario.Scenario{Steps: []scenario.Step{put(text)}}); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
