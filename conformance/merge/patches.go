package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// patches prints a patch of each format for a random object.
func patches(d *Dice, kind *Kind, emit func(*Case)) {
	object := kind.create()
	d.fill(reflect.ValueOf(object).Elem(), 0)
	identify(object, kind)
	changed := object.DeepCopyObject().(Object)
	for range 1 + d.Intn(3) {
		d.change(reflect.ValueOf(changed).Elem(), 0)
	}
	for range 3 {
		emit(strategic(d, kind, object, changed))
		emit(operations(d, object))
		emit(merge(d, object, changed))
	}
}

// strategic makes a patch as kubectl does, and spoils some.
func strategic(d *Dice, kind *Kind, object, changed Object) *Case {
	original := encode(object)
	var patch []byte
	var err error
	if d.one(2) {
		meta, metaErr := strategicpatch.NewPatchMetaFromStruct(kind.empty)
		if metaErr != nil {
			panic(metaErr)
		}
		patch, err = strategicpatch.CreateThreeWayMergePatch(encode(configuration(d, kind, object)), encode(changed),
			original, meta, true)
	} else {
		patch, err = strategicpatch.CreateTwoWayMergePatch(original, encode(changed), kind.empty)
	}
	if err != nil {
		return nil
	}
	var content map[string]any
	if err := json.Unmarshal(patch, &content); err != nil {
		panic(err)
	}
	if d.one(2) {
		spoil(d, content)
	}
	patch = encode(content)
	apply := func() (json.RawMessage, string) {
		var from, with map[string]any
		mustDecode(original, &from)
		mustDecode(patch, &with)
		result, err := strategicpatch.StrategicMergeMapPatch(from, with, kind.empty)
		if err != nil {
			return nil, err.Error()
		}
		return encode(result), ""
	}
	result, message, ok := settled(apply)
	if !ok {
		return nil
	}
	return &Case{Op: "strategic", Kind: kind.Kind, Version: kind.GroupVersion().String(), Live: original, Change: patch,
		Result: result, Error: message}
}

// settled runs a patch several times; false if its outcome is a matter of a map's order, or a panic.
func settled(apply func() (json.RawMessage, string)) (result json.RawMessage, message string, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	result, message = apply()
	for range 31 {
		again, other := apply()
		if !bytes.Equal(result, again) || other != message {
			return nil, "", false
		}
	}
	return result, message, true
}

// mustDecode keeps integers, as the API server does.
func mustDecode(text []byte, content *map[string]any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(content); err != nil {
		panic(err)
	}
	*content = integers(*content).(map[string]any)
}

func integers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name := range v {
			v[name] = integers(v[name])
		}
	case []any:
		for i := range v {
			v[i] = integers(v[i])
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		n, _ := v.Float64()
		return n
	}
	return value
}

// spoil puts directives and nulls into a patch.
func spoil(d *Dice, value any) {
	switch v := value.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			spoil(d, v[name])
			switch d.Intn(40) {
			case 0:
				v[name] = nil
			case 1:
				delete(v, name)
			case 2:
				v["$patch"] = []any{"delete", "replace", "merge", "nothing"}[d.Intn(4)]
			case 3:
				v["$retainKeys"] = []any{name, "name"}
			case 4:
				v["$deleteFromPrimitiveList/"+name] = []any{d.word()}
			case 5:
				v["$setElementOrder/"+name] = []any{map[string]any{"name": d.word()}}
			case 6:
				v[name] = d.word()
			}
		}
	case []any:
		for i := range v {
			spoil(d, v[i])
		}
	}
}

func merge(d *Dice, object, changed Object) *Case {
	original := encode(object)
	patch, err := jsonpatch.CreateMergePatch(original, encode(changed))
	if err != nil {
		panic(err)
	}
	var content any
	if err := json.Unmarshal(patch, &content); err != nil {
		panic(err)
	}
	spoil(d, content)
	patch = encode(content)
	result, err := jsonpatch.MergePatch(original, patch)
	c := &Case{Op: "merge", Live: original, Change: patch, Result: result}
	if err != nil {
		c.Error = err.Error()
	}
	return c
}

// operations makes a JSON patch of which most operations find their target.
func operations(d *Dice, object Object) *Case {
	original := encode(object)
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		panic(err)
	}
	var list []any
	for range 1 + d.Intn(4) {
		operation := map[string]any{
			"op":   []string{"add", "remove", "replace", "move", "copy", "test"}[d.Intn(6)],
			"path": path(d, content),
		}
		if !d.one(10) {
			operation["from"] = path(d, content)
		}
		if !d.one(10) {
			operation["value"] = []any{d.word(), d.Intn(3), nil, map[string]any{"a": nil}, []any{1, "b"}}[d.Intn(5)]
		}
		list = append(list, operation)
	}
	text := encode(list)
	patch, err := jsonpatch.DecodePatch(text)
	if err != nil {
		panic(err)
	}
	c := &Case{Op: "json", Live: original, Change: text}
	result, message, ok := settled(func() (json.RawMessage, string) {
		out, err := patch.Apply(original)
		if err != nil {
			return nil, err.Error()
		}
		return out, ""
	})
	if !ok {
		return nil
	}
	c.Result, c.Error = result, message
	return c
}

func path(d *Dice, value any) string {
	text := ""
	for !d.one(4) {
		switch v := value.(type) {
		case map[string]any:
			names := make([]string, 0, len(v))
			for name := range v {
				names = append(names, name)
			}
			sort.Strings(names)
			name := d.word()
			if len(names) > 0 && !d.one(5) {
				name = names[d.Intn(len(names))]
			}
			text += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
			value = v[name]
		case []any:
			if d.one(5) {
				return text + "/" + []string{"-", "x", "-1", "9"}[d.Intn(4)]
			}
			i := d.Intn(len(v) + 1)
			text += "/" + strconv.Itoa(i)
			if i == len(v) {
				return text
			}
			value = v[i]
		default:
			return text
		}
	}
	if text == "" {
		return fmt.Sprintf("/%s", d.word())
	}
	return text
}
