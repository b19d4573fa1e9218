package generate

import (
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	gpu      = corev1.ResourceName("nvidia.com/gpu")
	fpga     = corev1.ResourceName("example.com/fpga")
	hugepage = corev1.ResourceName("hugepages-2Mi")
)

const mebibyte = 1 << 20

// departed is a node that some pods still name. It may come back.
const departed = "departed"

// zoneNames are of the form that in-tree disks of Google's cloud are translated from.
var zoneNames = []string{"eu-west1-a", "eu-west1-b", "eu-west1-c", "eu-west1-d"}

const zoneA, zoneB, zoneC = "eu-west1-a", "eu-west1-b", "eu-west1-c"

// imagePool is what nodes may have and pods may want; names without a tag mean the latest.
var imagePool = []corev1.ContainerImage{
	{Names: []string{"registry.example/web:v1", "registry.example/web@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}, SizeBytes: 250 * mebibyte},
	{Names: []string{"registry.example/db:v3"}, SizeBytes: 900 * mebibyte},
	{Names: []string{"registry.example/model:latest"}, SizeBytes: 12000 * mebibyte},
	{Names: []string{"registry.example:5000/tool:latest"}, SizeBytes: 60 * mebibyte},
	{Names: []string{"docker.io/library/small:1"}, SizeBytes: 23 * mebibyte},
	{Names: []string{"docker.io/library/empty:1"}, SizeBytes: 0},
	{Names: []string{"nginx:latest", "docker.io/library/nginx:latest"}, SizeBytes: 400 * mebibyte},
	{Names: []string{"registry.example/odd:v2"}, SizeBytes: 333333337},
}

var imageNames = []string{"registry.example/web:v1", "registry.example/db:v3", "registry.example/model", "registry.example/model:latest",
	"registry.example:5000/tool", "docker.io/library/small:1", "docker.io/library/empty:1", "nginx", "docker.io/library/nginx", "registry.example/odd:v2", "registry.example/absent:v9"}

func (g *generator) makeNodes() {
	g.zones = zoneNames[:g.between(1, 4)]
	count := g.between(4, 16)
	switch {
	case g.flavoured[manyNodes]:
		count = pick(g.dice, 150, 200, 300, 1000)
	case g.flavoured[manyPods]:
		count = g.between(10, 60)
	case g.chance(15):
		count = g.between(17, 25)
	case g.chance(3):
		count = g.between(0, 3)
	}
	var model *corev1.Node
	order := g.Perm(count)
	if g.chance(60) {
		slices.Sort(order)
	}
	for i := range count {
		name := fmt.Sprintf("n%02d", order[i])
		node := g.node(name, i)
		if model != nil && g.likely(ties, 85, 15) {
			node = sameNode(model, name)
		}
		model = node
		g.input.Nodes = append(g.input.Nodes, node)
	}
}

// sameNode differs from the model by name only.
func sameNode(model *corev1.Node, name string) *corev1.Node {
	node := model.DeepCopy()
	node.Name = name
	if node.Labels[corev1.LabelHostname] != "" {
		node.Labels[corev1.LabelHostname] = name
	}
	return node
}

func (g *generator) node(name string, index int) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: g.nodeLabels(name, index)}}
	node.Spec.Unschedulable = g.likely(taints, 10, 3)
	node.Spec.Taints = g.taints()
	if node.Spec.Unschedulable && g.chance(70) {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	node.Status.Allocatable = g.allocatable()
	node.Status.Capacity = node.Status.Allocatable.DeepCopy()
	for _, image := range imagePool {
		if g.likely(images, 45, 12) {
			node.Status.Images = append(node.Status.Images, image)
		}
	}
	return node
}

