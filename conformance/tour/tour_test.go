package tour

import (
	"slices"
	"strings"
	"testing"
)

const small = `# A page

` + fence + `yaml
# pod.yaml
kind: Pod
` + fence + `

` + fence + `sh
helm install
` + fence + `

` + fence + `console
$ kubectl apply -f pod.yaml \
>   --wait
pod/a created
$ kubectl get pods
NAME   AGE

a      3s
` + fence + `
`

func TestDocumentHasFilesAndCommandsInOrder(t *testing.T) {
	lines := strings.Split(small, "\n")
	steps, err := parse(lines)
	if err != nil || len(steps) != 3 {
		t.Fatalf("%d steps, %v", len(steps), err)
	}
	if steps[0].file != "pod.yaml" || !slices.Equal(steps[0].output, []string{"# pod.yaml", "kind: Pod"}) {
		t.Errorf("file: %+v", steps[0])
	}
	if steps[1].command != "kubectl apply -f pod.yaml \\\n  --wait" || !slices.Equal(steps[1].output, []string{"pod/a created"}) {
		t.Errorf("continued command: %+v", steps[1])
	}
	if steps[2].line != 16 || !slices.Equal(steps[2].output, []string{"NAME   AGE", "", "a      3s"}) {
		t.Errorf("command: %+v", steps[2])
	}
}

func TestReplaceChangesOnlyWhatWasPrinted(t *testing.T) {
	lines := strings.Split(small, "\n")
	steps, _ := parse(lines)
	made := strings.Join(replace(lines, steps, map[*step][]string{steps[2]: {"none"}}), "\n")
	if expected := strings.Replace(small, "NAME   AGE\n\na      3s", "none", 1); made != expected {
		t.Errorf("made %s", made)
	}
	made = strings.Join(replace(lines, steps, map[*step][]string{steps[1]: {}}), "\n")
	if expected := strings.Replace(small, "pod/a created\n", "", 1); made != expected {
		t.Errorf("made %s", made)
	}
}

func TestBadDocuments(t *testing.T) {
	for _, text := range []string{fence + "console\n$ ls", fence + "yaml\nkind: Pod\n" + fence, fence + "yaml\n" + fence, fence + "console\nls\n" + fence} {
		if _, err := parse(strings.Split(text, "\n")); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestOnlyWhatDiffersByNatureIsIgnored(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		alike bool
	}{
		{"a  1/1  Running  3s", "a      1/1   Running   2m10s", true},
		{"a  1/1  Running  3s", "a  0/1  Running  3s", false},
		{"web-64584799ff-jxd2v on node-1\nweb-64584799ff-zsndf on node-2", "web-64584799ff-4k5mn on node-2\nweb-64584799ff-b7x8z on node-1", true},
		{"web-64584799ff-jxd2v on node-1\nweb-64584799ff-zsndf on node-2", "web-64584799ff-4k5mn on node-2\nweb-64584799ff-b7x8z on node-2", false},
		{"Started: Sun, 22 Nov 2026 01:33:46 +0000", "Started: Mon, 23 Nov 2026 11:03:06 +0000", true},
		{"by pod d6dda506-1593-4765-b55b-e3a20f986757", "by pod 00dda506-1593-4765-b55b-e3a20f986757", true},
		{"https://127.0.0.1:45989", "https://127.0.0.1:6443", true},
		{"Pulled  3s (x2 over 5s)  done", "Pulled  1s  done", true},
		{"cpu  250m", "cpu  500m", false},
		{"node/gpu-node-1 labeled", "node/gpu-node-2 labeled", false},
		{"Waiting for deployment \"a\" rollout to finish: 1 of 2\ndone", "done", true},
		{"Container  cpu  500m  32  2  4  4\nContainer  memory  1Gi  8Gi  -  -  4", "Container  memory  1Gi  8Gi  -  -  4\nContainer  cpu  500m  32  2  4  4", true},
		{"node-1 Ready\nnode-2 Ready", "node-2 Ready\nnode-1 Ready", false},
		{"job-sweep-22d0e  gpus  5s", "job-sweep-1234d  gpus  5s", true},
		{"job-sweep-22d0e  gpus  5s", "job-big-22d0e  gpus  5s", false},
		{"a\n\n", "a", true},
		{"", "a", false},
	} {
		if got := alike(strings.Split(c.a, "\n"), strings.Split(c.b, "\n")); got != c.alike {
			t.Errorf("%q and %q: alike is %v; normal %q and %q", c.a, c.b, got, normal(strings.Split(c.a, "\n")), normal(strings.Split(c.b, "\n")))
		}
	}
}
