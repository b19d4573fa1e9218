package generate

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const (
	blockDriver = "block.csi.example.com" // limited per node
	sizedDriver = "sized.csi.example.com" // publishes its capacity
	ebsDriver   = "ebs.csi.aws.com"       // an in-tree volume's successor
)

// Storage classes.
const (
	anywhere  = "anywhere"  // provisioned where the pod goes
	zonal     = "zonal"     // provisioned in some zones, usable in one
	sized     = "sized"     // provisioned where there is room
	local     = "local"     // volumes that exist, each on a node
	immediate = "immediate" // bound without waiting for a pod
	unknown   = "unknown"   // there is no such class
)

func (g *generator) makeStorage() {
	if !g.hasVolumes() {
		return
	}
	g.makeClasses()
	g.makeDrivers()
	if g.chance(70) {
		g.makeLocalVolumes()
	}
	for _, namespace := range []string{"default", "team-a"} {
		g.makeSharedClaims(namespace)
	}
	g.makeAttachments()
}

func (g *generator) hasVolumes() bool { return g.flavoured[volumes] || g.flavoured[disks] }

func (g *generator) class(name, provisioner, reach string, mode storagev1.VolumeBindingMode) *storagev1.StorageClass {
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: provisioner, VolumeBindingMode: ptr.To(mode)}
	if reach != "" {
		class.Parameters = map[string]string{"reach": reach}
	}
	g.input.StorageClasses = append(g.input.StorageClasses, class)
	return class
}

func (g *generator) makeClasses() {
	g.class(anywhere, blockDriver, pick(g.dice, "", "zone"), storagev1.VolumeBindingWaitForFirstConsumer)
	g.class(local, "kubernetes.io/no-provisioner", "", storagev1.VolumeBindingWaitForFirstConsumer)
	g.class(immediate, blockDriver, "", storagev1.VolumeBindingImmediate)
	g.class(sized, sizedDriver, "node", storagev1.VolumeBindingWaitForFirstConsumer)
	class := g.class(zonal, blockDriver, "zone", storagev1.VolumeBindingWaitForFirstConsumer)
	class.AllowedTopologies = []corev1.TopologySelectorTerm{{MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{
		{Key: corev1.LabelTopologyZone, Values: some(g.dice, 2, zoneA, zoneB, zoneC)}}}}
}

func (g *generator) makeDrivers() {
	g.input.CSIDrivers = append(g.input.CSIDrivers,
		&storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: blockDriver}, Spec: storagev1.CSIDriverSpec{AttachRequired: ptr.To(true)}},
		&storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: sizedDriver}, Spec: storagev1.CSIDriverSpec{AttachRequired: ptr.To(true), StorageCapacity: ptr.To(g.chance(80))}})
	for _, node := range g.input.Nodes {
		if g.chance(10) {
			continue
		}
		csi := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: node.Name}}
		for _, driver := range some(g.dice, 3, blockDriver, sizedDriver, ebsDriver) {
			entry := storagev1.CSINodeDriver{Name: driver, NodeID: node.Name}
			if g.chance(70) {
				entry.Allocatable = &storagev1.VolumeNodeResources{Count: ptr.To(int32(pick(g.dice, 0, 1, 1, 2, 3, 25)))}
			}
			csi.Spec.Drivers = append(csi.Spec.Drivers, entry)
		}
		if g.chance(60) {
			csi.Annotations = map[string]string{corev1.MigratedPluginsAnnotationKey: "kubernetes.io/aws-ebs,kubernetes.io/gce-pd"}
		}
		g.input.CSINodes = append(g.input.CSINodes, csi)
	}
	for i := range g.between(0, 4) {
		capacity := &storagev1.CSIStorageCapacity{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("room%d", i)}, StorageClassName: sized,
			NodeTopology: pick(g.dice, &metav1.LabelSelector{}, &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelTopologyZone: pick(g.dice, zoneA, zoneB)}},
				&metav1.LabelSelector{MatchLabels: map[string]string{"disk": "ssd"}}, nil)}
		if g.chance(90) {
			capacity.Capacity = ptr.To(g.quantity("1Gi", "20Gi", "100Gi", "0"))
		}
		if g.chance(30) {
			capacity.MaximumVolumeSize = ptr.To(g.quantity("5Gi", "50Gi"))
		}
		g.input.CSIStorageCapacities = append(g.input.CSIStorageCapacities, capacity)
	}
}

