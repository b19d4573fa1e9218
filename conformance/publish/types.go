package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// specials are Go types that write themselves as JSON in their own way, and the form they get in the tables.
var specials = map[string]string{
	"io.k8s.apimachinery.pkg.api.resource.Quantity":                                         "quantity",
	"io.k8s.apimachinery.pkg.util.intstr.IntOrString":                                       "intOrString",
	"io.k8s.apimachinery.pkg.apis.meta.v1.Time":                                             "time",
	"io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime":                                        "microTime",
	"io.k8s.apimachinery.pkg.apis.meta.v1.Duration":                                         "duration",
	"io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1":                                         "fieldsV1",
	"io.k8s.apimachinery.pkg.runtime.RawExtension":                                          "rawObject",
	"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON":                         "any",
	"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray":       "any",
	"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool":        "any",
	"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray": "any",
}

// field is one row: what Go's struct and the OpenAPI document say together.
type field struct {
	name       string
	expression string // "[]io.k8s.api.core.v1.Container", "{}string", "int32"
	tags       []int  // protobuf numbers from the outermost embedded message inward; empty: not in protobuf
	omits      bool
	optional   bool // tagged omitempty or omitzero, whether or not Go ever leaves it out
	pointer    bool
	isStruct   bool
}

// modelName is the name of a Go type in OpenAPI documents; empty if it has none.
func modelName(t reflect.Type) string {
	if named, ok := reflect.New(t).Elem().Interface().(interface{ OpenAPIModelName() string }); ok {
		return named.OpenAPIModelName()
	}
	return ""
}

// walker collects every struct that can be reached from the types it is given.
type walker struct {
	structs map[string][]field
	forms   map[string]string
	kinds   map[string][]string // "apps/v1 Deployment", as the scheme has them
}

func (w *walker) add(t reflect.Type) string {
	name := modelName(t)
	if name == "" {
		panic(fmt.Sprintf("%v has no OpenAPI name", t))
	}
	if form, ok := specials[name]; ok {
		w.forms[name] = form
		return name
	}
	if _, seen := w.structs[name]; seen {
		return name
	}
	w.structs[name] = nil // against endless recursion
	w.structs[name] = w.fields(t, nil)
	return name
}

func (w *walker) fields(t reflect.Type, inside []int) []field {
	var rows []field
	for i := range t.NumField() {
		member := t.Field(i)
		name, options, _ := strings.Cut(member.Tag.Get("json"), ",")
		if name == "-" || !member.IsExported() && !member.Anonymous {
			continue
		}
		tags := protobufTags(member, inside)
		if member.Anonymous && name == "" {
			embedded := w.fields(member.Type, tags)
			for j := range embedded {
				if tags == nil {
					embedded[j].tags = nil // an embedded TypeMeta travels in the envelope
				}
			}
			rows = append(rows, embedded...)
			continue
		}
		row := field{name: name, tags: tags}
		inner := member.Type
		if inner.Kind() == reflect.Pointer {
			row.pointer = true
			inner = inner.Elem()
		}
		row.isStruct = inner.Kind() == reflect.Struct
		options = "," + options + ","
		// Go's omitempty never leaves out a struct that is no pointer; omitzero does.
		row.omits = strings.Contains(options, ",omitzero,") ||
			strings.Contains(options, ",omitempty,") && (row.pointer || !row.isStruct)
		row.optional = strings.Contains(options, ",omit")
		row.expression = w.expression(inner)
		rows = append(rows, row)
	}
	return rows
}

// protobufTags are the numbers that lead to the member, or nil if it is not in protobuf.
func protobufTags(member reflect.StructField, inside []int) []int {
	parts := strings.Split(member.Tag.Get("protobuf"), ",")
	if len(parts) < 2 {
		return nil
	}
	number, err := strconv.Atoi(parts[1])
	if err != nil {
		panic(fmt.Sprintf("%s: %v", member.Name, err))
	}
	return append(append([]int{}, inside...), number)
}

func (w *walker) expression(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct:
		return w.add(t)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		prefix := "[]"
		if _, wrapped := reflect.New(t).Interface().(interface{ Marshal() ([]byte, error) }); wrapped {
			prefix = "[wrapped]"
		}
		return prefix + w.expression(t.Elem())
	case reflect.Map:
		return "{}" + w.expression(t.Elem())
	case reflect.Pointer:
		return w.expression(t.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int32:
		return "int32"
	case reflect.Int64:
		return "int64"
	case reflect.Float64:
		return "number"
	}
	panic(fmt.Sprintf("no form for %v", t))
}

