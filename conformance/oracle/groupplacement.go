package oracle

import (
	"context"
	"maps"
	"math"
	"slices"
	"sort"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"loadline/conformance/recording"
)

// RunPlacementGeneratePlugins puts the placements in order: the real plugin lists them in the order of a map.
func (p *groupProfile) RunPlacementGeneratePlugins(ctx context.Context, state fwk.PodGroupCycleState, group fwk.PodGroupInfo, nodes []fwk.NodeInfo) ([]*fwk.Placement, *fwk.Status) {
	placements, status := p.Framework.RunPlacementGeneratePlugins(ctx, state, group, nodes)
	sort.Slice(placements, func(i, j int) bool { return placements[i].Name < placements[j].Name })
	if cycle := p.world.cycle; cycle != nil {
		cycle.generated(placements)
	}
	return placements, status
}

// RunPlacementScorePlugins writes down what the plugins say, and breaks the tie, if there is one.
func (p *groupProfile) RunPlacementScorePlugins(ctx context.Context, state fwk.PodGroupCycleState, group fwk.PodGroupInfo, assignments []*fwk.PodGroupAssignments) ([]fwk.PlacementPluginScores, *fwk.Status) {
	scores, status := p.Framework.RunPlacementScorePlugins(ctx, state, group, assignments)
	cycle := p.world.cycle
	if cycle != nil && slices.ContainsFunc(assignments, sumsWrap) {
		cycle.unexpected("%s: %w", cycle.record.PodGroup, ErrSumsWrap)
	}
	if cycle == nil || !status.IsSuccess() {
		return scores, status
	}
	best := []*fwk.PlacementPluginScores{}
	for i := range scores {
		cycle.scored(scores[i].Placement.Name, scores[i].TotalScore)
		if len(best) > 0 && best[0].TotalScore < scores[i].TotalScore {
			best = best[:0]
		}
		if len(best) == 0 || best[0].TotalScore == scores[i].TotalScore {
			best = append(best, &scores[i])
		}
	}
	sort.Slice(best, func(i, j int) bool { return best[i].Placement.Name < best[j].Placement.Name })
	best[p.world.pick(len(best))].TotalScore++
	return scores, status
}

func sumsWrap(assignments *fwk.PodGroupAssignments) bool {
	sums := map[corev1.ResourceName]float64{}
	for _, node := range assignments.Nodes {
		for name, quantity := range node.Node().Status.Allocatable {
			sums[name] += quantity.AsApproximateFloat64()
		}
	}
	for name, sum := range sums {
		if name == corev1.ResourceCPU {
			sum *= 1000
		}
		if sum > math.MaxInt64/100 {
			return true
		}
	}
	return false
}

// generated hears of the placements that will be tried.
func (c *groupCycle) generated(placements []*fwk.Placement) {
	group := c.run.group(c.record.PodGroup)
	c.record.Topology = &recording.GroupTopology{}
	if group != nil && group.Spec.SchedulingConstraints != nil && len(group.Spec.SchedulingConstraints.Topology) > 0 {
		c.record.Topology.Key = group.Spec.SchedulingConstraints.Topology[0].Key
	}
	for _, placement := range placements {
		numbers := map[int]bool{}
		for _, node := range placement.Nodes {
			numbers[c.run.numbers[node.Node().Name]] = true
		}
		c.record.Topology.Placements = append(c.record.Topology.Placements,
			&recording.GroupPlacement{Name: placement.Name, Nodes: slices.Sorted(maps.Keys(numbers))})
	}
}

func (c *groupCycle) scored(name string, score int64) {
	for _, placement := range c.record.Topology.Placements {
		if placement.Name == name {
			placement.Score = &score
		}
	}
}

// noteAttempt counts the attempt to the placement that the snapshot is confined to.
func (c *groupCycle) noteAttempt() {
	if c.record.Topology == nil {
		return
	}
	nodes, err := c.run.snapshot.ListNodesInPlacement()
	if err != nil {
		c.unexpected("%w", err)
		return
	}
	numbers := []int{}
	for _, node := range nodes {
		numbers = append(numbers, c.run.numbers[node.Node().Name])
	}
	sort.Ints(numbers)
	for _, placement := range c.record.Topology.Placements {
		if slices.Equal(placement.Nodes, numbers) {
			placement.Attempts++
			return
		}
	}
	c.unexpected("%s: an attempt on nodes that are no placement", c.record.PodGroup)
}
