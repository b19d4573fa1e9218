/* GPUScoring: prefers the nodes whose GPUs suit a pod. README.md says how, with formulas. */
#include <loadline/plugin.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "gpu-scoring.example.com/"

static const char kGpu[] = "nvidia.com/gpu";
static const char kProduct[] = "nvidia.com/gpu.product";         /* node label: "NVIDIA-L4" */
static const char kGpuMemory[] = "nvidia.com/gpu.memory";        /* node label: MiB of each GPU */
static const char kTypes[] = PREFIX "types";                     /* pod annotation: "A100,H100", best first */
static const char kMemoryPerGpu[] = PREFIX "memory-mib-per-gpu"; /* pod annotation */
static const char kDatasets[] = PREFIX "datasets";               /* annotation of pods and of nodes: "coco,imagenet" */

struct weights {
  int64_t type, fragmentation, locality;
};

/* ---- lists and numbers ------------------------------------------------------------------------------------------- */

static const char* find(loadline_pairs pairs, const char* key) {
  for (size_t i = 0; i < pairs.count; ++i) {
    if (strcmp(pairs.items[i].key, key) == 0) return pairs.items[i].value;
  }
  return NULL;
}

static int64_t amount_of(loadline_amounts amounts, const char* resource) {
  for (size_t i = 0; i < amounts.count; ++i) {
    if (strcmp(amounts.items[i].resource, resource) == 0) return amounts.items[i].amount;
  }
  return 0;
}

/* A word of a list that commas separate. */
struct word {
  const char* text;
  size_t size;
};

/* The next word of the list, which is moved on; false: there is none. */
static bool next_word(const char** list, struct word* word) {
  if (*list == NULL) return false;
  *list += strspn(*list, ", ");
  word->text = *list;
  word->size = strcspn(*list, ", ");
  *list += word->size;
  return word->size > 0;
}

static bool lists(const char* list, struct word wanted) {
  struct word word;
  while (next_word(&list, &word)) {
    if (word.size == wanted.size && memcmp(word.text, wanted.text, word.size) == 0) return true;
  }
  return false;
}

static bool contains(const char* text, struct word part) {
  for (; strlen(text) >= part.size; ++text) {
    if (memcmp(text, part.text, part.size) == 0) return true;
  }
  return false;
}

/* A whole number that is not negative; -1: the text is none. */
static int64_t number(const char* text) {
  char* end = NULL;
  if (text == NULL || *text < '0' || *text > '9') return -1;
  const long long value = strtoll(text, &end, 10);
  return *end == '\0' ? (int64_t)value : -1;
}

/* ---- the three scores, 0..100 each ------------------------------------------------------------------------------- */

/* Of k types the pod would like, the i-th (from 0) is worth 100 (k - i) / k. */
static int64_t type_score(const loadline_pod* pod, const loadline_node* node) {
  const char* product = find(node->labels, kProduct);
  const char* wanted = find(pod->annotations, kTypes);
  int64_t count = 0, match = -1;
  struct word type;
  while (next_word(&wanted, &type)) {
    if (match < 0 && product != NULL && contains(product, type)) match = count;
    ++count;
  }
  return match < 0 ? 0 : 100 * (count - match) / count;
}

/* Half for how much of each GPU's memory the pod fills, half for how many of the node's GPUs are in use with it there.
 * 0 if the pod needs more memory than a GPU has. */
static int64_t fragmentation_score(const loadline_pod* pod, int64_t needed, const loadline_node* node) {
  const int64_t gpus = amount_of(node->allocatable, kGpu);
  const int64_t memory = number(find(node->labels, kGpuMemory));
  if (gpus <= 0 || memory <= 0 || needed > memory) return 0;
  const int64_t used = amount_of(node->requested, kGpu) + amount_of(pod->requests, kGpu);
  return 50 * needed / memory + 50 * used / gpus;
}

static bool has_dataset(const loadline_node* node, struct word dataset) {
  if (lists(find(node->annotations, kDatasets), dataset)) return true;
  for (size_t i = 0; i < node->pod_count; ++i) {
    if (lists(find(node->pods[i]->annotations, kDatasets), dataset)) return true; /* it has fetched it */
  }
  return false;
}

/* The share of the pod's datasets that are on the node already. */
static int64_t locality_score(const loadline_pod* pod, const loadline_node* node) {
  const char* wanted = find(pod->annotations, kDatasets);
  int64_t count = 0, there = 0;
  struct word dataset;
  while (next_word(&wanted, &dataset)) {
    ++count;
    if (has_dataset(node, dataset)) ++there;
  }
  return count == 0 ? 0 : 100 * there / count;
}

/* ---- the plugin -------------------------------------------------------------------------------------------------- */

static int create(const loadline_arguments* arguments, void** instance, loadline_error* error) {
  struct weights* weights = malloc(sizeof *weights);
  if (weights == NULL) return 1;
  *weights = (struct weights){5, 3, 2};
  for (size_t i = 0; i < arguments->values.count; ++i) {
    const loadline_pair* argument = &arguments->values.items[i];
    int64_t* weight = strcmp(argument->key, "weights.type") == 0            ? &weights->type
                      : strcmp(argument->key, "weights.fragmentation") == 0 ? &weights->fragmentation
                      : strcmp(argument->key, "weights.locality") == 0      ? &weights->locality
                                                                            : NULL;
    const int64_t value = number(argument->value);
    if (weight != NULL && value >= 0 && value <= 100) {
      *weight = value;
      continue;
    }
    snprintf(error->text, error->size, "%s: %s: %s", argument->key, argument->value,
             weight == NULL ? "no such argument; there are weights.type, weights.fragmentation and weights.locality"
                            : "must be a whole number of 0 to 100");
    free(weights);
    return 1;
  }
  if (weights->type + weights->fragmentation + weights->locality == 0) {
    snprintf(error->text, error->size, "one of the weights must be above 0");
    free(weights);
    return 1;
  }
  *instance = weights;
  return 0;
}

static int score(void* instance, const loadline_pod* pod, const loadline_node* const* nodes, size_t count,
                 int64_t* scores, loadline_error* error) {
  const struct weights* weights = instance;
  if (amount_of(pod->requests, kGpu) == 0) return 0; /* it may go anywhere: all nodes score 0 */
  const char* text = find(pod->annotations, kMemoryPerGpu);
  const int64_t needed = text == NULL ? 0 : number(text);
  if (needed < 0) {
    snprintf(error->text, error->size, "annotation %s: \"%s\" is no number of MiB", kMemoryPerGpu, text);
    return 1;
  }
  const int64_t weight = weights->type + weights->fragmentation + weights->locality;
  for (size_t i = 0; i < count; ++i) {
    scores[i] = (weights->type * type_score(pod, nodes[i]) +
                 weights->fragmentation * fragmentation_score(pod, needed, nodes[i]) +
                 weights->locality * locality_score(pod, nodes[i])) /
                weight;
  }
  return 0;
}

static const loadline_plugin kPlugin = {
    .struct_size = sizeof(loadline_plugin),
    .abi = LOADLINE_PLUGIN_ABI,
    .name = "GPUScoring",
    .version = "1.0",
    .normalization = LOADLINE_SCORES_ARE_FINAL,
    .create = create,
    .destroy = free,
    .score = score,
};

LOADLINE_EXPORT const loadline_plugin* loadline_plugin_v1(void);

const loadline_plugin* loadline_plugin_v1(void) { return &kPlugin; }
