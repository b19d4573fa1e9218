package oracle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"loadline/conformance/admission"
	"loadline/conformance/extender"
	"loadline/conformance/recording"
)

// ErrUnscored says that a pod has one feasible node, which the real scheduler takes without scoring it, and that to score
// it would fail. There is nothing to compare scores with.
var ErrUnscored = errors.New("scheduled without a score")

// ErrPortTwice says that a group's member has pods evicted for a host port, and the members after it see it beside them. The
// real scheduler forgets the port of both with one of them, and finds the same victims again.
var ErrPortTwice = errors.New("two pods with the same host port on one node")

// ErrSumsWrap says that the nodes of a placement have more of a resource together than the hundredth of what 64 bits hold. The
// real scheduler's score of the placement wraps around then, and may be an error.
var ErrSumsWrap = errors.New("a placement's sums wrap around")

// Run lets the real scheduler work through an input and records every attempt. It is a function of the input: the same
// one gives the same recording. The input returned has its events at the attempts before which they happened, and lacks
// those that could not happen. Errors: the input is not valid, or the recording contradicts the real scheduler.
func Run(input *recording.Input) (*recording.Input, *recording.Expected, error) {
	return runWith(input, true)
}

// runWith repairs what a group's cycle does by accident, or does not: see renewLists and groupNominator.
func runWith(input *recording.Input, repairs bool) (*recording.Input, *recording.Expected, error) {
	world, err := newWorld(input.Configuration, input.Seed)
	if err != nil {
		return nil, nil, err
	}
	defer world.stop()
	world.repairs = repairs
	run := &run{world: world, input: input, numbers: map[string]int{}, failed: map[string]bool{}, resting: map[string]bool{}, gone: map[string]bool{}}
	run.expected = &recording.Expected{
		Name: input.Name, KubernetesVersion: Version, FeatureGates: gates(),
		NodeNames: []string{}, Attempts: []*recording.Attempt{}, Final: map[string]string{},
	}
	run.findColumns()
	if err := run.fill(); err != nil {
		return nil, nil, err
	}
	if err := run.schedule(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", input.Name, err)
	}
	run.conclude()
	happened := *input
	happened.Events = run.happened
	return &happened, run.expected, nil
}

// patience is how long the queue may take to hand out a pod.
const patience = 10 * time.Second

type run struct {
	*world
	input    *recording.Input
	expected *recording.Expected
	numbers  map[string]int // of nodes
	failed   map[string]bool
	resting  map[string]bool // members of groups for whom nothing has changed since their last cycle
	changed  bool            // since a group came to rest
	gone     map[string]bool
	next     int           // event
	late     []*corev1.Pod // pods that came with events
	happened []recording.Event
}

// findColumns lists the plugins that score in any profile, in the order of the first that has them.
func (r *run) findColumns() {
	names := []string{}
	for name := range r.Profiles {
		names = append(names, name)
	}
	sort.Strings(names)
	r.expected.ScorePlugins = []string{}
	for _, name := range names {
		for _, plugin := range r.Profiles[name].ListPlugins().Score.Enabled {
			if !contains(r.expected.ScorePlugins, plugin.Name) {
				r.expected.ScorePlugins = append(r.expected.ScorePlugins, plugin.Name)
			}
		}
	}
	for _, service := range r.Extenders {
		if service.IsPrioritizer() {
			r.expected.ScorePlugins = append(r.expected.ScorePlugins, extender.ConfiguredName(service.Name()))
		}
	}
}

