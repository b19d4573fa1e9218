// Package shrink looks for a smaller input that shows the same.
package shrink

import (
	"sort"
	"time"

	"loadline/conformance/admission"
	"loadline/conformance/recording"
)

// lists are the parts of an input of which whole members can go, those first that make most difference.
var lists = []string{"events", "pendingPods", "pods", "nodes", "podGroups", "services", "pdbs", "replicaSets", "statefulSets", "replicationControllers",
	"volumeAttachments", "csiStorageCapacities", "csiDrivers", "csiNodes", "persistentVolumeClaims", "persistentVolumes", "storageClasses", "namespaces"}

// fixed are fields that name things, or on which order rests.
var fixed = map[string]bool{"name": true, "namespace": true, "uid": true, "startTime": true, "nodeName": true, "beforeAttempt": true, "seed": true, "apiVersion": true, "kind": true, "flavours": true}

// Input returns a smaller input for which still `shows` holds; the original if nothing can go. Inputs that the API server
// would refuse are not tried. It stops at the deadline.
func Input(input *recording.Input, deadline time.Time, shows func(*recording.Input) bool) (*recording.Input, error) {
	tree, err := recording.ToTree(input)
	if err != nil {
		return nil, err
	}
	s := &shrinker{root: tree.(map[string]any), deadline: deadline, shows: shows}
	for s.progress = true; s.progress && !s.late(); {
		s.progress = false
		for _, list := range lists {
			s.thin(list)
		}
		s.strip()
	}
	return recording.FromTree(s.root)
}

type shrinker struct {
	root     map[string]any
	deadline time.Time
	shows    func(*recording.Input) bool
	progress bool
}

func (s *shrinker) late() bool { return time.Now().After(s.deadline) }

// try keeps the candidate if it is valid and still shows it.
func (s *shrinker) try(candidate map[string]any) bool {
	if s.late() {
		return false
	}
	input, err := recording.FromTree(candidate)
	if err != nil {
		return false
	}
	defaulted, err := recording.FromTree(candidate)
	if err != nil {
		return false
	}
	admission.Default(defaulted)
	if admission.Validate(defaulted) != nil || !s.shows(input) {
		return false
	}
	s.root, s.progress = candidate, true
	return true
}

// thin removes members of a list, in runs of half its length, then a quarter, down to one by one.
func (s *shrinker) thin(name string) {
	members, _ := s.root[name].([]any)
	for run := len(members); run >= 1; run /= 2 {
		for first := 0; first < len(members); {
			left := append(append([]any{}, members[:first]...), members[min(first+run, len(members)):]...)
			candidate := shallow(s.root)
			candidate[name] = left
			if s.try(candidate) {
				members = left
			} else {
				first += run
			}
		}
	}
}

// strip removes fields and members anywhere in the objects, outer ones first.
func (s *shrinker) strip() {
	var all [][]any
	collect(s.root, nil, &all)
	sort.SliceStable(all, func(i, j int) bool { return len(all[i]) < len(all[j]) })
	for from := 0; from < len(all); {
		to := from
		for to < len(all) && len(all[to]) == len(all[from]) {
			to++
		}
		for i := to - 1; i >= from; i-- { // from the end of a list, so that the places of the others hold
			s.without(all[i])
		}
		from = to
	}
}

func (s *shrinker) without(path []any) {
	if candidate, there := removed(s.root, path); there {
		s.try(candidate.(map[string]any))
	}
}

// collect lists the places of what could go, in the order of the fields' names.
func collect(value any, path []any, all *[][]any) {
	visit := func(step, member any, removable bool) {
		place := append(append([]any{}, path...), step)
		if removable {
			*all = append(*all, place)
		}
		collect(member, place, all)
	}
	switch value := value.(type) {
	case map[string]any:
		keys := make([]string, 0, len(value))
		for key := range value {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		for _, key := range keys {
			// A selector into which keys were merged is what the API server made of it.
			if key == "labelSelector" && (value["matchLabelKeys"] != nil || value["mismatchLabelKeys"] != nil) {
				continue
			}
			visit(key, value[key], !fixed[key])
		}
	case []any:
		for i, member := range value {
			visit(i, member, len(path) > 1)
		}
	}
}

// removed copies the value along the path, without its end. False: there is nothing at that place.
func removed(value any, path []any) (any, bool) {
	switch value := value.(type) {
	case map[string]any:
		key, is := path[0].(string)
		member, there := value[key]
		if !is || !there {
			return nil, false
		}
		copied := shallow(value)
		if len(path) == 1 {
			delete(copied, key)
			return copied, true
		}
		copied[key], there = removed(member, path[1:])
		return copied, there
	case []any:
		index, is := path[0].(int)
		if !is || index >= len(value) {
			return nil, false
		}
		copied := append([]any{}, value...)
		if len(path) == 1 {
			return append(copied[:index], copied[index+1:]...), true
		}
		var there bool
		copied[index], there = removed(value[index], path[1:])
		return copied, there
	}
	return nil, false
}

func shallow(value map[string]any) map[string]any {
	copied := make(map[string]any, len(value))
	for key, member := range value {
		copied[key] = member
	}
	return copied
}
