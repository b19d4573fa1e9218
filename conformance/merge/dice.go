package main

import (
	"math/rand"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Dice fill Go structs with few values, so that they often meet.
type Dice struct{ *rand.Rand }

var words = []string{"a", "b", "c", "d", "x<y>&z", "TCP", "UDP", "é\"q\\"}

func (d *Dice) word() string { return words[d.Intn(len(words))] }

func (d *Dice) one(in int) bool { return d.Intn(in) == 0 }

// fill sets a value at random; the deeper, the less.
func (d *Dice) fill(v reflect.Value, depth int) {
	switch v.Interface().(type) {
	case resource.Quantity:
		v.Set(reflect.ValueOf(resource.MustParse([]string{"1", "500m", "2Gi"}[d.Intn(3)])))
		return
	case intstr.IntOrString:
		v.Set(reflect.ValueOf([]intstr.IntOrString{intstr.FromInt32(80), intstr.FromString("25%")}[d.Intn(2)]))
		return
	case metav1.Time:
		v.Set(reflect.ValueOf(metav1.NewTime(time.Unix(int64(1600000000+d.Intn(3)), 0).UTC())))
		return
	case metav1.MicroTime:
		v.Set(reflect.ValueOf(metav1.NewMicroTime(time.Unix(int64(1600000000+d.Intn(3)), 5000).UTC())))
		return
	case metav1.Duration:
		v.Set(reflect.ValueOf(metav1.Duration{Duration: time.Minute}))
		return
	case runtime.RawExtension, metav1.FieldsV1:
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(d.word())
	case reflect.Bool:
		v.SetBool(d.one(2))
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(d.Intn(3)))
	case reflect.Float64:
		v.SetFloat(float64(d.Intn(5)) / 2)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.fill(v.Elem(), depth)
	case reflect.Slice:
		d.fillSlice(v, depth)
	case reflect.Map:
		d.fillMap(v, depth)
	case reflect.Struct:
		d.fillStruct(v, depth)
	}
}

func (d *Dice) fillSlice(v reflect.Value, depth int) {
	n := d.Intn(4)
	if v.Type().Elem().Kind() == reflect.Uint8 {
		v.SetBytes([]byte(d.word()))
		return
	}
	list := reflect.MakeSlice(v.Type(), 0, n)
	for range n {
		element := reflect.New(v.Type().Elem()).Elem()
		d.fill(element, depth+1)
		list = reflect.Append(list, element)
	}
	v.Set(list)
}

func (d *Dice) fillMap(v reflect.Value, depth int) {
	m := reflect.MakeMap(v.Type())
	for range d.Intn(3) {
		key := reflect.New(v.Type().Key()).Elem()
		key.SetString(d.word())
		value := reflect.New(v.Type().Elem()).Elem()
		d.fill(value, depth+1)
		m.SetMapIndex(key, value)
	}
	v.Set(m)
}

func (d *Dice) fillStruct(v reflect.Value, depth int) {
	fields := v.NumField()
	for i := range fields {
		field := v.Type().Field(i)
		switch {
		case field.PkgPath != "" || field.Name == "TypeMeta" || field.Name == "ManagedFields":
		case field.Anonymous:
			d.fill(v.Field(i), depth)
		case fields <= 4 && depth < 7 && d.one(2), d.one(2 + depth), isKey(field.Name) && !d.one(8):
			d.fill(v.Field(i), depth+1)
		}
	}
}

// isKey tells fields that tell the elements of lists apart.
func isKey(name string) bool {
	switch name {
	case "Name", "ContainerPort", "Port", "Protocol", "Type", "MountPath", "UID", "IP", "Containers", "Template", "Spec":
		return true
	}
	return false
}

// change sets some of what is in a value anew.
func (d *Dice) change(v reflect.Value, depth int) {
	switch v.Interface().(type) {
	case resource.Quantity, intstr.IntOrString, metav1.Time, metav1.MicroTime, metav1.Duration:
		if d.one(8) {
			d.fill(v, depth)
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			d.change(v.Elem(), depth)
		}
	case reflect.Slice:
		d.changeSlice(v, depth)
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			switch {
			case field.PkgPath != "" || field.Name == "TypeMeta" || field.Name == "ManagedFields":
			case d.one(12 + 4*depth):
				v.Field(i).SetZero()
			case d.one(12 + 4*depth):
				d.fill(v.Field(i), depth)
			default:
				d.change(v.Field(i), depth+1)
			}
		}
	}
}

func (d *Dice) changeSlice(v reflect.Value, depth int) {
	n := v.Len()
	for i := range n {
		d.change(v.Index(i), depth)
	}
	if n > 1 && d.one(3) {
		swap := reflect.Swapper(v.Interface())
		swap(d.Intn(n), d.Intn(n))
	}
	if n > 0 && d.one(4) {
		i := d.Intn(n)
		v.Set(reflect.AppendSlice(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, n), v.Slice(0, i)), v.Slice(i+1, n)))
	}
	if v.Type().Elem().Kind() != reflect.Uint8 && d.one(4) {
		element := reflect.New(v.Type().Elem()).Elem()
		d.fill(element, depth)
		at := d.Intn(v.Len() + 1)
		longer := reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()+1), v.Slice(0, at))
		v.Set(reflect.AppendSlice(reflect.Append(longer, element), v.Slice(at, v.Len())))
	}
}
