package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"sort"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Now is when cases happen; what they set is told by this time.
var Now = time.Unix(1767225600, 0).UTC()

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// live prints the life of an object: its creation, by an update or an apply, and changes by several managers.
func live(d *Dice, kind *Kind, emit func(*Case)) {
	object := kind.create()
	for step := range 3 + d.Intn(12) {
		subresource := ""
		if step > 0 && d.one(4) {
			subresource = "status"
		}
		var next Object
		if d.one(2) {
			next = update(d, kind, object, subresource, emit)
		} else {
			next = apply(d, kind, object, subresource, emit)
		}
		if next == nil {
			continue
		}
		next.SetUID("u1")
		age(next, step)
		object = reread(next, kind)
	}
}

// age makes what happened at the last step happen earlier than the next.
func age(object Object, step int) {
	entries := object.GetManagedFields()
	for i := range entries {
		if entries[i].Time != nil && entries[i].Time.Unix() >= Now.Unix() {
			at := metav1.NewTime(time.Unix(1700000000+int64(step/2), 0).UTC())
			entries[i].Time = &at
		}
	}
}

func update(d *Dice, kind *Kind, object Object, subresource string, emit func(*Case)) Object {
	next := object.DeepCopyObject().(Object)
	if object.GetUID() == "" {
		d.fill(reflect.ValueOf(next).Elem(), 0)
	} else {
		d.change(reflect.ValueOf(next).Elem(), 0)
	}
	identify(next, kind)
	switch d.Intn(12) {
	case 0:
		next.SetManagedFields(nil)
	case 1:
		next.SetManagedFields([]metav1.ManagedFieldsEntry{{}})
	}
	if d.one(4) && object.GetUID() != "" {
		next.SetAnnotations(map[string]string{lastApplied: string(encode(configuration(d, kind, object)))})
	}
	next = reread(next, kind)
	manager := []string{"u1", "u2", "u3", "u4", "u5", "u6", "u7", "u8", "u9", "v1", "v2", "v3", "v4", "v5"}[d.Intn(14)]
	run := func() (Object, string) {
		out := kind.managers[subresource].UpdateNoErrors(object.DeepCopyObject(), next.DeepCopyObject(), manager)
		return settle(out.(Object)), ""
	}
	result, _, same := thrice(run)
	if !same {
		return nil
	}
	emit(&Case{Op: "update", Kind: kind.Kind, Version: kind.GroupVersion().String(), Live: encode(object),
		Change: encode(next), Manager: manager, Section: subresource, Result: encode(result)})
	return result
}

func apply(d *Dice, kind *Kind, object Object, subresource string, emit func(*Case)) Object {
	applied := configuration(d, kind, object)
	manager := []string{"a1", "a2", "a3", "kubectl"}[d.Intn(4)]
	force := d.one(2)
	var causes []string
	run := func() (Object, string) {
		copied := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(applied)}
		out, err := kind.managers[subresource].Apply(object.DeepCopyObject(), copied, manager, force)
		if err != nil {
			message := err.Error()
			message, causes = tell(err, message)
			return nil, message
		}
		// The field manager gives a typed object back, or the live one.
		return settle(out.(Object)), ""
	}
	result, message, same := thrice(run)
	if !same {
		return nil
	}
	c := &Case{Op: "apply", Kind: kind.Kind, Version: kind.GroupVersion().String(), Live: encode(object),
		Change: encode(applied), Manager: manager, Section: subresource, Force: force, Error: message}
	if message != "" {
		c.Causes = causes
		emit(c)
		return nil
	}
	c.Result = encode(result)
	emit(c)
	return result
}

// tell sorts the causes of a conflict by manager, where Kubernetes has a map's order.
func tell(err error, message string) (string, []string) {
	var status *apierrors.StatusError
	if !errors.As(err, &status) || status.ErrStatus.Details == nil {
		return message, nil
	}
	var causes []string
	for _, cause := range status.ErrStatus.Details.Causes {
		causes = append(causes, cause.Message+": "+cause.Field)
	}
	sort.Strings(causes)
	return message, causes
}

// thrice runs an operation that a Go map's order may have a say in.
func thrice(run func() (Object, string)) (Object, string, bool) {
	result, message := run()
	for range 2 {
		again, other := run()
		if other != message || !bytes.Equal(encode(result), encode(again)) {
			return nil, "", false
		}
	}
	return result, message, true
}

// reread gives the object as it comes from storage: Go's structs may tell more apart than their JSON.
func reread(object Object, kind *Kind) Object {
	fresh := kind.create()
	if err := json.Unmarshal(encode(object), fresh); err != nil {
		panic(err)
	}
	return fresh
}

func identify(object Object, kind *Kind) {
	object.SetName("o")
	object.SetNamespace("ns")
	object.GetObjectKind().SetGroupVersionKind(kind.GroupVersionKind)
}

// settle tells what happened now by one time.
func settle(object Object) Object {
	entries := object.GetManagedFields()
	for i := range entries {
		if entries[i].Time != nil && entries[i].Time.Unix() > Now.Unix() {
			at := metav1.NewTime(Now)
			entries[i].Time = &at
		}
	}
	return object
}

// configuration is what an applier sends: some of the object as it is, some of it changed.
func configuration(d *Dice, kind *Kind, object Object) map[string]any {
	changed := object.DeepCopyObject().(Object)
	if object.GetUID() == "" || d.one(4) {
		d.fill(reflect.ValueOf(changed).Elem(), 0)
	} else {
		d.change(reflect.ValueOf(changed).Elem(), 0)
	}
	identify(changed, kind)
	changed.SetManagedFields(nil)
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(changed)
	if err != nil {
		panic(err)
	}
	keep := 2 + d.Intn(4)
	metadata := content["metadata"].(map[string]any)
	for _, name := range []string{"uid", "creationTimestamp", "resourceVersion", "generation"} {
		delete(metadata, name)
	}
	thin(d, content, keep)
	content["apiVersion"], content["kind"] = kind.GroupVersion().String(), kind.Kind
	if _, ok := content["metadata"].(map[string]any); !ok {
		content["metadata"] = map[string]any{}
	}
	content["metadata"].(map[string]any)["name"] = "o"
	return content
}

// thin leaves members out, one of `keep`, in a settled order.
func thin(d *Dice, value any, keep int) {
	switch v := value.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			if isKeyName(name) {
				continue
			}
			if v[name] == nil && !d.one(5) || d.one(keep) {
				delete(v, name)
				continue
			}
			thin(d, v[name], keep)
		}
	case []any:
		for _, element := range v {
			thin(d, element, keep)
		}
	}
}

func isKeyName(name string) bool {
	switch name {
	case "name", "containerPort", "port", "type", "mountPath", "uid", "ip", "spec", "template", "containers":
		return true
	}
	return false
}

func encode(value any) json.RawMessage {
	if value == nil || (reflect.ValueOf(value).Kind() == reflect.Pointer && reflect.ValueOf(value).IsNil()) {
		return nil
	}
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(buffer.Bytes())
}
