package extender

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Loadline's requests, which its own tests compare with what it sends, are what kube-scheduler's client sends about the
// same objects, but for what is empty.
func TestRequestsAreThoseOfTheRealClient(t *testing.T) {
	for name, send := range map[string]func(*testing.T, *scheduler.HTTPExtender, []byte){
		"filter-names": sendFilter, "filter-nodes": sendFilter, "preempt-names": sendPreempt, "preempt-nodes": sendPreempt, "bind": sendBind,
	} {
		t.Run(name, func(t *testing.T) {
			ours, err := os.ReadFile(path.Join("requests", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var theirs []byte
			server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
				theirs, _ = io.ReadAll(request.Body)
				_, _ = io.WriteString(writer, "{}")
			}))
			defer server.Close()
			real, err := scheduler.NewHTTPExtender(&config.Extender{
				URLPrefix: server.URL, FilterVerb: "f", PreemptVerb: "p", BindVerb: "b", NodeCacheCapable: name == "filter-names" || name == "preempt-names"})
			if err != nil {
				t.Fatal(err)
			}
			send(t, real.(*scheduler.HTTPExtender), ours)
			if got, want := meaning(t, ours), meaning(t, theirs); !reflect.DeepEqual(got, want) {
				t.Errorf("Loadline sends\n%s\nkube-scheduler sends\n%s", ours, theirs)
			}
		})
	}
}

// decode refuses fields that the API does not have.
func decode(t *testing.T, text []byte, into any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		t.Fatal(err)
	}
}

// meaning is a document without what is empty.
func meaning(t *testing.T, text []byte) any {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return full(value)
}

func full(value any) any {
	switch value := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for key, member := range value {
			if member = full(member); member != nil {
				kept[key] = member
			}
		}
		if len(kept) == 0 {
			return nil
		}
		return kept
	case []any:
		var kept []any
		for _, item := range value {
			kept = append(kept, full(item))
		}
		if len(kept) == 0 {
			return nil
		}
		return kept
	case string:
		if value == "" {
			return nil
		}
	case float64:
		if value == 0 {
			return nil
		}
	case bool:
		if !value {
			return nil
		}
	}
	return value
}

func sendFilter(t *testing.T, real *scheduler.HTTPExtender, ours []byte) {
	args := extenderv1.ExtenderArgs{}
	decode(t, ours, &args)
	nodes := []corev1.Node{}
	if args.Nodes != nil {
		nodes = args.Nodes.Items
	} else {
		for _, name := range *args.NodeNames {
			nodes = append(nodes, corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
		}
	}
	infos := []fwk.NodeInfo{}
	for i := range nodes {
		info := framework.NewNodeInfo()
		info.SetNode(&nodes[i])
		infos = append(infos, info)
	}
	if _, _, _, err := real.Filter(args.Pod, infos); err != nil {
		t.Fatal(err)
	}
}

func sendPreempt(t *testing.T, real *scheduler.HTTPExtender, ours []byte) {
	args := extenderv1.ExtenderPreemptionArgs{}
	decode(t, ours, &args)
	victims := args.NodeNameToVictims
	if victims == nil {
		victims = map[string]*extenderv1.Victims{}
		for node, meta := range args.NodeNameToMetaVictims {
			victims[node] = &extenderv1.Victims{NumPDBViolations: meta.NumPDBViolations}
			for _, pod := range meta.Pods {
				victims[node].Pods = append(victims[node].Pods, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: types.UID(pod.UID)}})
			}
		}
	}
	if _, err := real.ProcessPreemption(args.Pod, victims, nil); err != nil {
		t.Fatal(err)
	}
}

func sendBind(t *testing.T, real *scheduler.HTTPExtender, ours []byte) {
	args := extenderv1.ExtenderBindingArgs{}
	decode(t, ours, &args)
	binding := &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: args.PodNamespace, Name: args.PodName, UID: args.PodUID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: args.Node}}
	if err := real.Bind(binding); err != nil {
		t.Fatal(err)
	}
}
