package operators

import (
	"path/filepath"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func pod(name, uid string, more map[string]any) *unstructured.Unstructured {
	object := map[string]any{"kind": "Pod", "metadata": map[string]any{"name": name, "uid": uid, "namespace": "case-1"}}
	for key, value := range more {
		object[key] = value
	}
	return &unstructured.Unstructured{Object: object}
}

// Two pods of one prefix are told apart by which came first, wherever they are named; words that only look generated stay.
func TestGeneratedNamesAreCounted(t *testing.T) {
	job := pod("train", "u-0", nil)
	job.SetKind("RayJob")
	cluster := pod("train-bcdfg", "u-1", nil)
	cluster.SetKind("RayCluster")
	first := pod("train-bcdfg-head-zzzzz", "u-2", map[string]any{"spec": map[string]any{"hostname": "train-bcdfg-head-zzzzz", "text": "of train-bcdfg at 2026-01-02T03:04:05Z, u-1"}})
	second := pod("train-bcdfg-head-22222", "u-3", nil)
	plainWord := pod("train-small-group", "u-4", nil)
	all := []*unstructured.Unstructured{job, cluster, first, second, plainWord}
	var words []string
	for _, object := range all {
		words = append(words, object.GetName(), object.GetName())
	}
	n := learn(words, all)
	for given, want := range map[string]string{"train-bcdfg": "train-~0", "train-bcdfg-head-zzzzz": "train-~0-head-~0", "train-bcdfg-head-22222": "train-~0-head-~1",
		"train-small-group": "train-small-group", "train": "train"} {
		if got := n.text(given); got != want {
			t.Errorf("%s is called %s, not %s", given, got, want)
		}
	}
	state := n.state(map[string]*unstructured.Unstructured{"Pod/" + first.GetName(): first}, nil, map[string]bool{})
	spec := state.Objects["Pod/train-~0-head-~0"].(map[string]any)["spec"].(map[string]any)
	if spec["hostname"] != "train-~0-head-~0" || spec["text"] != "of train-~0 at <time>, <uid of RayCluster train-~0>" {
		t.Errorf("not normalised: %v", spec)
	}
	if n.actual["train-~0-head-~1"] != second.GetName() {
		t.Errorf("a script would not find the second pod: %v", n.actual)
	}
}

// The watch of one kind may be behind that of another: what was written first came up first.
func TestWordsStandInTheOrderOfTheirVersions(t *testing.T) {
	at := func(version, name string) *unstructured.Unstructured {
		object := pod(name, "u", nil)
		object.SetResourceVersion(version)
		return object
	}
	var n namespace
	n.note(at("10", "tune-bcdfg"), "tune-bcdfg")
	n.note(at("9", "tune"), "tune-zzzzz", "tune-bcdfg")
	if got, want := n.wordsInOrder(), []string{"tune-zzzzz", "tune-bcdfg", "tune-bcdfg"}; !reflect.DeepEqual(got, want) {
		t.Errorf("words are %v, not %v", got, want)
	}
}

func TestWhatARunDecidesIsLeftOut(t *testing.T) {
	service := &unstructured.Unstructured{Object: map[string]any{"kind": "Service", "metadata": map[string]any{"name": "s", "uid": "0f0e", "resourceVersion": "7",
		"creationTimestamp": "2026-01-02T03:04:05Z", "labels": map[string]any{"controller-revision-hash": "abc"}},
		"spec": map[string]any{"clusterIP": "10.0.0.9", "ports": []any{map[string]any{"name": "b", "port": int64(2)}, map[string]any{"name": "a", "port": int64(1)}}}}}
	headless := service.DeepCopy()
	headless.SetName("t")
	headless.Object["spec"].(map[string]any)["clusterIP"] = "None"
	n := learn(nil, []*unstructured.Unstructured{service, headless})
	state := n.state(map[string]*unstructured.Unstructured{"Service/s": service, "Service/t": headless}, nil, map[string]bool{})
	want := map[string]any{
		"Service/s": map[string]any{"metadata": map[string]any{"labels": map[string]any{"controller-revision-hash": "<hash 0>"}}, "spec": map[string]any{"clusterIP": "<address>",
			"ports": []any{map[string]any{"name": "a", "port": 1.0}, map[string]any{"name": "b", "port": 2.0}}}},
		"Service/t": map[string]any{"metadata": map[string]any{"labels": map[string]any{"controller-revision-hash": "<hash 0>"}}, "spec": map[string]any{"clusterIP": "None",
			"ports": []any{map[string]any{"name": "a", "port": 1.0}, map[string]any{"name": "b", "port": 2.0}}}},
	}
	if !reflect.DeepEqual(state.Objects, want) {
		t.Errorf("got %v, not %v", state.Objects, want)
	}
}

func TestEventsAreToldOnce(t *testing.T) {
	event := &unstructured.Unstructured{Object: map[string]any{"kind": "Event", "metadata": map[string]any{"name": "e"}, "type": "Normal", "reason": "Created",
		"message": "pods a\nfailed after 3.2s", "involvedObject": map[string]any{"kind": "JobSet", "name": "js"}, "source": map[string]any{"component": "jobset"}}}
	ofJob := event.DeepCopy()
	ofJob.Object["involvedObject"] = map[string]any{"kind": "Job", "name": "js"}
	ofJob.Object["source"] = map[string]any{"component": "job-controller"}
	objects := map[string]*unstructured.Unstructured{"Event/e": event, "Event/f": ofJob}
	n, told := learn(nil, nil), map[string]bool{}
	custom := map[string]bool{"JobSet": true}
	want := []string{"Normal Created JobSet/js: failed after <duration>\npods a"}
	if got := n.state(objects, custom, told).Events; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, not %q", got, want)
	}
	if again := n.state(objects, custom, told).Events; len(again) > 0 {
		t.Errorf("told again: %q", again)
	}
}

