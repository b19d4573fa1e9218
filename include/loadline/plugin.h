/* A scoring plugin for Loadline: which of the nodes that will do is best for a pod?
 *
 * Plain C11, and valid C++. Nothing else of Loadline is needed:
 *
 *   cc -shared -fPIC -o my_plugin.so my_plugin.c
 *
 * A plugin is a shared library that exports one function:
 *
 *   LOADLINE_EXPORT const loadline_plugin* loadline_plugin_v1(void);
 *
 * It is configured by the name it gives there, as any plugin of KubeSchedulerConfiguration:
 *
 *   plugins: {score: {enabled: [{name: MyPlugin, weight: 5}]}}
 *   pluginConfig: [{name: MyPlugin, args: {preferred: a100}}]
 *
 * Each profile that enables it gets a process of its own, with one instance in it. That process loads the library, sees
 * copies of the cluster's objects, and is called by one thread, one call after the other. It may use threads, files and
 * the network, and print to standard error; standard input is empty, and what it prints to standard output appears on
 * standard error. When it crashes, exits or takes too long, it is reported by name, and the pods that it would have
 * scored stay pending.
 *
 * Every pointer that a call hands over is valid until the call returns, unless it says otherwise. Texts end with a zero
 * byte, are UTF-8, and never null. Lists may be empty; `items` may then be null.
 *
 * What stays as it is in version 1: everything below. Structs with a `struct_size` may get members at their end; look
 * at one that is marked "since" only if struct_size says that it is there. The small structs without one never change.
 */
#ifndef LOADLINE_PLUGIN_H
#define LOADLINE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LOADLINE_PLUGIN_ABI 1

/* The lowest and the highest score a node can have in the end. */
#define LOADLINE_MIN_SCORE 0
#define LOADLINE_MAX_SCORE 100

#if defined(__GNUC__)
#define LOADLINE_EXPORT __attribute__((visibility("default")))
#else
#define LOADLINE_EXPORT
#endif

/* ---- what a plugin sees ----------------------------------------------------------------------------------------- */

/* A label, an annotation, an argument. */
typedef struct loadline_pair {
  const char* key;
  const char* value;
} loadline_pair;

/* Sorted by key, byte by byte; keys differ. */
typedef struct loadline_pairs {
  const loadline_pair* items;
  size_t count;
} loadline_pairs;

typedef struct loadline_texts {
  const char* const* items;
  size_t count;
} loadline_texts;

/* How much of a resource: cpu in thousandths of a core, memory, ephemeral-storage and hugepages-* in bytes, everything
 * else ("nvidia.com/gpu") in whole units. */
typedef struct loadline_amount {
  const char* resource;
  int64_t amount;
} loadline_amount;

/* Sorted by resource; no amount is zero. */
typedef struct loadline_amounts {
  const loadline_amount* items;
  size_t count;
} loadline_amounts;

typedef struct loadline_pod {
  size_t struct_size;
  const char* name_space; /* "namespace" is a word of C++ */
  const char* name;
  int32_t priority;
  loadline_pairs labels;
  loadline_pairs annotations;
  loadline_pairs node_selector;
  loadline_amounts requests; /* of the pod as a whole: containers, init containers, overhead */
  loadline_texts claims;     /* the PersistentVolumeClaims it mounts, all of its namespace; in order of its volumes */
  loadline_texts images;     /* as its containers name them */
} loadline_pod;

typedef struct loadline_node {
  size_t struct_size;
  const char* name;
  /* Numbers nodes from 0 on, and always the same node. Two calls that show the same index and version show the same
   * node, unchanged: whatever was worked out from it still holds. */
  uint32_t index;
  uint64_t version;
  loadline_pairs labels;
  loadline_pairs annotations;
  loadline_amounts allocatable; /* what it has to give, "pods" among it */
  loadline_amounts requested;   /* the sum of its pods' requests; "pods": how many they are */
  /* The pods on it, in no particular order. Not among them: pods that wait for room here (nominated), and pods that
   * have run to their end. */
  const loadline_pod* const* pods;
  size_t pod_count;
} loadline_node;

/* The `args` of its pluginConfig. */
typedef struct loadline_arguments {
  size_t struct_size;
  const char* json; /* all of them; "{}" if there are none */
  /* The same for plugins without a JSON reader: texts, numbers and booleans by where they stand, objects' members
   * joined by dots and lists' elements numbered from 0: {a: {b: [x, 2]}} is a.b.0 = "x", a.b.1 = "2". */
  loadline_pairs values;
} loadline_arguments;

/* ---- what a plugin is ------------------------------------------------------------------------------------------- */

/* Where a call writes why it failed: a sentence without period and newline. Cut off if too long. */
typedef struct loadline_error {
  char* text;
  size_t size; /* bytes at `text`, the final zero among them; at least 256 */
} loadline_error;

/* What becomes of raw scores before the weight is applied. */
typedef enum loadline_normalization {
  /* Nothing: they must lie within 0..100. One that does not fails the pod's attempt. */
  LOADLINE_SCORES_ARE_FINAL = 0,
  /* score * 100 / the highest one, rounded down. All zero: they stay. None may be negative. */
  LOADLINE_HIGHEST_GETS_100 = 1,
  /* 100 - the above: low scores win. All zero: all 100. */
  LOADLINE_HIGHEST_GETS_0 = 2
} loadline_normalization;

typedef struct loadline_plugin {
  size_t struct_size;  /* sizeof(loadline_plugin) */
  uint32_t abi;        /* LOADLINE_PLUGIN_ABI */
  const char* name;    /* letters, digits, '-', '_' and '.'; none of kube-scheduler's own names */
  const char* version; /* the author's own, shown to users; may be null */
  int32_t normalization;

  /* Makes the instance. Sets *instance to whatever the other calls shall be given, which may be null. Returns 0; or
   * anything else if it cannot work with the arguments, and why not. May be null. */
  int (*create)(const loadline_arguments* arguments, void** instance, loadline_error* error);
  /* The last call; not made when the process has crashed or hung. May be null. */
  void (*destroy)(void* instance);
  /* Scores the nodes for the pod: scores[i] is nodes[i]'s, and 0 unless written. `nodes` are all that passed the
   * filters, two at least: an only node is taken unasked. Returns 0; or anything else, and why: then the pod's attempt
   * fails with the error, as with kube-scheduler. */
  int (*score)(void* instance, const loadline_pod* pod, const loadline_node* const* nodes, size_t count,
               int64_t* scores, loadline_error* error);
} loadline_plugin;

/* What the library exports: this function, under this name. The plugin must stay valid. */
typedef const loadline_plugin* (*loadline_plugin_v1_function)(void);

#ifdef __cplusplus
}
#endif

#endif /* LOADLINE_PLUGIN_H */