// size is a different one each time, so that among fitting volumes there is a smallest.
func (g *generator) size(gibibytes int) resource.Quantity {
	g.claimCount++
	return *resource.NewQuantity(int64(gibibytes)<<30+int64(g.claimCount)<<20, resource.BinarySI)
}

func (g *generator) volume(name, class string, size resource.Quantity) *corev1.PersistentVolume {
	pv := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: corev1.ResourceList{corev1.ResourceStorage: size}, StorageClassName: class,
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce, corev1.ReadWriteMany},
		},
		Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeAvailable},
	}
	switch {
	case class == local:
		pv.Spec.Local = &corev1.LocalVolumeSource{Path: "/mnt/" + name}
	case g.chance(15):
		pv.Spec.AWSElasticBlockStore = &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: "vol-" + name}
	case g.chance(10):
		pv.Spec.GCEPersistentDisk = &corev1.GCEPersistentDiskVolumeSource{PDName: name}
	default:
		pv.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: pick(g.dice, blockDriver, blockDriver, sizedDriver, ebsDriver), VolumeHandle: name}
	}
	g.input.PersistentVolumes = append(g.input.PersistentVolumes, pv)
	return pv
}

func requireNodes(key string, values ...string) *corev1.VolumeNodeAffinity {
	return &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
		{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: corev1.NodeSelectorOpIn, Values: values}}}}}}
}

func (g *generator) makeLocalVolumes() {
	for i, node := range g.input.Nodes {
		for j := range g.between(0, 3) {
			pv := g.volume(fmt.Sprintf("local-%d-%d", i, j), local, g.size(pick(g.dice, 5, 10, 50)))
			pv.Spec.NodeAffinity = requireNodes(corev1.LabelHostname, node.Name)
			if g.chance(30) {
				pv.Labels = map[string]string{"speed": "high"}
			}
		}
		if i > 40 {
			break
		}
	}
}

// reach says where a bound volume can be used: by its node affinity, or by labels that name zones.
func (g *generator) reach(pv *corev1.PersistentVolume) {
	switch g.IntN(5) {
	case 0:
		pv.Spec.NodeAffinity = requireNodes(corev1.LabelTopologyZone, some(g.dice, 2, zoneA, zoneB)...)
	case 1:
		pv.Labels = map[string]string{corev1.LabelTopologyZone: pick(g.dice, zoneA, zoneB, zoneA+"__"+zoneB), corev1.LabelTopologyRegion: "r1"}
	case 2:
		pv.Labels = map[string]string{corev1.LabelFailureDomainBetaZone: pick(g.dice, zoneA, zoneB)}
	case 3:
		if len(g.input.Nodes) > 0 {
			pv.Spec.NodeAffinity = requireNodes(corev1.LabelHostname, pick(g.dice, g.input.Nodes...).Name, pick(g.dice, g.input.Nodes...).Name)
		}
	}
}

func (g *generator) makeAttachments() {
	for i, pv := range g.input.PersistentVolumes {
		if pv.Spec.CSI == nil || len(g.input.Nodes) == 0 || !g.chance(25) {
			continue
		}
		g.input.VolumeAttachments = append(g.input.VolumeAttachments, &storagev1.VolumeAttachment{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("va%d", i)},
			Spec: storagev1.VolumeAttachmentSpec{Attacher: pv.Spec.CSI.Driver, NodeName: pick(g.dice, g.input.Nodes...).Name,
				Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: ptr.To(pv.Name)}}})
	}
}
