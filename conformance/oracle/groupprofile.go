package oracle

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// groupProfile stands between the real scheduler and a real profile. While a group has its cycle, it tells the cycle what
// passes, and hands it the bindings, which in the real scheduler are goroutines.
type groupProfile struct {
	framework.Framework
	world *world
}

func (p *groupProfile) RunPostFilterPlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, statuses fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	cycle := p.world.cycle
	if cycle == nil {
		return p.Framework.RunPostFilterPlugins(ctx, state, pod, statuses)
	}
	watching := cycle.beforePostFilter(p.ProfileName())
	result, status := p.Framework.RunPostFilterPlugins(ctx, state, pod, statuses)
	cycle.afterPostFilter(watching, result, status)
	return result, status
}

func (p *groupProfile) RunReservePluginsReserve(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node string) *fwk.Status {
	status := p.Framework.RunReservePluginsReserve(ctx, state, pod, node)
	if cycle := p.world.cycle; cycle != nil && !status.IsSuccess() {
		cycle.unexpected("reserving %s for %s: %w", node, key(pod), status.AsError())
	}
	return status
}

func (p *groupProfile) RunPermitPlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node string) (map[string]time.Duration, *fwk.Status) {
	waits, status := p.Framework.RunPermitPlugins(ctx, state, pod, node)
	if cycle := p.world.cycle; cycle != nil {
		if state.IsPodGroupSchedulingCycle() {
			cycle.permitted(pod, node, status)
		} else {
			cycle.willBind(pod, node, status)
		}
	}
	return waits, status
}

// RunPreBindPreFlights is where a binding begins. It waits until it may, so that members are bound in order.
func (p *groupProfile) RunPreBindPreFlights(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node string) *fwk.Status {
	cycle := p.world.cycle
	if cycle == nil {
		return p.Framework.RunPreBindPreFlights(ctx, state, pod, node)
	}
	<-cycle.bindingOf(pod).turn
	return fwk.NewStatus(fwk.Skip)
}

// WillWaitOnPermit spares the pod a nomination to the node that it is about to be bound to.
func (p *groupProfile) WillWaitOnPermit(ctx context.Context, pod *corev1.Pod) bool {
	return p.world.cycle == nil && p.Framework.WillWaitOnPermit(ctx, pod)
}

func (p *groupProfile) WaitOnPermit(ctx context.Context, pod *corev1.Pod) *fwk.Status {
	if cycle := p.world.cycle; cycle != nil {
		if waiting := p.GetWaitingPod(pod.UID); waiting != nil && len(waiting.GetPendingPlugins()) > 0 {
			cycle.unexpected("%s waits for its group, which has been scheduled", key(pod))
			p.RejectWaitingPod(pod.UID)
		}
	}
	return p.Framework.WaitOnPermit(ctx, pod)
}

func (p *groupProfile) RunPreBindPlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node string) *fwk.Status {
	if cycle := p.world.cycle; cycle != nil {
		return fwk.AsStatus(cycle.bindVolumes(p.Framework, state, pod, node))
	}
	return p.Framework.RunPreBindPlugins(ctx, state, pod, node)
}

func (p *groupProfile) RunBindPlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node string) *fwk.Status {
	if cycle := p.world.cycle; cycle != nil {
		return fwk.AsStatus(cycle.run.storeBound(pod, node))
	}
	return p.Framework.RunBindPlugins(ctx, state, pod, node)
}

func (p *groupProfile) RunPostBindPlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node string) {
	p.Framework.RunPostBindPlugins(ctx, state, pod, node)
	if cycle := p.world.cycle; cycle != nil {
		cycle.bindingOf(pod).ended <- true
	}
}