func (g *generator) nodeLabels(name string, index int) map[string]string {
	labels := map[string]string{corev1.LabelArchStable: "amd64"}
	if g.chance(95) {
		labels[corev1.LabelHostname] = name
	}
	if g.chance(2) {
		labels[corev1.LabelHostname] = pick(g.dice, "n00", "") // another's, or nothing
	}
	if g.chance(90) {
		labels[corev1.LabelTopologyZone] = g.zones[index%len(g.zones)]
		labels[corev1.LabelTopologyRegion] = "r1"
		if g.chance(15) {
			labels[corev1.LabelTopologyZone] = pick(g.dice, g.zones...)
			labels[corev1.LabelTopologyRegion] = pick(g.dice, "r1", "r2")
			if g.chance(10) {
				labels[corev1.LabelTopologyZone] = ""
			}
		}
	}
	if g.chance(5) {
		labels[corev1.LabelFailureDomainBetaZone] = pick(g.dice, g.zones...)
	}
	if g.chance(70) {
		labels["disk"] = pick(g.dice, "ssd", "hdd")
	}
	if g.chance(60) {
		labels["gen"] = pick(g.dice, "1", "2", "3", "10", "04", "many")
	}
	if g.chance(40) {
		labels["rack"] = "rack" + strconv.Itoa(index%3)
	}
	return labels
}

func (g *generator) taints() []corev1.Taint {
	if !g.likely(taints, 50, 12) {
		return nil
	}
	return some(g.dice, 2,
		corev1.Taint{Key: "dedicated", Value: pick(g.dice, "gpu", "db"), Effect: corev1.TaintEffectNoSchedule},
		corev1.Taint{Key: "drain", Value: "soon", Effect: corev1.TaintEffectNoExecute},
		corev1.Taint{Key: "slow", Value: pick(g.dice, "a", "b", ""), Effect: corev1.TaintEffectPreferNoSchedule},
		corev1.Taint{Key: "old", Effect: corev1.TaintEffectPreferNoSchedule},
		corev1.Taint{Key: "dedicated", Value: "batch", Effect: corev1.TaintEffectPreferNoSchedule},
		corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute},
		corev1.Taint{Key: corev1.TaintNodeMemoryPressure, Effect: corev1.TaintEffectNoSchedule})
}

func (g *generator) allocatable() corev1.ResourceList {
	list := corev1.ResourceList{
		corev1.ResourceCPU:              g.quantity("4", "3900m", "3930m", "2", "8", "16"),
		corev1.ResourceMemory:           g.quantity("4Gi", "16Gi", "32Gi", "15888888Ki", "7900000000"),
		corev1.ResourcePods:             g.quantity("6", "10", "30", "110", "110"),
		corev1.ResourceEphemeralStorage: g.quantity("50Gi", "100Gi", "20G"),
	}
	if g.flavoured[preemption] {
		list[corev1.ResourceCPU] = g.quantity("2", "3", "4")
		list[corev1.ResourcePods] = g.quantity("3", "5", "8", "110")
	}
	if g.chance(10) {
		delete(list, corev1.ResourceEphemeralStorage)
	}
	if g.likely(resources, 60, 25) {
		list[gpu] = g.quantity("1", "2", "4", "8", "0")
	}
	if g.likely(resources, 30, 5) {
		list[fpga] = g.quantity("1", "3")
	}
	if g.likely(resources, 30, 5) {
		list[hugepage] = g.quantity("64Mi", "1Gi", "0")
	}
	if g.likely(corners, 70, 0) {
		for _, name := range some(g.dice, 3, corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods, corev1.ResourceEphemeralStorage, gpu) {
			list[name] = g.cornerQuantity(name)
		}
	}
	return list
}

// cornerQuantity is zero, one, odd, or nearly too large. Beyond a hundredth of what 64 bits hold, the real scheduler's
// scores overflow, and near to all of it the sums of requests.
func (g *generator) cornerQuantity(name corev1.ResourceName) resource.Quantity {
	switch {
	case name == corev1.ResourceCPU:
		return g.quantity("0", "1m", "100n", "1500u", "0.7", "333333m", "92233720368547", "92233720368547758m")
	case name == corev1.ResourcePods:
		return g.quantity("0", "1", "2", "9223372036854775807", "2147483648")
	case name == gpu:
		return g.quantity("0", "1", "9223372036854775", "4611686018427387")
	default:
		return g.quantity("0", "1", "1500m", "1.5Gi", "1e3", "8P", "92233720368547758", "92233720368547757", "46116860184273879")
	}
}
