/* A plugin that does what the pod's annotation "mood" tells it to. Without one, a node's score is its label "score",
 * plus 10 for each of its pods and for each GPU that is free there; or everything it sees, printed, if its argument
 * "show" says so. */
#include <inttypes.h>
#include <loadline/plugin.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct Moody {
  int calls;
  int64_t offset;
  int show;
};

static const char* find(loadline_pairs pairs, const char* key) {
  for (size_t i = 0; i < pairs.count; ++i) {
    if (strcmp(pairs.items[i].key, key) == 0) return pairs.items[i].value;
  }
  return NULL;
}

static int64_t amount(loadline_amounts amounts, const char* resource) {
  for (size_t i = 0; i < amounts.count; ++i) {
    if (strcmp(amounts.items[i].resource, resource) == 0) return amounts.items[i].amount;
  }
  return 0;
}

static int create(const loadline_arguments* arguments, void** instance, loadline_error* error) {
  const char* mood = find(arguments->values, "mood");
  if (mood != NULL && strcmp(mood, "crash") == 0) abort();
  if (mood != NULL && strcmp(mood, "refuse") == 0) {
    snprintf(error->text, error->size, "cannot work with %s", arguments->json);
    return 1;
  }
  if (mood != NULL && strcmp(mood, "sulk") == 0) return 1;
  struct Moody* moody = calloc(1, sizeof *moody);
  if (moody == NULL) return 1;
  const char* offset = find(arguments->values, "offset");
  if (offset != NULL) moody->offset = strtoll(offset, NULL, 10);
  moody->show = find(arguments->values, "show") != NULL;
  *instance = moody;
  printf("moody was made\n"); /* must not reach the host's standard output */
  fflush(stdout);
  return 0;
}

static void destroy(void* instance) { free(instance); }

static void show_pairs(const char* title, loadline_pairs pairs) {
  fprintf(stderr, " %s{", title);
  for (size_t i = 0; i < pairs.count; ++i) fprintf(stderr, " %s=%s", pairs.items[i].key, pairs.items[i].value);
  fprintf(stderr, " }");
}

static void show_amounts(const char* title, loadline_amounts amounts) {
  fprintf(stderr, " %s{", title);
  for (size_t i = 0; i < amounts.count; ++i) {
    fprintf(stderr, " %s=%" PRId64, amounts.items[i].resource, amounts.items[i].amount);
  }
  fprintf(stderr, " }");
}

static void show_texts(const char* title, loadline_texts texts) {
  fprintf(stderr, " %s{", title);
  for (size_t i = 0; i < texts.count; ++i) fprintf(stderr, " %s", texts.items[i]);
  fprintf(stderr, " }");
}

static void show_pod(const loadline_pod* pod) {
  fprintf(stderr, "pod %s/%s priority=%" PRId32, pod->name_space, pod->name, pod->priority);
  show_pairs("labels", pod->labels);
  show_pairs("annotations", pod->annotations);
  show_pairs("selector", pod->node_selector);
  show_amounts("requests", pod->requests);
  show_texts("claims", pod->claims);
  show_texts("images", pod->images);
  fprintf(stderr, "\n");
}

static void show_node(const loadline_node* node) {
  fprintf(stderr, "node %s index=%" PRIu32 " version=%" PRIu64, node->name, node->index, node->version);
  show_pairs("labels", node->labels);
  show_pairs("annotations", node->annotations);
  show_amounts("allocatable", node->allocatable);
  show_amounts("requested", node->requested);
  fprintf(stderr, "\n");
  for (size_t i = 0; i < node->pod_count; ++i) {
    fprintf(stderr, "  ");
    show_pod(node->pods[i]);
  }
}

static int score(void* instance, const loadline_pod* pod, const loadline_node* const* nodes, size_t count,
                 int64_t* scores, loadline_error* error) {
  struct Moody* moody = instance;
  const char* mood = find(pod->annotations, "mood");
  ++moody->calls;
  if (mood != NULL) {
    if (strcmp(mood, "abort") == 0) abort();
    if (strcmp(mood, "segv") == 0) raise(SIGSEGV);
    if (strcmp(mood, "exit") == 0) _exit(3);
    if (strcmp(mood, "hang") == 0) {
      for (;;) pause();
    }
    if (strcmp(mood, "mute") == 0) { /* closes the socket, and lives on */
      for (int file = 3; file < 64; ++file) close(file);
      for (;;) pause();
    }
    if (strcmp(mood, "babble") == 0) { /* writes to the socket itself */
      const char nonsense[] = "\7\0\0\0babble!";
      if (write(3, nonsense, sizeof nonsense - 1) < 0) return 1;
    }
    if (strcmp(mood, "refuse") == 0) {
      snprintf(error->text, error->size, "%s has a bad mood", pod->name);
      return 1;
    }
    if (strncmp(mood, "score ", 6) == 0) {
      scores[count - 1] = strtoll(mood + 6, NULL, 10);
      return 0;
    }
  }
  if (moody->show) show_pod(pod);
  for (size_t i = 0; i < count; ++i) {
    const char* label = find(nodes[i]->labels, "score");
    const char* gpu = "nvidia.com/gpu";
    scores[i] = moody->offset + (label == NULL ? 0 : strtoll(label, NULL, 10)) + 10 * (int64_t)nodes[i]->pod_count +
                10 * (amount(nodes[i]->allocatable, gpu) - amount(nodes[i]->requested, gpu));
    if (moody->show) show_node(nodes[i]);
  }
  return 0;
}

static const loadline_plugin kPlugin = {
    .struct_size = sizeof(loadline_plugin),
    .abi = LOADLINE_PLUGIN_ABI,
    .name = "Moody",
    .version = "1.0",
    .normalization = LOADLINE_SCORES_ARE_FINAL,
    .create = create,
    .destroy = destroy,
    .score = score,
};

LOADLINE_EXPORT const loadline_plugin* loadline_plugin_v1(void);

const loadline_plugin* loadline_plugin_v1(void) { return &kPlugin; }