// fill creates all objects, pending pods last.
func (r *run) fill() error {
	in := r.input
	for _, kind := range [][]runtime.Object{
		objects(in.Namespaces), objects(in.PodGroups), objects(in.StorageClasses), objects(in.CSIDrivers), objects(in.CSINodes),
		objects(in.CSIStorageCapacities), objects(in.PersistentVolumes), objects(in.PersistentVolumeClaims),
		objects(in.VolumeAttachments), objects(in.Services), objects(in.PDBs), objects(in.ReplicationControllers),
		objects(in.ReplicaSets), objects(in.StatefulSets), objects(in.Nodes), objects(in.Pods),
	} {
		for _, object := range kind {
			if err := r.server.store(object); err != nil {
				return err
			}
		}
	}
	for _, node := range in.Nodes {
		r.number(node)
	}
	for _, object := range objects(in.PendingPods) {
		r.clock.Step(time.Millisecond)
		if err := r.server.store(object); err != nil {
			return err
		}
	}
	return nil
}

// objects copies and defaults, as the scheduler and the API server write into what they are given.
func objects[T interface{ DeepCopyObject() runtime.Object }](list []T) []runtime.Object {
	copies := make([]runtime.Object, len(list))
	for i, object := range list {
		copies[i] = object.DeepCopyObject()
		admission.DefaultObject(copies[i])
	}
	return copies
}

func (r *run) number(node *corev1.Node) {
	r.numbers[node.Name] = len(r.expected.NodeNames)
	r.expected.NodeNames = append(r.expected.NodeNames, node.Name)
}

// schedule alternates attempts and events until the queue is empty and nothing more happens. Pods that evict each other
// for ever, or that errors keep waking, are stopped by a limit.
func (r *run) schedule() error {
	limit := 4*len(r.input.PendingPods) + 40
	for len(r.expected.Attempts)+len(r.expected.GroupCycles) < limit {
		if err := r.happen(); err != nil {
			return err
		}
		if r.mayPop() || r.wake() {
			if err := r.attempt(); err != nil {
				return err
			}
		} else if r.next == len(r.input.Events) {
			return nil
		}
	}
	return nil
}

// attempt lets the next pod have its cycle, or the group that it belongs to.
func (r *run) attempt() error {
	logger := klog.FromContext(r.ctx)
	r.clock.Step(time.Millisecond)
	stuck := time.AfterFunc(patience, r.SchedulingQueue.Close)
	info, err := r.NextPod(logger)
	stuck.Stop()
	if err != nil {
		return err
	}
	if info == nil {
		return errors.New("the queue hands out no pod, though it has some")
	}
	r.server.forget()
	if info.Pod.Spec.SchedulingGroup != nil {
		return r.attemptGroup(info)
	}
	if err := r.Cache.UpdateSnapshot(logger, r.snapshot); err != nil {
		return err
	}
	return r.attemptPod(info)
}

// mayPop tells whether the queue would hand out a pod. What failed with an error waits for a clock that never gets there, and
// what rests is woken.
func (r *run) mayPop() bool {
	if len(r.SchedulingQueue.PodsInActiveQ()) > 0 {
		return true
	}
	for _, pod := range r.SchedulingQueue.PodsInBackoffQ() {
		if !r.failed[key(pod)] && !r.resting[key(pod)] {
			return true
		}
	}
	return false
}

// attemptPod lets a pod that stands alone have its cycle.
func (r *run) attemptPod(info *framework.QueuedPodInfo) error {
	profile := r.Profiles[info.Pod.Spec.SchedulerName]
	record := r.begin(info)
	observed := r.observer(profile, record).observe(info.Pod)
	state := framework.NewCycleState()
	state.Write(framework.PodsToActivateKey, framework.NewPodsToActivate())
	result, failure := r.SchedulePod(r.ctx, profile, state, info)
	if failure != nil {
		return r.fail(info, profile, state, record, failure)
	}
	if observed != nil {
		return fmt.Errorf("%s: %w: %w", record.Pod, ErrUnscored, observed)
	}
	node, err := r.choose(info.Pod, record, result.SuggestedHost)
	if err != nil {
		return err
	}
	return r.bind(info, profile, state, record, node)
}

