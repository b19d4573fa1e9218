// Command custom_cases puts objects through the API server's own code for custom resources and writes down what became
// of them: what src/server/api/custom/custom_object_test.cc holds ours against.
//
//	go run ./custom_cases ../src/objects/schema/testdata/custom_objects.json
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apivalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

type objectCase struct {
	Schema  json.RawMessage `json:"schema"`
	Object  json.RawMessage `json:"object"`
	Old     json.RawMessage `json:"old,omitempty"`
	Became  any             `json:"became"`
	Unknown []string        `json:"unknown,omitempty"`
	Errors  []string        `json:"errors,omitempty"`
}

type ruleCase struct {
	Rule   string   `json:"rule"`
	Errors []string `json:"errors,omitempty"`
}

type definitionCase struct {
	Definition json.RawMessage `json:"definition"`
	Errors     []string        `json:"errors"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: custom_cases FILE")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "custom_cases:", err)
		os.Exit(1)
	}
}

func write(file string) error {
	var objects []objectCase
	for _, one := range objectCases() {
		for _, text := range one.objects {
			done, err := answer(one.schema, text)
			if err != nil {
				return fmt.Errorf("%s of %s: %w", text, one.schema, err)
			}
			objects = append(objects, done)
		}
	}
	var rules []ruleCase
	for _, rule := range ruleCases() {
		done, err := answer(ruleSchema(rule), updated{object: ruleObject})
		if err != nil {
			return fmt.Errorf("%s: %w", rule, err)
		}
		if len(done.Errors) > 0 && strings.Contains(done.Errors[0], "rule compile error") {
			fmt.Fprintln(os.Stderr, "left out:", rule, done.Errors[0])
			continue
		}
		rules = append(rules, ruleCase{rule, done.Errors})
	}
	var definitions []definitionCase
	for _, text := range definitionCases() {
		done, err := validated(text)
		if err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
		definitions = append(definitions, done)
	}
	var out bytes.Buffer
	out.WriteString("{\"objects\":[\n")
	if err := writeLines(&out, objects); err != nil {
		return err
	}
	out.WriteString("],\"ruleSchema\":" + ruleSchema("") + ",\n\"ruleObject\":" + ruleObject + ",\"rules\":[\n")
	if err := writeLines(&out, rules); err != nil {
		return err
	}
	out.WriteString("],\"definitions\":[\n")
	if err := writeLines(&out, definitions); err != nil {
		return err
	}
	out.WriteString("]}\n")
	return os.WriteFile(file, out.Bytes(), 0o644)
}

func writeLines[T any](out *bytes.Buffer, lines []T) error {
	for i, line := range lines {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(line); err != nil {
			return err
		}
		out.Write(bytes.TrimSpace(text.Bytes()))
		if i+1 < len(lines) {
			out.WriteString(",")
		}
		out.WriteString("\n")
	}
	return nil
}

// ruleSchema is the schema of ruleObject, with that rule.
func ruleSchema(rule string) string {
	quoted, err := json.Marshal(rule)
	if err != nil {
		panic(err)
	}
	return `{"type":"object","properties":{"spec":{"type":"object","properties":{` + ruleProperties +
		`},"x-kubernetes-validations":[{"rule":` + string(quoted) + `}]}}}`
}

func internalSchema(text string) (*apiextensions.JSONSchemaProps, *schema.Structural, error) {
	external := apiextensionsv1.JSONSchemaProps{}
	if err := json.Unmarshal([]byte(text), &external); err != nil {
		return nil, nil, err
	}
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&external, internal, nil); err != nil {
		return nil, nil, err
	}
	structural, err := schema.NewStructural(internal)
	return internal, structural, err
}

// answer does what the endpoints for custom resources do with a body, the old object first if there is one: "OLD => NEW".
func answer(schemaText string, text updated) (objectCase, error) {
	internal, structural, err := internalSchema(schemaText)
	if err != nil {
		return objectCase{}, err
	}
	validator, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		return objectCase{}, err
	}
	done := objectCase{Schema: json.RawMessage(schemaText), Object: json.RawMessage(text.object)}
	object, unknown, err := conformed(text.object, structural)
	if err != nil {
		return done, err
	}
	done.Became, done.Unknown = object, unknown
	var errs field.ErrorList
	rules := cel.NewValidator(structural, true, celconfig.PerCallLimit)
	if text.old == "" {
		errs = append(errs, validation.ValidateCustomResource(nil, object, validator)...)
		errs = append(errs, others(object, structural)...)
		if rules != nil && !blocks(errs) {
			more, _ := rules.Validate(context.Background(), nil, structural, object, nil, celconfig.RuntimeCELCostBudget)
			errs = append(errs, more...)
		}
	} else {
		done.Old = json.RawMessage(text.old)
		old, _, err := conformed(text.old, structural)
		if err != nil {
			return done, err
		}
		correlation := common.NewCorrelatedObject(object, old, &model.Structural{Structural: structural})
		errs = append(errs, validation.ValidateCustomResourceUpdate(nil, object, old, validator, validation.WithRatcheting(correlation))...)
		errs = append(errs, others(object, structural)...)
		if rules != nil && !blocks(errs) {
			more, _ := rules.Validate(context.Background(), nil, structural, object, old, celconfig.RuntimeCELCostBudget, cel.WithRatcheting(correlation))
			errs = append(errs, more...)
		}
	}
	done.Errors = texts(errs)
	return done, nil
}

func conformed(text string, structural *schema.Structural) (map[string]any, []string, error) {
	object := map[string]any{}
	if err := utiljson.Unmarshal([]byte(text), &object); err != nil {
		return nil, nil, err
	}
	unknown := pruning.PruneWithOptions(object, structural, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	defaulting.PruneNonNullableNullsWithoutDefaults(object, structural)
	defaulting.Default(object, structural)
	return object, unknown, nil
}

func others(object map[string]any, structural *schema.Structural) field.ErrorList {
	errs := objectmeta.Validate(nil, object, structural, false)
	return append(errs, listtype.ValidateListSetsAndMaps(nil, structural, object)...)
}

func blocks(errs field.ErrorList) bool {
	return slices.ContainsFunc(errs, func(err *field.Error) bool {
		switch err.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return true
		}
		return false
	})
}

// texts are the errors sorted: upstream finds them in the random order of Go's maps.
func texts(errs field.ErrorList) []string {
	var lines []string
	for _, err := range errs {
		lines = append(lines, err.Field+": "+err.ErrorBody())
	}
	slices.Sort(lines)
	return lines
}

func validated(text string) (definitionCase, error) {
	external := apiextensionsv1.CustomResourceDefinition{}
	if err := json.Unmarshal([]byte(text), &external); err != nil {
		return definitionCase{}, err
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(&external)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&external.Spec)
	internal := apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&external, &internal, nil); err != nil {
		return definitionCase{}, err
	}
	internal.Status.StoredVersions = []string{}
	for _, version := range internal.Spec.Versions {
		if version.Storage {
			internal.Status.StoredVersions = append(internal.Status.StoredVersions, version.Name)
		}
	}
	defaulted, err := json.Marshal(external)
	if err != nil {
		return definitionCase{}, err
	}
	errs := apivalidation.ValidateCustomResourceDefinition(context.Background(), &internal)
	errs = slices.DeleteFunc(errs, func(err *field.Error) bool { return err.Field == "status.storedVersions" })
	return definitionCase{Definition: defaulted, Errors: texts(errs)}, nil
}
