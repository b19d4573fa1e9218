package generate

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

func (g *generator) setContainers(spec *corev1.PodSpec) {
	for i := range pick(g.dice, 1, 1, 1, 2, 3) {
		spec.Containers = append(spec.Containers, g.container(fmt.Sprintf("c%d", i)))
	}
	if g.likely(resources, 40, 8) {
		for i := range g.between(1, 3) {
			container := g.container(fmt.Sprintf("i%d", i))
			if g.chance(45) {
				container.RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
			}
			spec.InitContainers = append(spec.InitContainers, container)
		}
	}
	if g.likely(resources, 20, 3) {
		spec.Overhead = corev1.ResourceList{corev1.ResourceCPU: g.quantity("50m", "250m")}
		if g.chance(60) {
			spec.Overhead[corev1.ResourceMemory] = g.quantity("64Mi", "120Mi")
		}
	}
	if g.likely(resources, 20, 3) {
		spec.Resources = g.podLevelResources()
	}
	if g.likely(ports, 20, 2) {
		spec.HostNetwork = true
		for _, list := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
			for i := range list {
				for j := range list[i].Ports {
					list[i].Ports[j].HostPort = list[i].Ports[j].ContainerPort
				}
			}
		}
	}
}

func (g *generator) podLevelResources() *corev1.ResourceRequirements {
	wanted := &corev1.ResourceRequirements{Requests: corev1.ResourceList{}}
	if g.chance(80) {
		wanted.Requests[corev1.ResourceCPU] = g.quantity("2", "3", "8")
	}
	if g.chance(70) {
		wanted.Requests[corev1.ResourceMemory] = g.quantity("4Gi", "9Gi")
	}
	if g.chance(20) {
		wanted.Limits = corev1.ResourceList{corev1.ResourceCPU: g.quantity("8", "9")}
	}
	return wanted
}

func (g *generator) container(name string) corev1.Container {
	container := corev1.Container{Name: name, Image: pick(g.dice, imageNames...), Resources: g.requirements()}
	if g.likely(ports, 60, 4) {
		for i := range g.between(1, 2) {
			number := int32(pick(g.dice, 80, 8080, 9090))
			container.Ports = append(container.Ports, corev1.ContainerPort{
				Name: fmt.Sprintf("%s-%d", name, i), ContainerPort: number, HostPort: number,
				Protocol: pick(g.dice, corev1.ProtocolTCP, corev1.ProtocolTCP, corev1.ProtocolUDP, corev1.ProtocolSCTP),
				HostIP:   pick(g.dice, "", "", "0.0.0.0", "10.0.0.1", "10.0.0.2"),
			})
			if g.chance(15) {
				container.Ports[i].HostPort = 0
			}
		}
	}
	return container
}

func (g *generator) requirements() corev1.ResourceRequirements {
	requests := corev1.ResourceList{}
	if g.chance(80) {
		requests[corev1.ResourceCPU] = g.quantity("100m", "250m", "500m", "1", "333m", "1500m", "2")
	}
	if g.chance(75) {
		requests[corev1.ResourceMemory] = g.quantity("64Mi", "256Mi", "1Gi", "2Gi", "777777777", "100M")
	}
	if g.flavoured[preemption] && g.chance(60) {
		requests[corev1.ResourceCPU] = g.quantity("500m", "1", "2")
	}
	if g.likely(resources, 25, 5) {
		requests[corev1.ResourceEphemeralStorage] = g.quantity("1Gi", "8Gi", "500M")
	}
	if g.likely(resources, 25, 6) {
		requests[gpu] = g.quantity("1", "1", "2", "4", "0")
	}
	if g.likely(resources, 8, 1) {
		requests[fpga] = g.quantity("1", "2")
	}
	if g.likely(resources, 8, 1) {
		requests[hugepage] = g.quantity("2Mi", "64Mi")
	}
	if g.likely(corners, 45, 0) {
		for _, name := range some(g.dice, 2, corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage, gpu) {
			requests[name] = g.cornerQuantity(name)
		}
	}
	wanted := corev1.ResourceRequirements{Requests: requests, Limits: corev1.ResourceList{}}
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		amount := requests[name]
		switch {
		case name == gpu || name == fpga || name == hugepage: // these may not exceed what is requested
			wanted.Limits[name] = amount
		case g.chance(5): // a limit alone is a request
			wanted.Limits[name] = amount
			delete(wanted.Requests, name)
		}
	}
	return wanted
}