// begin adds the record of an attempt.
func (r *run) begin(info *framework.QueuedPodInfo) *recording.Attempt {
	pod := info.Pod
	delete(r.failed, key(pod))
	delete(r.resting, key(pod))
	record := &recording.Attempt{
		Seq: len(r.expected.Attempts), Pod: key(pod), PodAttempt: info.Attempts, NominatedBefore: pod.Status.NominatedNodeName,
		OtherNominated: r.others(pod, r.expected.NodeNames),
	}
	if pod.Spec.Priority != nil {
		record.Priority = *pod.Spec.Priority
	}
	r.chance = fmt.Sprint(record.Pod, " ", info.Attempts)
	r.expected.Attempts = append(r.expected.Attempts, record)
	return record
}

func (r *run) observer(profile framework.Framework, record *recording.Attempt) *observer {
	return &observer{r.world, profile, r.numbers, r.expected.ScorePlugins, record}
}

// choose breaks the tie, if there is one, and makes sure that the real choice is as good.
func (r *run) choose(pod *corev1.Pod, record *recording.Attempt, real string) (string, error) {
	chosen := r.expected.NodeNames[record.MaxNodes[r.pick(len(record.MaxNodes))]]
	best := containsNumber(record.MaxNodes, r.numbers[real])
	nominated, exists := r.numbers[pod.Status.NominatedNodeName]
	if exists && containsNumber(record.Feasible, nominated) { // then it was tried first, and alone
		chosen = real
		if real != pod.Status.NominatedNodeName {
			return "", fmt.Errorf("%s: the real scheduler takes %s, not the nominated %s", record.Pod, real, pod.Status.NominatedNodeName)
		}
	} else if !best {
		return "", fmt.Errorf("%s: the real scheduler takes %s, which is not among the best nodes %v", record.Pod, real, record.MaxNodes)
	}
	isMax := containsNumber(record.MaxNodes, r.numbers[chosen])
	record.ChosenIsMax = &isMax
	return chosen, nil
}

// bind does what follows a decision: the pod is assumed, reserved, its volumes and itself are bound.
func (r *run) bind(info *framework.QueuedPodInfo, profile framework.Framework, state fwk.CycleState, record *recording.Attempt, node string) error {
	number := r.numbers[node]
	record.Result, record.Node, record.NodeName = recording.Scheduled, &number, node

	assumed := info.DeepCopy()
	assumed.Pod.Spec.NodeName = node
	if err := r.Cache.AssumePod(klog.FromContext(r.ctx), assumed.Pod); err != nil {
		return err
	}
	r.SchedulingQueue.DeleteNominatedPodIfExists(assumed.Pod)
	if status := profile.RunReservePluginsReserve(r.ctx, state, assumed.Pod, node); !status.IsSuccess() {
		return fmt.Errorf("reserving %s for %s: %w", node, record.Pod, status.AsError())
	}
	r.SchedulingQueue.Done(assumed.Pod.UID)
	var err error
	if record.VolumeUpdates, err = r.bindVolumes(profile, state, assumed.Pod, node); err != nil {
		return err
	}
	return r.storeBound(assumed.Pod, node)
}

// bindVolumes binds the volumes of an assumed pod, and does what controllers do about them.
func (r *run) bindVolumes(profile framework.Framework, state fwk.CycleState, pod *corev1.Pod, node string) (*recording.VolumeUpdates, error) {
	if !usesClaims(pod) {
		return nil, nil
	}
	// The plugin writes volumes and claims, then waits for what settleVolumes does: it need not.
	noWaiting, stop := context.WithCancel(r.ctx)
	stop()
	if status := profile.RunPreBindPlugins(noWaiting, state, pod, node); !status.IsSuccess() && len(r.server.volumes) == 0 {
		return nil, fmt.Errorf("binding the volumes of %s: %w", key(pod), status.AsError())
	}
	info, err := r.snapshot.Get(node)
	if err != nil {
		return nil, err
	}
	return r.settleVolumes(info.Node())
}

