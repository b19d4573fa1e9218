// Perf measures the real kube-scheduler, in process, on a workload of bench/placement.
//
// What is real: the scheduler as users run it, with its default feature gates and parallelism: queue, cache, snapshots,
// plugins, event handlers, goroutines that bind and preempt. Only the API server is replaced, by one that answers at once.
//
//	perf [-percentage N] [-seconds S] [-init FILE] WORKLOAD
//
// prints one line of JSON. The init pods start on the nodes that FILE names, one a line in order of creation: scheduling
// tens of thousands of them first would take longer than measuring.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

type result struct {
	Workload  string  `json:"workload"`
	Size      string  `json:"size"`
	Nodes     int     `json:"nodes"`
	Pods      int     `json:"pods"`
	Placed    int     `json:"placed"`
	Seconds   float64 `json:"seconds"`
	PodsPerS  float64 `json:"pods_per_s"`
	P50       float64 `json:"p50_us"`
	P99       float64 `json:"p99_us"`
	Decisions int     `json:"decisions"`
}

func main() {
	percentage := flag.Int("percentage", 100, "percentageOfNodesToScore; 0: the scheduler's own choice")
	seconds := flag.Float64("seconds", 20, "stop measuring after this time")
	nodes := flag.Int("nodes", 0, "size of the first group of nodes instead of the workload's")
	initNodes := flag.String("init", "", "file with the nodes of the init pods")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	klog.SetLogger(logr.Discard())
	utilruntime.ErrorHandlers = nil
	w, err := readWorkload(flag.Arg(0))
	if err == nil && *nodes > 0 {
		w.Nodes[0].Count = *nodes
	}
	var placements []string
	if err == nil && *initNodes != "" {
		placements, err = readLines(*initNodes)
	}
	var measured *result
	if err == nil {
		measured, err = measure(w, int32(*percentage), time.Duration(*seconds*float64(time.Second)), placements)
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(measured)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "perf:", err)
		os.Exit(1)
	}
}

func readLines(file string) ([]string, error) {
	opened, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	var lines []string
	scanner := bufio.NewScanner(opened)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	return lines, scanner.Err()
}

// run is one measurement.
type run struct {
	*scheduler.Scheduler
	server    *server
	workload  *workload
	made      int
	stream    *podStream
	decisions []time.Duration
	popped    time.Time
	closed    atomic.Bool

	mutex     sync.Mutex // guards what follows
	measured  map[string]bool
	brought   int // measured pods that arrived
	placed    int // measured pods that were bound
	lastBound time.Time
	bringNext chan struct{}
}

func measure(w *workload, percentage int32, limit time.Duration, placements []string) (*result, error) {
	ctx, stop := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	defer stop()
	r := &run{workload: w, measured: map[string]bool{}, bringNext: make(chan struct{}, 1)}
	r.server = newServer(r.bound)
	var err error
	r.Scheduler, err = scheduler.New(ctx, r.server.client, r.server, nil,
		func(string) events.EventRecorderLogger { return silentRecorder{} },
		scheduler.WithPercentageOfNodesToScore(&percentage))
	if err != nil {
		return nil, err
	}
	pop := r.NextPod
	r.NextPod = func(logger klog.Logger) (*framework.QueuedPodInfo, error) {
		info, err := pop(logger)
		r.popped = time.Now()
		return info, err
	}
	if err := r.fill(placements); err != nil {
		return nil, err
	}
	r.SchedulingQueue.Run(klog.FromContext(ctx))
	return r.schedule(ctx, limit), nil
}

// fill creates the nodes, and the init pods on theirs.
func (r *run) fill(placements []string) error {
	for _, node := range r.workload.makeNodes() {
		r.server.create(node)
	}
	stream := newPodStream(r.workload.Init, false, &r.made)
	for pod := stream.next(); pod != nil; pod = stream.next() {
		if r.made > len(placements) {
			return errors.New("there are more init pods than -init names nodes")
		}
		pod.Spec.NodeName = placements[r.made-1]
		r.server.create(pod)
	}
	return nil
}

// bound hears of every binding.
func (r *run) bound(pod *corev1.Pod) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if !r.measured[pod.Name] {
		return
	}
	r.placed++
	r.lastBound = time.Now()
	if r.placed == r.brought {
		r.bringNext <- struct{}{}
	}
}

// schedule runs the measured pods through the scheduler, in the rounds of the engine's benchmark: the next one comes when
// all measured pods of the last one are bound. The time is that of creating pods in the scheduler's queue (of the first
// round those that it got to) and of scheduling them.
func (r *run) schedule(ctx context.Context, limit time.Duration) *result {
	r.stream = newPodStream(r.workload.Measure, r.workload.Interleave, &r.made)
	timer := time.AfterFunc(limit, r.close)
	defer timer.Stop()
	pods := r.round()
	first := len(pods)
	start := time.Now()
	r.arrive(pods)
	arrived := time.Now()
	go r.bringRounds()
	for !r.closed.Load() {
		r.ScheduleOne(ctx)
		if !r.closed.Load() {
			r.decisions = append(r.decisions, time.Since(r.popped))
		}
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	seconds := arrived.Sub(start).Seconds() * min(1, float64(r.placed)/float64(first))
	if r.placed > 0 {
		seconds += r.lastBound.Sub(arrived).Seconds()
	}
	return r.conclude(seconds)
}

func (r *run) close() {
	r.closed.Store(true)
	r.SchedulingQueue.Close()
}

// bringRounds lets the next pods arrive each time all are bound.
func (r *run) bringRounds() {
	for range r.bringNext {
		pods := r.round()
		if len(pods) == 0 {
			r.close()
			return
		}
		r.arrive(pods)
	}
}

func (r *run) arrive(pods []*corev1.Pod) {
	for _, pod := range pods {
		r.server.create(pod)
	}
}

// round makes the pods that come next: those that arrive together, before them the one that is not measured.
func (r *run) round() []*corev1.Pod {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	count := r.workload.measured() - r.brought
	var pods []*corev1.Pod
	if r.workload.Round > 0 {
		count = min(count, r.workload.Round)
	}
	if r.workload.churn != nil && count > 0 {
		pods = append(pods, makePod(r.workload.churn, &r.made))
	}
	for range count {
		pod := r.stream.next()
		r.measured[pod.Name] = true
		pods = append(pods, pod)
	}
	r.brought += count
	return pods
}

func (r *run) conclude(seconds float64) *result {
	slices.Sort(r.decisions)
	percentile := func(share float64) float64 {
		if len(r.decisions) == 0 {
			return 0
		}
		return float64(r.decisions[int(share*float64(len(r.decisions)-1))].Nanoseconds()) / 1000
	}
	return &result{
		Workload: r.workload.Name, Size: r.workload.Size, Nodes: r.Cache.NodeCount(), Pods: r.workload.measured(), Placed: r.placed, Seconds: seconds,
		PodsPerS: float64(r.placed) / max(seconds, 1e-9), P50: percentile(0.5), P99: percentile(0.99),
		Decisions: len(r.decisions),
	}
}

// silentRecorder drops events.
type silentRecorder struct{}

func (silentRecorder) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {
}
func (s silentRecorder) WithLogger(klog.Logger) events.EventRecorderLogger { return s }
