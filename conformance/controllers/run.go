// Package controllers runs the real kube-controller-manager and kube-scheduler against an API server: what is applied with kubectl must become pods that
// are bound and run.
package controllers

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"loadline/conformance/server"
)

const manifest = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 5
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: c
        image: nginx:1
        resources: {requests: {cpu: 500m}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: work}
spec:
  completions: 3
  parallelism: 2
  template:
    spec:
      restartPolicy: Never
      containers: [{name: c, image: busybox:1}]
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 2
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers: [{name: c, image: "postgres:1"}]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      containers: [{name: c, image: "agent:1"}]
`

// allTime bounds the whole run.
const allTime = 150 * time.Second

// stage is a server with controllers on it.
type stage struct {
	server  *server.Server
	client  *kubernetes.Clientset
	kubectl []string
}

// step is one thing that must come true.
type step struct {
	name string
	run  func(context.Context, *stage) error
}

func kubectl(arguments ...string) func(context.Context, *stage) error {
	return func(ctx context.Context, s *stage) error { return s.call(ctx, "", arguments...) }
}

var steps = []step{
	{"nodes", addNodes},
	{"apply", func(ctx context.Context, s *stage) error {
		return s.call(ctx, manifest, "apply", "-n", "work", "-f", "-")
	}},
	{"the Deployment rolls out", kubectl("rollout", "status", "-n", "work", "deploy/web", "--timeout=60s")},
	{"its pods are bound", boundPods("app=web", 5)},
	{"the Job completes", kubectl("wait", "-n", "work", "--for=condition=complete", "job/work", "--timeout=60s")},
	{"the StatefulSet rolls out", kubectl("rollout", "status", "-n", "work", "statefulset/db", "--timeout=60s")},
	{"the DaemonSet is on each node", boundPods("app=agent", 3)},
	{"a new image rolls out", kubectl("set", "image", "-n", "work", "deploy/web", "c=nginx:2")},
	{"the new image rolled out", kubectl("rollout", "status", "-n", "work", "deploy/web", "--timeout=60s")},
	{"rollback", kubectl("rollout", "undo", "-n", "work", "deploy/web")},
	{"scale", kubectl("scale", "-n", "work", "deploy/web", "--replicas=2")},
	{"fewer pods", boundPods("app=web", 2)},
	{"deletion in the foreground", kubectl("delete", "-n", "work", "deploy/web", "--cascade=foreground", "--timeout=60s")},
	{"its pods are gone", boundPods("app=web", 0)},
	{"the namespace goes", kubectl("delete", "ns", "work", "--timeout=60s")},
}

// Run starts everything and returns whether each step came true.
func Run(arguments []string) (bool, error) {
	var programs server.Programs
	flags := flag.NewFlagSet("controllers", flag.ContinueOnError)
	programs.Register(flags)
	target := flags.String("server", "loadline", "which server answers: loadline or real")
	logs := flags.String("logs", "", "a folder to copy the programs' logs to")
	if err := flags.Parse(arguments); err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), allTime)
	defer cancel()
	s, err := newStage(ctx, *target, programs)
	if err != nil {
		return false, err
	}
	defer s.server.Stop()
	good := s.play(ctx)
	if !good && *logs != "" {
		err = s.saveLogs(*logs)
	}
	return good, err
}

func newStage(ctx context.Context, target string, programs server.Programs) (*stage, error) {
	started, err := server.Start(target, programs)
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(started.Config())
	if err == nil {
		err = started.StartControllerManager()
	}
	if err == nil {
		err = started.StartScheduler()
	}
	if err == nil {
		err = startKubelet(ctx, client)
	}
	if err != nil {
		started.Stop()
		return nil, err
	}
	program, err := filepath.Abs(programs.Kubernetes)
	return &stage{started, client, []string{program, "kubectl", "--kubeconfig=" + started.Kubeconfig}}, err
}

// play runs the steps until one fails: the next ones need it.
func (s *stage) play(ctx context.Context) bool {
	for _, step := range steps {
		begin := time.Now()
		err := step.run(ctx, s)
		if crashed := s.server.Crashed(); crashed != nil {
			err = crashed
		}
		if err != nil {
			fmt.Printf("controllers: FAILED %s: %v\n", step.name, err)
			return false
		}
		fmt.Printf("controllers: %s (%.1f s)\n", step.name, time.Since(begin).Seconds())
	}
	return true
}

func addNodes(ctx context.Context, s *stage) error {
	for i := range 3 {
		if err := addNode(ctx, s.client, fmt.Sprintf("node-%d", i)); err != nil {
			return err
		}
	}
	return s.call(ctx, "", "create", "namespace", "work")
}

// call runs kubectl; its error is what kubectl said.
func (s *stage) call(ctx context.Context, input string, arguments ...string) error {
	command := exec.CommandContext(ctx, s.kubectl[0], append(s.kubectl[1:len(s.kubectl):len(s.kubectl)], arguments...)...)
	command.Env = append(os.Environ(), "HOME="+s.server.Folder)
	command.Stdin = strings.NewReader(input)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("kubectl %s: %w: %s", strings.Join(arguments, " "), err, output)
	}
	return nil
}

// boundPods waits until so many pods have the label, all with a node and running.
func boundPods(selector string, count int) func(context.Context, *stage) error {
	return func(ctx context.Context, s *stage) error {
		for {
			found, bound, err := s.countPods(ctx, selector)
			if err == nil && found == count && bound == count {
				return nil
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("%d pods, %d of them run on nodes, not %d (%v)", found, bound, count, err)
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
}

func (s *stage) countPods(ctx context.Context, selector string) (found, bound int, err error) {
	pods, err := s.client.CoreV1().Pods("work").List(ctx, v1.ListOptions{LabelSelector: selector})
	if err != nil {
		return 0, 0, err
	}
	for _, pod := range pods.Items {
		if pod.Spec.NodeName != "" && pod.Status.Phase == "Running" {
			bound++
		}
	}
	return len(pods.Items), bound, nil
}

func (s *stage) saveLogs(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"etcd", "kube-apiserver", "loadline", "kube-controller-manager", "kube-scheduler"} {
		if text := s.server.Log(name); text != "" {
			if err := os.WriteFile(filepath.Join(folder, name+".log"), []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
