package oracle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	schedulerutil "k8s.io/kubernetes/pkg/scheduler/util"

	"loadline/conformance/recording"
)

// groupCycle is the cycle of a PodGroup under way. The real scheduler runs it from end to end; this listens to it, breaks
// its ties, and carries out its bindings one after another.
type groupCycle struct {
	run      *run
	record   *recording.GroupCycle
	schedule func(context.Context, framework.Framework, fwk.CycleState, *framework.QueuedPodInfo) (scheduler.ScheduleResult, error)

	turns   []*memberTurn
	evicted int // how many pods were before the present search for victims
	members map[string]*recording.GroupMember
	problem error

	mutex    sync.Mutex
	bindings map[types.UID]*binding
	order    []*binding
}

// memberTurn is a member's turn. What failed is described after the cycle: the message gets its end from PostFilter.
type memberTurn struct {
	record  *recording.Attempt
	failure error
}

// binding is the goroutine that binds a member.
type binding struct {
	turn, ended chan bool
	member      *recording.GroupMember
}

// attemptGroup lets a group have its cycle, one of whose pods left the queue.
func (r *run) attemptGroup(info *framework.QueuedPodInfo) error {
	namespace, name := info.Pod.Namespace, *info.Pod.Spec.SchedulingGroup.PodGroupName
	index := len(r.expected.GroupCycles)
	cycle := &groupCycle{run: r, schedule: r.SchedulePod,
		members: map[string]*recording.GroupMember{}, bindings: map[types.UID]*binding{}}
	cycle.record = &recording.GroupCycle{PodGroup: namespace + "/" + name, FirstAttempt: len(r.expected.Attempts), Outcome: recording.GroupFailed}
	group := r.group(cycle.record.PodGroup)
	cycle.record.Gone = group == nil
	if group != nil && group.Spec.SchedulingPolicy.Gang != nil {
		cycle.record.MinCount = &group.Spec.SchedulingPolicy.Gang.MinCount
	}
	state, err := r.Cache.PodGroupStates().Get(namespace, name)
	if err != nil {
		return err
	}
	cycle.record.ScheduledBefore = state.ScheduledPodsCount()
	r.expected.GroupCycles = append(r.expected.GroupCycles, cycle.record)

	cycle.letGo(info)
	cycle.describeFailures()
	for _, turn := range cycle.turns {
		turn.record.GroupCycle = &index
	}
	if group := r.group(cycle.record.PodGroup); group != nil {
		if written := apimeta.FindStatusCondition(group.Status.Conditions, schedulingv1alpha2.PodGroupScheduled); written != nil {
			cycle.record.Condition = &recording.Condition{Status: string(written.Status), Reason: written.Reason, Message: written.Message}
		}
	}
	cycle.rest()
	return cycle.problem
}

// letGo runs the real cycle and its bindings.
func (c *groupCycle) letGo(info *framework.QueuedPodInfo) {
	r := c.run
	nextPod, failureHandler := r.NextPod, r.FailureHandler
	defer func() {
		r.cycle, r.NextPod, r.SchedulePod, r.FailureHandler = nil, nextPod, c.schedule, failureHandler
	}()
	r.cycle, r.SchedulePod = c, c.schedulePod
	r.NextPod = func(klog.Logger) (*framework.QueuedPodInfo, error) { return info, nil }
	r.FailureHandler = func(ctx context.Context, profile framework.Framework, info *framework.QueuedPodInfo, status *fwk.Status, nominating *fwk.NominatingInfo, start time.Time) {
		r.server.condition = nil
		failureHandler(ctx, profile, info, status, nominating, start)
		c.failed(info.Pod, status)
	}
	r.queue.order(info)
	r.ScheduleOne(klog.NewContext(r.ctx, outcomeLogger(&c.record.Outcome)))
	if r.repairs {
		renewLists(r.snapshot)
	}
	for _, next := range c.order {
		next.turn <- true
		<-next.ended
	}
}

// schedulePod is what the real cycle asks where a member should go.
func (c *groupCycle) schedulePod(ctx context.Context, profile framework.Framework, state fwk.CycleState, info *framework.QueuedPodInfo) (scheduler.ScheduleResult, error) {
	r := c.run
	if r.repairs {
		renewLists(r.snapshot)
	}
	turn := &memberTurn{record: r.begin(info)}
	c.noteAttempt()
	c.turns = append(c.turns, turn)
	observed := r.observer(profile, turn.record).observe(info.Pod)
	result, failure := c.schedule(ctx, profile, state, info)
	if turn.failure = failure; failure != nil {
		var fit *framework.FitError
		if errors.As(failure, &fit) { // to which the queue will add why it does not let the pod in again
			turn.record.UnschedulablePlugins = sets.List(fit.Diagnosis.UnschedulablePlugins)
		}
		return result, failure
	}
	if observed != nil {
		c.unexpected("%s: %w: %w", turn.record.Pod, ErrUnscored, observed)
		return result, nil
	}
	node, err := r.choose(info.Pod, turn.record, result.SuggestedHost)
	if err != nil {
		c.unexpected("%w", err)
		return result, nil
	}
	number := r.numbers[node]
	turn.record.Result, turn.record.Node, turn.record.NodeName = recording.Scheduled, &number, node
	result.SuggestedHost = node
	return result, nil
}

// unexpected notes the first thing that must not happen.
func (c *groupCycle) unexpected(format string, arguments ...any) {
	if c.problem == nil {
		c.problem = fmt.Errorf(format, arguments...)
	}
}

func (c *groupCycle) present() *recording.Attempt { return c.turns[len(c.turns)-1].record }

func (c *groupCycle) beforePostFilter(profile string) *preemptionWitness {
	c.evicted = len(c.run.server.evicted)
	watching := c.run.witnesses[profile]
	if watching != nil {
		watching.reset()
	}
	return watching
}

