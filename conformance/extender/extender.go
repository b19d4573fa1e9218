// Package extender serves scheduler extenders that decide by chance, and always in the same way: what one says depends on
// its name, the pod and the node alone, so tests/recorded_decisions computes the same answers without asking.
package extender

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// Host is how configurations name the server, whose real address differs from run to run.
const Host = "http://extender"

// Verbs of every extender here.
const (
	FilterVerb     = "filter"
	PrioritizeVerb = "prioritize"
)

// URL is where the server answers: what Host stands for.
var URL = sync.OnceValue(func() string {
	server := httptest.NewUnstartedServer(http.HandlerFunc(answer))
	server.Config.SetKeepAlivesEnabled(false) // each world has connections of its own and closes none
	server.Start()
	return server.URL
})

// RealName is the prefix at which an extender of a configuration answers; ConfiguredName the way back.
func RealName(prefix string) string       { return strings.Replace(prefix, Host, URL(), 1) }
func ConfiguredName(prefix string) string { return strings.Replace(prefix, URL(), Host, 1) }

// roll is a number below n.
func roll(n uint64, parts ...string) uint64 {
	hash := fnv.New64a()
	fmt.Fprint(hash, strings.Join(parts, "|"))
	return hash.Sum64() >> 16 % n
}

func answer(writer http.ResponseWriter, request *http.Request) {
	name, verb, _ := strings.Cut(strings.TrimPrefix(request.URL.Path, "/"), "/")
	args := extenderv1.ExtenderArgs{}
	if err := json.NewDecoder(request.Body).Decode(&args); err != nil {
		http.Error(writer, err.Error(), http.StatusBadRequest)
		return
	}
	pod := args.Pod.Namespace + "/" + args.Pod.Name
	var result any
	switch {
	case verb == FilterVerb:
		result = filter(name, pod, args)
	case roll(10, name, "prioritize error", pod) == 0:
		http.Error(writer, "out of order", http.StatusInternalServerError)
		return
	default:
		result = prioritize(name, pod, args)
	}
	if err := json.NewEncoder(writer).Encode(result); err != nil {
		panic(err)
	}
}

func names(args extenderv1.ExtenderArgs) []string {
	if args.NodeNames != nil {
		return *args.NodeNames
	}
	var names []string
	for _, node := range args.Nodes.Items {
		names = append(names, node.Name)
	}
	return names
}

func filter(name, pod string, args extenderv1.ExtenderArgs) extenderv1.ExtenderFilterResult {
	if roll(40, name, "filter error", pod) == 0 {
		return extenderv1.ExtenderFilterResult{Error: name + " cannot tell for " + pod}
	}
	kept := []string{}
	result := extenderv1.ExtenderFilterResult{FailedNodes: map[string]string{}, FailedAndUnresolvableNodes: map[string]string{}}
	for _, node := range names(args) {
		switch roll(20, name, "filter", pod, node) {
		case 0, 1:
			result.FailedNodes[node] = "node(s) were busy to " + name
		case 2:
			result.FailedAndUnresolvableNodes[node] = "node(s) were closed to " + name
		case 3:
			result.FailedNodes[node] = "node(s) were busy to " + name
			result.FailedAndUnresolvableNodes[node] = "node(s) were closed to " + name
		case 4: // without a message
		default:
			kept = append(kept, node)
		}
	}
	if args.NodeNames != nil {
		result.NodeNames = &kept
		return result
	}
	result.Nodes = &corev1.NodeList{ListMeta: metav1.ListMeta{}}
	for _, node := range args.Nodes.Items {
		for _, each := range kept {
			if each == node.Name {
				result.Nodes.Items = append(result.Nodes.Items, node)
			}
		}
	}
	return result
}

func prioritize(name, pod string, args extenderv1.ExtenderArgs) extenderv1.HostPriorityList {
	scores := extenderv1.HostPriorityList{}
	for _, node := range names(args) {
		if score := int64(roll(13, name, "score", pod, node)); score <= extenderv1.MaxExtenderPriority {
			scores = append(scores, extenderv1.HostPriority{Host: node, Score: score})
		}
	}
	return scores
}
