#define _POSIX_C_SOURCE 200809L
#include "shim.h"
#include "_cgo_export.h"

struct chorale_go_host {
  chorale_host host;
  chorale_allocator allocator;
  int64_t references, bytes, blocks, limit; // limit < 0: none; the others change atomically
  uintptr_t log;
};

void chorale_go_host_release(chorale_go_host *host) {
  if (__atomic_sub_fetch(&host->references, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  if (host->log)
    choraleGoDrop(host->log);
  free(host);
}

static void *allocate(void *user, size_t bytes, size_t alignment) {
  chorale_go_host *host = user;
  const int64_t size = (int64_t)bytes;
  if (size < 0)
    return NULL;
  if (__atomic_add_fetch(&host->bytes, size, __ATOMIC_ACQ_REL) > host->limit && host->limit >= 0) {
    __atomic_sub_fetch(&host->bytes, size, __ATOMIC_ACQ_REL);
    return NULL;
  }
  void *memory = NULL;
  if (posix_memalign(&memory, alignment < sizeof(void *) ? sizeof(void *) : alignment, bytes)) {
    __atomic_sub_fetch(&host->bytes, size, __ATOMIC_ACQ_REL);
    return NULL;
  }
  __atomic_add_fetch(&host->blocks, 1, __ATOMIC_ACQ_REL);
  __atomic_add_fetch(&host->references, 1, __ATOMIC_ACQ_REL);
  return memory;
}

static void deallocate(void *user, void *memory, size_t bytes, size_t alignment) {
  chorale_go_host *host = user;
  (void)alignment;
  free(memory);
  __atomic_sub_fetch(&host->bytes, (int64_t)bytes, __ATOMIC_ACQ_REL);
  __atomic_sub_fetch(&host->blocks, 1, __ATOMIC_ACQ_REL);
  chorale_go_host_release(host);
}

static void tell(void *user, chorale_log_level level, const char *message) {
  choraleGoLog((uintptr_t)user, level, (char *)message);
}

chorale_go_host *chorale_go_host_create(int64_t limit, uintptr_t log) {
  chorale_go_host *host = calloc(1, sizeof *host);
  if (!host)
    return NULL;
  host->references = 1;
  host->limit = limit;
  host->log = log;
  host->allocator = (chorale_allocator){host, allocate, deallocate};
  host->host = (chorale_host){.struct_size = sizeof host->host};
  host->host.allocator = &host->allocator;
  host->host.log = log ? tell : NULL;
  host->host.log_user = (void *)log;
  return host;
}

const chorale_host *chorale_go_host_get(const chorale_go_host *host) { return &host->host; }

int64_t chorale_go_host_bytes(const chorale_go_host *host) {
  return __atomic_load_n(&host->bytes, __ATOMIC_ACQUIRE);
}

int64_t chorale_go_host_blocks(const chorale_go_host *host) {
  return __atomic_load_n(&host->blocks, __ATOMIC_ACQUIRE);
}

static int32_t count_score(void *user, const int64_t *counts, int64_t values, int64_t members,
                           double *score) {
  return choraleGoCount((uintptr_t)user, (int64_t *)counts, values, members, score);
}

static void drop(void *user) { choraleGoDrop((uintptr_t)user); }

chorale_status chorale_go_potential_create_callback(const chorale_host *host, int64_t values,
                                                    uintptr_t user,
                                                    const chorale_potential_options *options,
                                                    chorale_potential **potential,
                                                    chorale_error *error) {
  return chorale_potential_create_callback(host, values, count_score, (void *)user, drop, options,
                                           potential, error);
}

static int32_t messages(void *user, int64_t memberships, const int64_t *sizes,
                        const double *const *incoming, double *const *outgoing) {
  return choraleGoMessages((uintptr_t)user, memberships, (int64_t *)sizes, (double **)incoming,
                           (double **)outgoing);
}

static int32_t decode(void *user, int64_t memberships, const int64_t *sizes,
                      const double *const *incoming, int32_t *labelling, int32_t *values,
                      double *score) {
  return choraleGoDecode((uintptr_t)user, memberships, (int64_t *)sizes, (double **)incoming, labelling,
                         values, score);
}

chorale_status chorale_go_add_instance(chorale_model_builder *builder, int64_t length,
                                       int64_t labels, uintptr_t user, int64_t *index,
                                       chorale_error *error) {
  chorale_instance instance = {.struct_size = sizeof instance};
  instance.length = length;
  instance.labels = labels;
  instance.user = (void *)user;
  instance.messages = messages;
  instance.decode = decode;
  return chorale_model_builder_add_instance(builder, &instance, index, error);
}

static void run_parallel(void *user, int64_t count, int64_t workers, chorale_parallel_body body,
                         void *body_user) {
  choraleGoParallel((uintptr_t)user, count, workers, body, body_user);
}

static int32_t run_progress(void *user, const chorale_progress *progress) {
  return choraleGoProgress((uintptr_t)user, (chorale_progress *)progress);
}

void chorale_go_run_callbacks(chorale_run_options *options, uintptr_t user, int executor,
                              int progress) {
  if (executor) {
    options->executor = run_parallel;
    options->executor_user = (void *)user;
  }
  if (progress) {
    options->progress = run_progress;
    options->progress_user = (void *)user;
  }
}

static int32_t learn_progress(void *user, const chorale_learn_progress *progress) {
  return choraleGoLearnProgress((uintptr_t)user, (chorale_learn_progress *)progress);
}

void chorale_go_learn_callback(chorale_learn_options *options, uintptr_t user) {
  options->progress = learn_progress;
  options->progress_user = (void *)user;
}

void chorale_go_call_body(chorale_parallel_body body, void *body_user, int64_t i, int64_t worker) {
  body(body_user, i, worker);
}

void chorale_go_chain_lengths(const chorale_model *model, int64_t *lengths) {
  for (int64_t i = chorale_model_chain_count(model); i > 0; --i)
    lengths[i - 1] = chorale_model_chain_length(model, i - 1);
}

int64_t chorale_go_positions(const chorale_model *model) {
  int64_t total = 0;
  for (int64_t i = chorale_model_chain_count(model); i > 0; --i)
    total += chorale_model_chain_length(model, i - 1);
  return total;
}

void chorale_go_member_counts(const chorale_model *model, int64_t *counts) {
  for (int64_t c = chorale_model_clique_count(model); c > 0; --c)
    counts[c - 1] = chorale_model_clique_member_count(model, c - 1);
}

chorale_status chorale_go_members(const chorale_model *model, int64_t first, int64_t count,
                                  int64_t *chains, int64_t *positions, chorale_error *error) {
  int64_t at = 0;
  for (int64_t c = first; c < first + count; ++c) {
    const int64_t members = chorale_model_clique_member_count(model, c);
    const chorale_status status = chorale_model_get_members(
        model, c, chains + at, positions + at, NULL, members, NULL, error);
    if (status != CHORALE_OK)
      return status;
    at += members;
  }
  return CHORALE_OK;
}

chorale_status chorale_go_chain_scores(const chorale_run *run, int64_t count,
                                       chorale_labelling labelling, double *scores,
                                       int32_t *changed, chorale_error *error) {
  for (int64_t i = 0; i < count; ++i) {
    const chorale_status status =
        chorale_run_chain_score(run, i, labelling, scores + i, changed + i, error);
    if (status != CHORALE_OK)
      return status;
  }
  return CHORALE_OK;
}

chorale_status chorale_go_clique_scores(const chorale_run *run, int64_t count,
                                        chorale_labelling labelling, double *scores,
                                        chorale_error *error) {
  for (int64_t c = 0; c < count; ++c) {
    const chorale_status status =
        chorale_run_clique_score(run, c, labelling, scores + c, error);
    if (status != CHORALE_OK)
      return status;
  }
  return CHORALE_OK;
}

chorale_status chorale_go_all_values(const chorale_run *run, int64_t count, const int64_t *counts,
                                     chorale_labelling labelling, int32_t *values,
                                     chorale_error *error) {
  for (int64_t c = 0; c < count; values += counts[c++]) {
    const chorale_status status =
        chorale_run_values(run, c, labelling, values, counts[c], NULL, error);
    if (status != CHORALE_OK)
      return status;
  }
  return CHORALE_OK;
}

void chorale_go_texts(const chorale_problem *problem, chorale_text_list list, int64_t count,
                      const char **texts, size_t *lengths) {
  for (int64_t i = 0; i < count; ++i)
    texts[i] = chorale_problem_text(problem, list, i, lengths + i);
}