func sample() *Outcome {
	one := map[string]any{"Pod/a": map[string]any{"spec": map[string]any{"x": 1.0, "list": []any{"p", "q"}}, "phase": "Pending"}, "Pod/b": map[string]any{"phase": "Pending"}}
	two := map[string]any{"Pod/a": map[string]any{"spec": map[string]any{"list": []any{"p"}}, "phase": "Running"}, "Job/c": map[string]any{"status": map[string]any{}}}
	return &Outcome{Case: Case{Seed: 7, Object: map[string]any{"kind": "JobSet"}, Steps: []Step{{Do: "run", Pods: []string{"a"}}}},
		States: []State{{Objects: one, Events: []string{"e"}}, {Objects: two}}, Maybe: []string{"f"}}
}

func TestRecordingsAreReadAsTheyWereWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl.gz")
	refused := &Outcome{Case: Case{Seed: 8, Object: map[string]any{"kind": "JobSet"}}, Refused: "no"}
	if err := save(path, []*Outcome{sample(), refused}); err != nil {
		t.Fatal(err)
	}
	got, err := load(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := []*Outcome{sample(), refused}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, not %v", got[0], want[0])
	}
}

func TestDifferencesNameFieldsAndValues(t *testing.T) {
	actual := sample()
	actual.States[1].Objects["Pod/a"].(map[string]any)["spec"].(map[string]any)["list"] = []any{"p", "r"}
	delete(actual.States[1].Objects, "Job/c")
	actual.States[1].Events = []string{"f", "g"}
	var count tally
	found := compare(sample(), actual, &count)
	want := []difference{
		{7, "step 1 (run a)", "Job/c", `{"status":{}}`, nothing},
		{7, "step 1 (run a)", "Pod/a.spec.list[1]", nothing, "r"},
		{7, "step 1 (run a)", "event", nothing, "g"},
	}
	if !reflect.DeepEqual(found, want) {
		t.Errorf("got %v, not %v", found, want)
	}
	if count != (tally{objects: 4, differ: 2}) {
		t.Errorf("counted %v", count)
	}
	argued := arguments{[]argument{{"JobSet", "Pod/*.spec.list[*]", "it is argued"}}}
	if !argued.excuse("JobSet", found[1]) || argued.excuse("JobSet", found[0]) || argued.excuse("PyTorchJob", found[1]) {
		t.Error("arguments excuse the wrong differences")
	}
	ofCase := arguments{[]argument{{"JobSet/7", "Pod/*", "it is argued"}}}
	if !ofCase.excuse("JobSet", found[1]) || ofCase.excuse("JobSet", difference{seed: 8, where: found[1].where}) {
		t.Error("an argument about one case excuses the wrong differences")
	}
}

// What comes in one run only, or at another time, is no part of the answer; other differences are.
func TestRunsAgreeButForChance(t *testing.T) {
	first, second := sample(), sample()
	second.States[0].Events, second.States[1].Events = []string{"h"}, []string{"e"}
	if found := first.agree(second); len(found) > 0 {
		t.Fatalf("they differ: %v", found)
	}
	if len(first.States[0].Events) > 0 || !reflect.DeepEqual(first.Maybe, []string{"e", "f", "h"}) {
		t.Errorf("got %v and %v", first.States[0].Events, first.Maybe)
	}
	second.States[1].Objects = nil
	if found := first.agree(second); len(found) == 0 {
		t.Error("a state without objects is like one with them")
	}
}

// The recordings that are in the repository can be read, and hold enough.
func TestRecordings(t *testing.T) {
	for _, k := range kinds {
		outcomes, err := load(filepath.Join("recordings", k.name+".jsonl.gz"))
		if err != nil {
			t.Errorf("%s: %v", k.name, err)
			continue
		}
		if len(outcomes) < 250 {
			t.Errorf("%s: %d cases", k.name, len(outcomes))
		}
		for _, outcome := range outcomes {
			if outcome.Refused == "" && len(outcome.States) != len(outcome.Steps)+1 {
				t.Errorf("%s: case %d has %d states for %d steps", k.name, outcome.Seed, len(outcome.States), len(outcome.Steps))
			}
		}
	}
}

func TestADifferenceIsOneThatIsInEachPlay(t *testing.T) {
	lost := difference{1, "creation", "event", "Normal Created", nothing}
	told := difference{1, "creation", "event", nothing, "Normal Failed"}
	wrong := difference{1, "creation", "Pod/a.spec.hostname", "a", "b"}
	if found := inBoth([]difference{lost, wrong}, []difference{wrong, told}); len(found) != 1 || found[0] != wrong {
		t.Errorf("found %v", found)
	}
}
