package oracle

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/storage/volume"

	"loadline/conformance/recording"
)

// settleVolumes does what the persistent volume controller and the provisioners do about the volumes and claims that the
// scheduler has just written: prebound volumes are bound, and claims with a selected node get a new volume.
func (w *world) settleVolumes(node *corev1.Node) (*recording.VolumeUpdates, error) {
	written := w.server.volumes
	w.server.volumes = nil
	if len(written) == 0 {
		return nil, nil
	}
	updates := &recording.VolumeUpdates{}
	for _, object := range written {
		var err error
		switch object := object.(type) {
		case *corev1.PersistentVolume:
			err = w.bindVolume(object.DeepCopy(), updates)
		case *corev1.PersistentVolumeClaim:
			err = w.provision(object.DeepCopy(), node, updates)
		}
		if err != nil {
			return nil, err
		}
	}
	return updates, nil
}

func (w *world) bindVolume(pv *corev1.PersistentVolume, updates *recording.VolumeUpdates) error {
	claims := w.server.informers.Core().V1().PersistentVolumeClaims().Lister()
	stored, err := claims.PersistentVolumeClaims(pv.Spec.ClaimRef.Namespace).Get(pv.Spec.ClaimRef.Name)
	if err != nil {
		return err
	}
	claim := stored.DeepCopy()
	pv.Spec.ClaimRef.UID = claim.UID
	pv.Status.Phase = corev1.VolumeBound
	claim.Spec.VolumeName = pv.Name
	claim.Status.Phase = corev1.ClaimBound
	claim.Status.AccessModes = pv.Spec.AccessModes
	claim.Status.Capacity = pv.Spec.Capacity.DeepCopy()
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, volume.AnnBindCompleted, "yes")
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, volume.AnnBoundByController, "yes")
	if err := w.server.store(pv); err != nil {
		return err
	}
	if err := w.server.store(claim); err != nil {
		return err
	}
	updates.PersistentVolumes = append(updates.PersistentVolumes, pv)
	updates.PersistentVolumeClaims = append(updates.PersistentVolumeClaims, claim)
	return nil
}

// provision makes a volume for a claim as its class's parameter "reach" says: usable on the node, in its zone, or anywhere.
func (w *world) provision(claim *corev1.PersistentVolumeClaim, node *corev1.Node, updates *recording.VolumeUpdates) error {
	class, err := w.server.informers.Storage().V1().StorageClasses().Lister().Get(volume.GetPersistentVolumeClaimClass(claim))
	if err != nil {
		return err
	}
	pv := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{
			Name:        "pvc-" + strings.ReplaceAll(claim.Namespace+"-"+claim.Name, "/", "-"),
			Annotations: map[string]string{volume.AnnDynamicallyProvisioned: class.Provisioner, volume.AnnBoundByController: "yes"},
		},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: claim.Spec.Resources.Requests[corev1.ResourceStorage]},
			AccessModes:                   claim.Spec.AccessModes,
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
			StorageClassName:              class.Name,
			VolumeMode:                    claim.Spec.VolumeMode,
			ClaimRef: &corev1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1",
				Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				CSI: &corev1.CSIPersistentVolumeSource{Driver: class.Provisioner, VolumeHandle: fmt.Sprintf("vol-%s-%s", claim.Namespace, claim.Name)}},
			NodeAffinity: reachOf(class, node),
		},
	}
	return w.bindVolume(pv, updates)
}

func reachOf(class *storagev1.StorageClass, node *corev1.Node) *corev1.VolumeNodeAffinity {
	label := map[string]string{"node": corev1.LabelHostname, "zone": corev1.LabelTopologyZone}[class.Parameters["reach"]]
	value, labelled := node.Labels[label]
	if !labelled {
		return nil
	}
	return &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: label, Operator: corev1.NodeSelectorOpIn, Values: []string{value}}},
	}}}}
}

// usesClaims tells whether the pod has volumes that may have to be bound.
func usesClaims(pod *corev1.Pod) bool {
	for _, v := range pod.Spec.Volumes {
		if v.PersistentVolumeClaim != nil || v.Ephemeral != nil {
			return true
		}
	}
	return false
}
