/* A library that cannot be used as a plugin, for one reason at a time. */
#include <loadline/plugin.h>
#include <stdlib.h>
#include <unistd.h>

static int score(void* instance, const loadline_pod* pod, const loadline_node* const* nodes, size_t count,
                 int64_t* scores, loadline_error* error) {
  (void)instance, (void)pod, (void)nodes, (void)count, (void)scores, (void)error;
  return 0;
}

static const loadline_plugin kPlugin = {
#if defined(FAULT_SHORT_STRUCT)
    .struct_size = 16,
#else
    .struct_size = sizeof(loadline_plugin),
#endif
#if defined(FAULT_OTHER_ABI)
    .abi = 7,
#else
    .abi = LOADLINE_PLUGIN_ABI,
#endif
#if defined(FAULT_BAD_NAME)
    .name = "two words",
#elif defined(FAULT_BUILT_IN_NAME)
    .name = "NodeResourcesFit",
#elif !defined(FAULT_NO_NAME)
    .name = "Faulty",
#endif
#if defined(FAULT_ODD_NORMALIZATION)
    .normalization = 3,
#endif
#if !defined(FAULT_NO_SCORE)
    .score = score,
#endif
};

#if defined(FAULT_NO_SYMBOL)
#define ENTRY_POINT plugin_v1
#elif defined(FAULT_OTHER_ENTRY_POINT)
#define ENTRY_POINT loadline_plugin_v3
#else
#define ENTRY_POINT loadline_plugin_v1
#endif

LOADLINE_EXPORT const loadline_plugin* ENTRY_POINT(void);

const loadline_plugin* ENTRY_POINT(void) {
#if defined(FAULT_NULL_PLUGIN)
  return NULL;
#elif defined(FAULT_CRASHES_WHEN_LOADED)
  abort();
#elif defined(FAULT_HANGS_WHEN_LOADED)
  for (;;) pause();
#endif
  (void)score;
  return &kPlugin;
}
