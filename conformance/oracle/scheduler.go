// Package oracle lets the real kube-scheduler decide, attempt by attempt, and writes down all that led to each decision.
//
// What is real: the queue with its hints, the cache and its snapshots, the profiles and every plugin, the handling of
// events and failures. What is replaced: the API server (a store that answers at once), time (it advances a millisecond
// an attempt), the goroutine that binds, chance (a seed), and the controllers that would delete victims and bind volumes.
package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/profile"
	testingclock "k8s.io/utils/clock/testing"

	"loadline/conformance/extender"
)

// Version is the kube-scheduler that this package links.
const Version = "v1.36.3"

// featureGates are those that differ from the version's defaults: groups of pods, which concern no other pods; a cache that
// depends on the wall clock, and a goroutine that evicts.
const featureGates = "GenericWorkload=true,GangScheduling=true,OpportunisticBatching=false,SchedulerAsyncPreemption=false"

func init() {
	if err := utilfeature.DefaultMutableFeatureGate.Set(featureGates); err != nil {
		panic(err)
	}
	if utilfeature.DefaultFeatureGate.Enabled(features.SchedulerAsyncAPICalls) {
		panic("calls to the API server would be answered at any time")
	}
	klog.SetLogger(logr.Discard())
	utilruntime.ErrorHandlers = nil // errors reach the recording as the outcome of an attempt
}

// EnableTopology turns the gate TopologyAwareWorkloadScheduling on, for all schedulers that are made from now on.
func EnableTopology() error {
	return utilfeature.DefaultMutableFeatureGate.Set(topologyGate)
}

const topologyGate = "TopologyAwareWorkloadScheduling=true"

// gates are those that are on or off, as a recording tells them.
func gates() string {
	if utilfeature.DefaultFeatureGate.Enabled(features.TopologyAwareWorkloadScheduling) {
		return featureGates + "," + topologyGate
	}
	return featureGates
}

// start is when the scheduler starts and the first pending pod is created; the k-th pod bound starts k seconds later.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// world is a scheduler and the cluster around it.
type world struct {
	*scheduler.Scheduler
	ctx       context.Context
	stop      context.CancelFunc
	server    *apiServer
	clock     *testingclock.FakeClock
	snapshot  *internalcache.Snapshot
	witnesses map[string]*preemptionWitness
	seed      int64
	bindings  int
	// cycle is that of a group, while one is under way.
	cycle *groupCycle
	queue *orderedQueue
	// nominator is what the profiles ask who is nominated.
	nominator fwk.PodNominator
	// repairs says whether what a group's cycle does by accident is left out.
	repairs bool
	// chance is what the present choice among ties depends on, besides the seed.
	chance string
}

// newWorld builds a scheduler over an empty cluster. Errors: the configuration is not valid.
func newWorld(configuration json.RawMessage, seed int64) (*world, error) {
	settings, err := decodeConfiguration(configuration)
	if err != nil {
		return nil, err
	}
	for i := range settings.Extenders {
		settings.Extenders[i].URLPrefix = extender.RealName(settings.Extenders[i].URLPrefix)
	}
	w := &world{server: newAPIServer(), clock: testingclock.NewFakeClock(start), seed: seed, witnesses: map[string]*preemptionWitness{}}
	w.ctx, w.stop = context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	everyNode := int32(100)
	w.Scheduler, err = scheduler.New(w.ctx, w.server.client, w.server.informers, nil, silentRecorders,
		scheduler.WithProfiles(settings.Profiles...),
		scheduler.WithExtenders(settings.Extenders...),
		scheduler.WithComponentConfigVersion("kubescheduler.config.k8s.io/v1"),
		scheduler.WithPercentageOfNodesToScore(&everyNode),
		scheduler.WithParallelism(1),
		scheduler.WithClock(w.clock))
	if err != nil {
		w.stop()
		return nil, err
	}
	w.nominator = &groupNominator{w.SchedulingQueue, w}
	w.queue = &orderedQueue{w.SchedulingQueue, w}
	w.SchedulingQueue = w.queue
	for name, real := range w.Profiles {
		w.Profiles[name] = &groupProfile{real, w}
		real.SetPodNominator(w.nominator)
		w.snapshot = real.SnapshotSharedLister().(*internalcache.Snapshot)
		if watching := witness(real, w.pick); watching != nil {
			w.witnesses[name] = watching
		}
	}
	return w, nil
}

// pick chooses among n equals: always the same one for a seed, a pod and its attempt.
func (w *world) pick(n int) int {
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%d %s", w.seed, w.chance)
	return int(hash.Sum64() % uint64(n))
}

func decodeConfiguration(text json.RawMessage) (*config.KubeSchedulerConfiguration, error) {
	if len(text) == 0 {
		text = json.RawMessage(`{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration"}`)
	}
	object, err := runtime.Decode(scheme.Codecs.UniversalDecoder(), text)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	settings, is := object.(*config.KubeSchedulerConfiguration)
	if !is {
		return nil, fmt.Errorf("configuration: a %T", object)
	}
	if err := validation.ValidateKubeSchedulerConfiguration(settings); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return settings, nil
}

// silentRecorder drops events.
type silentRecorder struct{}

var silentRecorders profile.RecorderFactory = func(string) events.EventRecorderLogger { return silentRecorder{} }

func (silentRecorder) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {
}
func (r silentRecorder) WithLogger(klog.Logger) events.EventRecorderLogger { return r }

func key(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }
