package generate

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/volume"
	"k8s.io/utils/ptr"
)

// What a pod's own claim is like, besides the names of classes.
const (
	bound     = "bound"
	missing   = "missing"   // the claim does not exist
	lost      = "lost"      // the claim's volume does not exist
	going     = "going"     // the claim is being deleted
	ephemeral = "ephemeral" // the claim is made for the pod
	orphaned  = "orphaned"  // the claim for the pod is not there yet
)

// setVolumes gives a template inline disks, shared claims, and kinds of claims for each pod.
func (g *generator) setVolumes(t *template) {
	spec := &t.pod.Spec
	if g.likely(disks, 60, 0) {
		for i, source := range some(g.dice, 2, g.inlineDisks()...) {
			spec.Volumes = append(spec.Volumes, corev1.Volume{Name: fmt.Sprintf("disk%d", i), VolumeSource: source})
		}
	}
	if !g.flavoured[volumes] {
		return
	}
	if g.chance(25) {
		spec.Volumes = append(spec.Volumes, claimVolume("shared", pick(g.dice, "shared", "shared", "exclusive")))
	}
	if g.chance(75) {
		for range pick(g.dice, 1, 1, 2, 3) {
			t.claims = append(t.claims, pick(g.dice, bound, bound, bound, bound, anywhere, anywhere, anywhere, zonal, zonal, sized, sized,
				local, local, local, local, local, ephemeral, ephemeral, pick(g.dice, immediate, unknown, missing, lost, going, orphaned)))
		}
	}
}

func (g *generator) inlineDisks() []corev1.VolumeSource {
	number, readOnly := pick(g.dice, "1", "2"), g.chance(30)
	return []corev1.VolumeSource{
		{GCEPersistentDisk: &corev1.GCEPersistentDiskVolumeSource{PDName: "disk" + number, ReadOnly: readOnly}},
		{AWSElasticBlockStore: &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: "vol-" + number, ReadOnly: readOnly}},
		{ISCSI: &corev1.ISCSIVolumeSource{TargetPortal: "10.0.0.9:3260", IQN: "iqn.2001-04.com.example:disk" + number, Lun: 1, ReadOnly: readOnly}},
		{RBD: &corev1.RBDVolumeSource{CephMonitors: some(g.dice, 2, "a:6789", "b:6789", "c:6789"), RBDPool: "pool", RBDImage: "image" + number, ReadOnly: readOnly}},
		{AzureDisk: &corev1.AzureDiskVolumeSource{DiskName: "disk" + number, DataDiskURI: "/subscriptions/s/disk" + number, Kind: ptr.To(corev1.AzureManagedDisk)}},
		{EmptyDir: &corev1.EmptyDirVolumeSource{}},
		{Image: &corev1.ImageVolumeSource{Reference: pick(g.dice, imageNames...)}},
		{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "settings"}}},
	}
}

func claimVolume(name, claim string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}}
}

func (g *generator) claim(namespace, name, class string) *corev1.PersistentVolumeClaim {
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(namespace + "/" + name)},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: ptr.To(class),
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: g.size(pick(g.dice, 1, 4, 8, 30))}},
		},
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending},
	}
	g.input.PersistentVolumeClaims = append(g.input.PersistentVolumeClaims, claim)
	return claim
}

// bindClaim gives a claim a volume of its own.
func (g *generator) bindClaim(claim *corev1.PersistentVolumeClaim) {
	class := *claim.Spec.StorageClassName
	pv := g.volume("pv-"+claim.Namespace+"-"+claim.Name, class, g.size(40))
	if class == local {
		pv.Spec.NodeAffinity = requireNodes(corev1.LabelHostname, "n00", "n01")
	} else {
		g.reach(pv)
	}
	if claim.Spec.AccessModes[0] == corev1.ReadWriteOncePod {
		pv.Spec.AccessModes = claim.Spec.AccessModes
	}
	pv.Spec.ClaimRef = &corev1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID}
	pv.Status.Phase = corev1.VolumeBound
	settle(claim, pv.Name)
}

func settle(claim *corev1.PersistentVolumeClaim, volumeName string) {
	claim.Spec.VolumeName, claim.Status.Phase = volumeName, corev1.ClaimBound
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, volume.AnnBindCompleted, "yes")
}

func (g *generator) makeSharedClaims(namespace string) {
	shared := g.claim(namespace, "shared", anywhere)
	shared.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}
	g.bindClaim(shared)
	exclusive := g.claim(namespace, "exclusive", pick(g.dice, anywhere, zonal))
	exclusive.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod}
	if g.chance(70) {
		g.bindClaim(exclusive)
	}
}

// addClaims gives a pod the claims that its template wants for each pod.
func (g *generator) addClaims(pod *corev1.Pod, kinds []string) {
	running := strings.HasPrefix(pod.Name, "e")
	for i, kind := range kinds {
		name := fmt.Sprintf("own%d", i)
		claimName := pod.Name + "-" + name
		if kind == ephemeral || kind == orphaned {
			g.addEphemeral(pod, name, kind == ephemeral || running)
			continue
		}
		pod.Spec.Volumes = append(pod.Spec.Volumes, claimVolume(name, claimName))
		if kind == missing {
			continue
		}
		class := kind
		if kind == bound || kind == lost || kind == going {
			class = pick(g.dice, anywhere, zonal, immediate, local)
		}
		claim := g.claim(pod.Namespace, claimName, class)
		switch {
		case kind == lost:
			settle(claim, "pv-that-is-gone")
		case kind == bound || running:
			g.bindClaim(claim)
		case kind == going:
			claim.DeletionTimestamp = ptr.To(firstStart)
		case g.chance(15):
			claim.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"speed": "high"}}
		}
	}
}

func (g *generator) addEphemeral(pod *corev1.Pod, name string, exists bool) {
	pod.UID = types.UID(nameOf(pod))
	class := pick(g.dice, anywhere, zonal)
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{
		VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: ptr.To(class),
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: g.size(1)}},
		}}}}})
	if exists {
		claim := g.claim(pod.Namespace, pod.Name+"-"+name, class)
		// Now and then it is another's, but once at most: which of several errors is told depends on where the search began.
		if g.strangers > 0 || !g.chance(10) {
			claim.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: ptr.To(true)}}
		} else {
			g.strangers++
		}
		if g.chance(30) {
			g.bindClaim(claim)
		}
	}
}
