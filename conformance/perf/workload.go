package main

import (
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	defaults "k8s.io/kubernetes/pkg/apis/core/v1"
	"sigs.k8s.io/yaml"
)

// workload is a file of bench/placement/workloads, as the engine's benchmark reads it.
type workload struct {
	Name       string      `json:"name"`
	Size       string      `json:"size"`
	Objects    []string    `json:"objects"`
	Nodes      []nodeGroup `json:"nodes"`
	Init       []podGroup  `json:"init"`
	Measure    []podGroup  `json:"measure"`
	Interleave bool        `json:"interleave"`
	Round      int         `json:"round"`
	Churn      string      `json:"churn"`
	churn      *corev1.Pod
}

type nodeGroup struct {
	Count    int                 `json:"count"`
	Template string              `json:"template"`
	Labels   map[string][]string `json:"labels"`
	node     corev1.Node
}

type podGroup struct {
	Count     int    `json:"count"`
	Template  string `json:"template"`
	Namespace string `json:"namespace"`
	pod       corev1.Pod
}

// readWorkload reads a workload and its templates, and defaults them as an API server does.
func readWorkload(file string) (*workload, error) {
	w := &workload{}
	if err := readYAML(file, w); err != nil {
		return nil, err
	}
	templates := filepath.Join(filepath.Dir(file), "..", "templates")
	path := func(name string) string { return filepath.Join(templates, name+".yaml") }
	for i := range w.Nodes {
		group := &w.Nodes[i]
		if err := readYAML(path(group.Template), &group.node); err != nil {
			return nil, err
		}
		defaults.SetObjectDefaults_Node(&group.node)
	}
	for _, groups := range [][]podGroup{w.Init, w.Measure} {
		for i := range groups {
			if err := readPod(path(groups[i].Template), groups[i].Namespace, &groups[i].pod); err != nil {
				return nil, err
			}
		}
	}
	if w.Churn != "" {
		w.churn = &corev1.Pod{}
		if err := readPod(path(w.Churn), "", w.churn); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func readPod(file, namespace string, pod *corev1.Pod) error {
	if err := readYAML(file, pod); err != nil {
		return err
	}
	pod.Namespace = corev1.NamespaceDefault
	if namespace != "" {
		pod.Namespace = namespace
	}
	defaults.SetObjectDefaults_Pod(pod)
	return nil
}

func readYAML(file string, into any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := yaml.UnmarshalStrict(text, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// makeNodes returns the nodes, named and labelled as in the engine's benchmark.
func (w *workload) makeNodes() []*corev1.Node {
	var nodes []*corev1.Node
	for _, group := range w.Nodes {
		for i := range group.Count {
			node := group.node.DeepCopy()
			if node.Name == "" {
				node.Name = fmt.Sprintf("%s%d", node.GenerateName, i)
			}
			if node.Labels == nil {
				node.Labels = map[string]string{}
			}
			node.Labels[corev1.LabelHostname] = node.Name
			for label, values := range group.Labels {
				node.Labels[label] = values[i%len(values)]
			}
			nodes = append(nodes, node)
		}
	}
	return nodes
}

func (w *workload) measured() int {
	count := 0
	for _, group := range w.Measure {
		count += group.Count
	}
	return count
}

// podStream hands out the pods of some groups in the order of the engine's benchmark.
type podStream struct {
	groups     []podGroup
	left       []int
	turn       int
	interleave bool
	made       *int
}

func newPodStream(groups []podGroup, interleave bool, made *int) *podStream {
	stream := &podStream{groups: groups, interleave: interleave, made: made}
	for _, group := range groups {
		stream.left = append(stream.left, group.Count)
	}
	return stream
}

// next returns nil when there are no more.
func (s *podStream) next() *corev1.Pod {
	for range s.groups {
		turn := s.turn
		if s.left[turn] == 0 || s.interleave {
			s.turn = (s.turn + 1) % len(s.groups)
		}
		if s.left[turn] > 0 {
			s.left[turn]--
			return makePod(&s.groups[turn].pod, s.made)
		}
	}
	return nil
}

func makePod(template *corev1.Pod, made *int) *corev1.Pod {
	pod := template.DeepCopy()
	pod.Name = fmt.Sprintf("%s%d", pod.GenerateName, *made)
	*made++
	return pod
}