// line writes a type as one line of the tables: what Go says, and what the OpenAPI schema adds to it.
func (w *walker) line(name string, schema map[string]any) string {
	var row struct {
		Kinds  []string `json:"kinds,omitempty"`
		Form   string   `json:"form,omitempty"`
		Atomic bool     `json:"atomic,omitempty"`
		Fields []string `json:"fields,omitempty"`
	}
	row.Form = w.forms[name]
	row.Atomic = schema["x-kubernetes-map-type"] == "atomic"
	row.Kinds = kindsOf(schema)
	if schema == nil {
		row.Kinds = w.kinds[name]
	}
	required := map[string]bool{}
	if list, ok := schema["required"].([]any); ok {
		for _, entry := range list {
			required[entry.(string)] = true
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	if schema != nil && row.Form == "" && len(properties) != len(w.structs[name]) {
		panic(fmt.Sprintf("%s: %d properties, %d Go fields", name, len(properties), len(w.structs[name])))
	}
	for _, f := range w.structs[name] {
		property, _ := properties[f.name].(map[string]any)
		if schema != nil && property == nil {
			panic(fmt.Sprintf("%s.%s is not in the OpenAPI document", name, f.name))
		}
		row.Fields = append(row.Fields, f.line(name, property, required[f.name] || schema == nil && !f.optional))
	}
	return encode(row)
}

// line is the field in words: "ports []io.k8s.api.core.v1.ContainerPort #6 omits list=map:containerPort,protocol merge=containerPort".
// A default, being JSON, comes last.
func (f field) line(owner string, property map[string]any, required bool) string {
	words := []string{f.name, f.expression}
	if len(f.tags) > 0 {
		numbers := make([]string, len(f.tags))
		for i, tag := range f.tags {
			numbers[i] = strconv.Itoa(tag)
		}
		words = append(words, "#"+strings.Join(numbers, "/"))
	}
	add := func(condition bool, word string) {
		if condition {
			words = append(words, word)
		}
	}
	add(required, "required")
	add(f.omits, "omits")
	add(f.pointer, "pointer")
	f.checkAgainst(owner, property)
	add(property["x-kubernetes-map-type"] == "atomic", "atomic")
	switch kind := property["x-kubernetes-list-type"]; kind {
	case "map":
		words = append(words, "list=map:"+strings.Join(texts(property["x-kubernetes-list-map-keys"]), ","))
	case "set", "atomic":
		words = append(words, "list="+kind.(string))
	}
	strategy, _ := property["x-kubernetes-patch-strategy"].(string)
	for _, word := range strings.Split(strategy, ",") {
		key, _ := property["x-kubernetes-patch-merge-key"].(string)
		add(word == "merge" && key == "", "merge")
		add(word == "merge" && key != "", "merge="+key)
		add(word == "retainKeys" || word == "replace", word)
	}
	if initial, ok := property["default"]; ok && !(isZero(initial) && f.startsAtZero()) {
		words = append(words, "default="+encode(initial))
	} else if !ok && property != nil && f.startsAtZero() {
		panic(fmt.Sprintf("%s.%s has no default", owner, f.name))
	}
	return strings.Join(words, " ")
}

// startsAtZero: OpenAPI says the default is Go's zero value, as for every field that is always written and is neither a
// list nor a map nor a type that writes itself. The tables leave that out, and their reader fills it in.
func (f field) startsAtZero() bool {
	if f.pointer || strings.ContainsAny(f.expression, "[{") || f.expression == "bytes" {
		return false
	}
	_, special := specials[f.expression]
	return !special && !f.omits
}

// checkAgainst panics if the Go type and the OpenAPI document disagree: then this program misunderstands one of them.
func (f field) checkAgainst(owner string, property map[string]any) {
	if property == nil {
		return
	}
	if got := openAPIExpression(property); got != strings.ReplaceAll(f.expression, "[wrapped]", "[]") {
		panic(fmt.Sprintf("%s.%s is %s in Go and %s in OpenAPI", owner, f.name, f.expression, got))
	}
}

// openAPIExpression is the expression for an OpenAPI schema.
func openAPIExpression(schema map[string]any) string {
	if all, ok := schema["allOf"].([]any); ok {
		return openAPIExpression(all[0].(map[string]any))
	}
	if reference, ok := schema["$ref"].(string); ok {
		return reference[strings.LastIndex(reference, "/")+1:]
	}
	switch schema["type"] {
	case "array":
		return "[]" + openAPIExpression(schema["items"].(map[string]any))
	case "object":
		if values, ok := schema["additionalProperties"].(map[string]any); ok {
			return "{}" + openAPIExpression(values)
		}
	case "string":
		if schema["format"] == "byte" {
			return "bytes"
		}
		return "string"
	case "integer":
		return schema["format"].(string)
	case "number", "boolean":
		return schema["type"].(string)
	}
	return fmt.Sprint(schema)
}

// kindsOf are the kinds that a schema stands for: "apps/v1 Deployment". What every group has (DeleteOptions, WatchEvent)
// is listed in core only: each document of upstream lists the groups that it happens to know.
func kindsOf(schema map[string]any) []string {
	var kinds []string
	list, _ := schema["x-kubernetes-group-version-kind"].([]any)
	if len(list) > 1 {
		list = slices.DeleteFunc(slices.Clone(list), func(entry any) bool { return entry.(map[string]any)["group"] != "" })
	}
	for _, entry := range list {
		kind := entry.(map[string]any)
		version := kind["version"].(string)
		if group := kind["group"].(string); group != "" {
			version = group + "/" + version
		}
		kinds = append(kinds, version+" "+kind["kind"].(string))
	}
	sort.Strings(kinds)
	return kinds
}

func isZero(value any) bool {
	object, isObject := value.(map[string]any)
	return isObject && len(object) == 0 || value == "" || value == 0.0 || value == false
}

func texts(list any) []string {
	var out []string
	entries, _ := list.([]any)
	for _, entry := range entries {
		out = append(out, entry.(string))
	}
	return out
}

func encode(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(text.String(), "\n")
}
