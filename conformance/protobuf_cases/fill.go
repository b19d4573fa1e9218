package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// filler puts values into objects. The deeper, the fewer, so that a Deployment does not outgrow a ConfigMap too far.
type filler struct {
	random *rand.Rand
	dense  bool
}

func newFiller(seed int64) *filler { return &filler{random: rand.New(rand.NewSource(seed))} }

func (f *filler) object(object runtime.Object, dense bool) {
	f.dense = dense
	f.value(reflect.ValueOf(object).Elem(), 0)
}

// wants says whether a value that may be left out is there.
func (f *filler) wants(depth int) bool {
	switch {
	case depth < 2:
		return true
	case depth < 4:
		return f.random.Intn(5) < 2
	}
	return depth < 9 && f.random.Intn(5) == 0
}

func (f *filler) word() string {
	words := []string{"a", "web", "größe", "<&>", "x/y", "\u2028", "0"}
	return words[f.random.Intn(len(words))]
}

func (f *filler) value(v reflect.Value, depth int) {
	if f.special(v, depth) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Type != reflect.TypeOf(metav1.TypeMeta{}) || depth > 0 {
				f.value(v.Field(i), depth+1)
			}
		}
	case reflect.Pointer:
		if !f.wants(depth) {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		_, isTime := v.Interface().(json.Marshaler) // clients do not send a pointer to the zero time
		if f.dense || isTime || f.random.Intn(2) == 0 {
			f.value(v.Elem(), depth)
		}
	case reflect.Slice:
		f.slice(v, depth)
	case reflect.Map:
		f.mapping(v, depth)
	case reflect.String:
		if f.wants(depth) || f.dense && f.random.Intn(3) == 0 {
			v.SetString(f.word())
		}
	case reflect.Bool:
		v.SetBool(f.dense && f.random.Intn(3) == 0)
	case reflect.Int32, reflect.Int64:
		numbers := []int64{0, 1, -1, 300, 1<<31 - 1, -1 << 31}
		if v.Kind() == reflect.Int64 {
			numbers = append(numbers, 1<<63-1, -1<<63)
		}
		v.SetInt(numbers[f.random.Intn(len(numbers))])
	case reflect.Float64:
		v.SetFloat([]float64{0, 1, -2.5, 1e21, 1e-7}[f.random.Intn(5)])
	default:
		panic(fmt.Sprintf("cannot fill %v", v.Type()))
	}
}

func (f *filler) slice(v reflect.Value, depth int) {
	if !f.wants(depth) {
		return
	}
	if v.Type().Elem().Kind() == reflect.Uint8 {
		v.SetBytes([]byte(f.word()))
		return
	}
	count := 1 + f.random.Intn(2)
	v.Set(reflect.MakeSlice(v.Type(), count, count))
	for i := range count {
		f.value(v.Index(i), depth+1)
	}
}

func (f *filler) mapping(v reflect.Value, depth int) {
	if !f.wants(depth) {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for range 2 {
		element := reflect.New(v.Type().Elem()).Elem()
		f.value(element, depth+1)
		v.SetMapIndex(reflect.ValueOf(f.word()).Convert(v.Type().Key()), element)
	}
}

// special fills the types whose fields do not say what their values may be.
func (f *filler) special(v reflect.Value, depth int) bool {
	pick := f.random.Intn(3)
	raw := []byte([]string{`{"b":[1,2.5,null],"a":"x"}`, `true`, `"text"`}[pick])
	switch at := v.Addr().Interface().(type) {
	case *resource.Quantity:
		*at = resource.MustParse([]string{"1500m", "2Gi", "0"}[pick])
	case *metav1.Time:
		*at = metav1.Unix(int64(1+pick)*500_000_000, 5)
	case *metav1.MicroTime:
		*at = metav1.NewMicroTime(time.Unix(1_700_000_000, int64(pick)*1_234_567))
	case *metav1.Duration:
		at.Duration = time.Duration(pick) * 1500 * time.Millisecond
	case *intstr.IntOrString:
		*at = []intstr.IntOrString{intstr.FromInt32(-7), intstr.FromString("50%"), {}}[pick]
	case *runtime.RawExtension:
		at.Raw = raw
	case *metav1.FieldsV1:
		at.Raw = []byte(`{"f:spec":{".":{},"f:x":{}}}`)
	case *apiextensionsv1.JSON:
		at.Raw = raw
	case *apiextensionsv1.JSONSchemaPropsOrBool:
		at.Allows = pick > 0
		if pick == 2 {
			f.value(reflect.ValueOf(&at.Schema).Elem(), depth)
		}
	case *apiextensionsv1.JSONSchemaPropsOrArray:
		f.value(reflect.ValueOf(&at.Schema).Elem(), depth)
	case *apiextensionsv1.JSONSchemaPropsOrStringArray:
		at.Property = []string{"a", "b"}
	default:
		return false
	}
	return true
}