// storeBound binds an assumed pod.
func (r *run) storeBound(pod *corev1.Pod, node string) error {
	stored, err := r.server.pod(types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name})
	if err != nil {
		return err
	}
	bound := stored.DeepCopy()
	r.bindings++
	r.changed = true
	started := metav1.NewTime(start.Add(time.Duration(r.bindings) * time.Second))
	bound.Spec.NodeName, bound.Status.StartTime, bound.Status.NominatedNodeName = node, &started, ""
	return r.server.store(bound)
}

// fail does what follows when no node is found: preemption, and the pod goes back to the queue.
func (r *run) fail(info *framework.QueuedPodInfo, profile framework.Framework, state fwk.CycleState, record *recording.Attempt, failure error) error {
	watching := r.witnesses[profile.ProfileName()]
	if watching != nil {
		watching.reset()
	}
	nominating := &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride}
	var status *fwk.Status
	var fit *framework.FitError
	switch {
	case errors.Is(failure, scheduler.ErrNoNodesAvailable):
		status = fwk.NewStatus(fwk.UnschedulableAndUnresolvable).WithError(failure)
	case !errors.As(failure, &fit):
		status = fwk.AsStatus(failure)
	default:
		if profile.HasPostFilterPlugins() {
			result, outcome := profile.RunPostFilterPlugins(r.ctx, state, info.Pod, fit.Diagnosis.NodeToStatus)
			fit.Diagnosis.PostFilterMsg = outcome.Message()
			nominating = nil
			if result != nil {
				nominating = result.NominatingInfo
			}
			if outcome.IsSuccess() && nominating != nil {
				record.NominatedNode = nominating.NominatedNodeName
			}
		}
		record.UnschedulablePlugins = sets.List(fit.Diagnosis.UnschedulablePlugins)
		status = fwk.NewStatus(fwk.Unschedulable).WithError(failure)
	}
	noteFailure(record, status)
	r.failed[record.Pod] = len(record.UnschedulablePlugins) == 0 // what no plugin refused counts as an error
	r.FailureHandler(r.ctx, profile, info, status, nominating, r.clock.Now())
	if written := r.server.condition; written != nil && written.Message != record.Message {
		return fmt.Errorf("%s: recorded %q, but the pod's condition says %q", record.Pod, record.Message, written.Message)
	}
	r.noteVictims(record, r.server.evicted)
	if watching != nil && watching.asked {
		record.Preemption = r.preemption(watching)
		return watching.problem
	}
	return nil
}

// noteFailure writes down what an attempt that found no node leaves behind.
func noteFailure(record *recording.Attempt, status *fwk.Status) {
	record.Result, record.Reason, record.Message = recording.Unschedulable, corev1.PodReasonUnschedulable, status.Message()
	if !status.IsRejected() {
		record.Result, record.Reason = recording.Failed, corev1.PodReasonSchedulerError
		record.Feasible, record.Infeasible = []int{}, nil // the error is all that such an attempt leaves behind
		record.Scores, record.MaxScore, record.MaxNodes = nil, nil, nil
	}
}

// conclude records where the pending pods ended up.
func (r *run) conclude() {
	for _, pending := range append(slices.Clone(r.input.PendingPods), r.late...) {
		pod := r.find(key(pending))
		switch {
		case pod == nil:
		case len(pod.Spec.SchedulingGates) > 0:
			r.expected.Gated = append(r.expected.Gated, key(pod))
		default:
			r.expected.Final[key(pod)] = pod.Spec.NodeName
			if pod.Spec.NodeName == "" && pod.Status.NominatedNodeName != "" {
				if r.expected.Nominated == nil {
					r.expected.Nominated = map[string]string{}
				}
				r.expected.Nominated[key(pod)] = pod.Status.NominatedNodeName
			}
		}
	}
}

func containsNumber(list []int, wanted int) bool {
	for _, item := range list {
		if item == wanted {
			return true
		}
	}
	return false
}
