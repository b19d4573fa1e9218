package oracle

import (
	"reflect"
	"unsafe"

	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
)

// renewLists makes anew from the nodes what a snapshot keeps besides them, and does not bring up to date when a group's member
// is assumed in it: which nodes have pods with affinity, and which claims are used. So the real scheduler puts two members
// together that forbid it, or gives both a claim that is for one pod only. TestMembersDoNotSeeEachOthersTerms fails once nothing
// is left to repair.
func renewLists(snapshot *internalcache.Snapshot) {
	affinity, antiAffinity, claims := []fwk.NodeInfo{}, []fwk.NodeInfo{}, sets.New[string]()
	for _, node := range *private[[]fwk.NodeInfo](snapshot, "nodeInfoList") {
		if len(node.GetPodsWithAffinity()) > 0 {
			affinity = append(affinity, node)
		}
		if len(node.GetPodsWithRequiredAntiAffinity()) > 0 {
			antiAffinity = append(antiAffinity, node)
		}
		for claim := range node.GetPVCRefCounts() {
			claims.Insert(claim)
		}
	}
	*private[[]fwk.NodeInfo](snapshot, "havePodsWithAffinityNodeInfoList") = affinity
	*private[[]fwk.NodeInfo](snapshot, "havePodsWithRequiredAntiAffinityNodeInfoList") = antiAffinity
	*private[sets.Set[string]](snapshot, "usedPVCSet") = claims
}

// private reaches a field that its package does not export.
func private[T any](of any, name string) *T {
	field := reflect.ValueOf(of).Elem().FieldByName(name)
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Interface().(*T)
}