func (c *groupCycle) afterPostFilter(watching *preemptionWitness, result *fwk.PostFilterResult, status *fwk.Status) {
	record := c.present()
	if status.IsSuccess() && result != nil && result.NominatingInfo != nil {
		record.NominatedNode = result.NominatedNodeName
	}
	c.run.noteVictims(record, c.run.server.evicted[c.evicted:])
	if watching != nil && watching.asked {
		record.Preemption = c.run.preemption(watching)
		if watching.problem != nil {
			c.unexpected("%w", watching.problem)
		}
	}
}

// notePorts notes that a pod is put beside one with the same host port, which is to be evicted for it: see ErrPortTwice.
func (c *groupCycle) notePorts(pod *corev1.Pod, node string) {
	info, err := c.run.snapshot.Get(node)
	if err != nil {
		c.unexpected("%w", err)
		return
	}
	for _, other := range info.GetPods() {
		if other.GetPod().UID != pod.UID && sharePorts(pod, other.GetPod()) {
			c.unexpected("%s: %w", key(pod), ErrPortTwice)
		}
	}
}

func sharePorts(a, b *corev1.Pod) bool {
	for _, one := range schedulerutil.GetHostPorts(a) {
		for _, other := range schedulerutil.GetHostPorts(b) {
			if one.HostPort == other.HostPort && one.Protocol == other.Protocol {
				return true
			}
		}
	}
	return false
}

// permitted hears what became of a member in the group's own cycle, which counts it as if it were on the node.
func (c *groupCycle) permitted(pod *corev1.Pod, node string, status *fwk.Status) {
	if c.present().NominatedNode != "" {
		c.notePorts(pod, node)
	}
	number := c.run.numbers[node]
	c.present().Assumed, c.present().Permit = &number, status.Code().String()
}

// willBind hears that a member of a group that fits is about to be bound.
func (c *groupCycle) willBind(pod *corev1.Pod, node string, status *fwk.Status) {
	if !status.IsSuccess() && !status.IsWait() {
		c.unexpected("%s was permitted, and is no longer: %w", key(pod), status.AsError())
		return
	}
	number := c.run.numbers[node]
	member := c.member(pod)
	member.Node = &number
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.bindings[pod.UID] = &binding{turn: make(chan bool), ended: make(chan bool, 1), member: member}
	c.order = append(c.order, c.bindings[pod.UID])
}

// bindingOf is called by the goroutines, too; nil: the pod is not being bound.
func (c *groupCycle) bindingOf(pod *corev1.Pod) *binding {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.bindings[pod.UID]
}

func (c *groupCycle) bindVolumes(profile framework.Framework, state fwk.CycleState, pod *corev1.Pod, node string) (err error) {
	c.bindingOf(pod).member.VolumeUpdates, err = c.run.bindVolumes(profile, state, pod, node)
	return err
}

func (c *groupCycle) member(pod *corev1.Pod) *recording.GroupMember {
	name := key(pod)
	if c.members[name] == nil {
		c.members[name] = &recording.GroupMember{Pod: name}
		c.record.Members = append(c.record.Members, c.members[name])
	}
	return c.members[name]
}

// failed hears of a member that goes back to the queue.
func (c *groupCycle) failed(pod *corev1.Pod, status *fwk.Status) {
	if bound := c.bindingOf(pod); bound != nil {
		c.unexpected("binding %s: %w", key(pod), status.AsError())
		bound.ended <- false
		return
	}
	member := c.member(pod)
	member.Reason, member.Message = corev1.PodReasonSchedulerError, status.Message()
	if status.IsRejected() {
		member.Reason = corev1.PodReasonUnschedulable
	}
	if now := c.run.find(member.Pod); now != nil {
		member.NominatedNode = now.Status.NominatedNodeName
	}
	if written := c.run.server.condition; written != nil && (written.Message != member.Message || written.Reason != member.Reason) {
		c.unexpected("%s: recorded %q, but the pod's condition says %q", member.Pod, member.Message, written.Message)
	}
}

func (c *groupCycle) describeFailures() {
	for _, turn := range c.turns {
		var fit *framework.FitError
		switch {
		case turn.failure == nil:
		case errors.Is(turn.failure, scheduler.ErrNoNodesAvailable):
			noteFailure(turn.record, fwk.NewStatus(fwk.UnschedulableAndUnresolvable).WithError(turn.failure))
		case errors.As(turn.failure, &fit):
			noteFailure(turn.record, fwk.NewStatus(fwk.Unschedulable).WithError(turn.failure))
		default:
			noteFailure(turn.record, fwk.AsStatus(turn.failure))
		}
	}
}

// rest lets the members that are left wait, unless the cycle has changed something for them: the real scheduler would try
// them again and again for ever.
func (c *groupCycle) rest() {
	busy := len(c.order) > 0
	for _, turn := range c.turns {
		busy = busy || len(turn.record.Victims) > 0
	}
	for _, member := range c.record.Members {
		if member.Node == nil {
			c.run.resting[member.Pod] = true
		}
	}
	if !busy {
		c.run.changed = false
	}
}

// wake lets the groups that rest have another cycle, as if time had passed, provided that something has changed.
func (r *run) wake() bool {
	if !r.changed || len(r.resting) == 0 {
		return false
	}
	names := slices.Sorted(maps.Keys(r.resting))
	r.resting, r.changed = map[string]bool{}, false
	for _, name := range names {
		if pod := r.find(name); pod != nil {
			r.SchedulingQueue.Activate(klog.FromContext(r.ctx), map[string]*corev1.Pod{name: pod})
		}
	}
	return len(r.SchedulingQueue.PodsInActiveQ()) > 0
}
