/* Passes random models to the library. */
#include "fixture_cluster.h"

/* ---- Instances that wrap a chain ---------------------------------------------------------- */

/* Attaches incoming messages. Those of a property clique have R + 2 entries. */
static void attach(Wrapped *self, int64_t memberships, const double *const *incoming) {
  for (int64_t p = 0; p < memberships; ++p)
    self->attachments[p].message = incoming[p];
}

static int32_t wrapped_messages(void *user, int64_t memberships, const int64_t *sizes,
                                const double *const *incoming, double *const *outgoing) {
  Wrapped *self = user;
  if (++self->calls == self->stop_at)
    return 7;
  attach(self, memberships, incoming);
  chorale_message_result result = {.struct_size = sizeof result};
  if (memberships != self->memberships ||
      chorale_chain_messages(self->solver, self->chain, self->attachments, memberships, &self->options,
                             outgoing, &result, NULL) != CHORALE_OK)
    return 8;
  for (int64_t p = 0; p < memberships; ++p)
    if (sizes[p] != own_range(self->uses[p]) + 2)
      return 9;
  return 0;
}

static int32_t wrapped_decode(void *user, int64_t memberships, const int64_t *sizes,
                              const double *const *incoming, int32_t *labelling, int32_t *values,
                              double *score) {
  Wrapped *self = user;
  if (++self->calls == self->stop_at)
    return 7;
  attach(self, memberships, incoming);
  chorale_message_result result = {.struct_size = sizeof result};
  if (memberships != self->memberships ||
      chorale_chain_decode(self->solver, self->chain, self->attachments, memberships, &self->options,
                           labelling, values, &result, NULL) != CHORALE_OK)
    return 8;
  for (int64_t p = 0; p < memberships; ++p)
    if (sizes[p] != own_range(self->uses[p]) + 2)
      return 9;
  *score = result.outcome == CHORALE_OUTCOME_COMPLETE ? result.chain_score : -INFINITY;
  return 0;
}

/* ---- Building ----------------------------------------------------------------------------- */

static void open_uses(const Cluster *cluster, Built *built) {
  for (int32_t c = 0; c < cluster->clique_count; ++c)
    if (cluster->cliques[c].shape == OVER_PROPERTY) {
      built->uses[c] = cluster->cliques[c].use;
      open_use(&built->uses[c]);
    }
}

void open_parts(const Cluster *cluster, const chorale_host *host, Built *built) {
  chorale_error error;
  memset(built, 0, sizeof *built);
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    give(&cluster->chains[i], &built->given[i]);
  open_uses(cluster, built);
  for (int32_t c = 0; c < cluster->clique_count; ++c) {
    const Group *group = &cluster->cliques[c];
    for (int32_t k = 0; k < (group->shape == CENTRED ? group->centre_values : 1); ++k)
      OK(make_potential(&group->potentials[k], host, &built->potentials[c][k], &error));
  }
}

static void wrap(Built *built, int32_t chain, chorale_instance *instance) {
  Wrapped *wrapped = &built->wrapped[chain];
  chorale_error error;
  if (!wrapped->solver)
    OK(chorale_chain_solver_create(NULL, &wrapped->solver, &error));
  wrapped->chain = &built->given[chain].chain;
  wrapped->memberships = 0;
  wrapped->options = (chorale_run_options){.struct_size = sizeof wrapped->options};
  wrapped->options.max_states = 1 << 16;
  *instance = (chorale_instance){.struct_size = sizeof *instance};
  instance->length = wrapped->chain->length;
  instance->labels = wrapped->chain->labels;
  instance->user = wrapped;
  instance->messages = wrapped_messages;
  instance->decode = wrapped_decode;
}

chorale_status add_chains(const Cluster *cluster, Built *built, chorale_model_builder *builder,
                          chorale_error *error) {
  chorale_status status = CHORALE_OK;
  for (int32_t i = 0; i < cluster->chain_count && status == CHORALE_OK; ++i) {
    int64_t index = -1;
    if (cluster->is_instance[i]) {
      chorale_instance instance;
      wrap(built, i, &instance);
      status = chorale_model_builder_add_instance(builder, &instance, &index, error);
    } else {
      chorale_chain_options options = {.struct_size = sizeof options};
      options.borrow = cluster->is_borrowed[i];
      options.tokens = cluster->has_tokens[i] ? cluster->tokens[i] : NULL;
      status =
          chorale_model_builder_add_chain(builder, &built->given[i].chain, &options, &index, error);
    }
    if (status == CHORALE_OK && index != i)
      fail_msg("chain %d was given number %lld", i, (long long)index);
  }
  return status;
}

chorale_status add_one_member(const Cluster *cluster, Built *built, chorale_model_builder *builder,
                              int32_t c, int32_t i, chorale_error *error) {
  const Group *group = &cluster->cliques[c];
  const Member *member = &group->members[i];
  if (group->shape == CENTRED && i == group->member_count - 1)
    return put_centre(builder, c, member->chain, member->position, error);
  if (group->shape != OVER_PROPERTY)
    return put_position(builder, c, member->chain, member->position, error);
  MemberArrays options = {0};
  options.classes = member->has_classes ? member->classes : NULL;
  options.table = member->reads_tokens ? NULL : member->table;
  options.borrow = cluster->is_borrowed[member->chain];
  Wrapped *wrapped = &built->wrapped[member->chain];
  if (cluster->is_instance[member->chain]) {
    wrapped->uses[wrapped->memberships] = &built->uses[c];
    chorale_attachment *attachment = &wrapped->attachments[wrapped->memberships++];
    *attachment = built->uses[c].attachment;
    attachment->classes = options.classes;
    attachment->table = member->reads_tokens ? cluster->tokens[member->chain] : member->table;
  }
  return put_chain(builder, c, member->chain, &options, error);
}

void describe_group(const Group *group, const Use *use, const chorale_potential *const *potentials,
                    chorale_clique_setup *setup) {
  *setup = (chorale_clique_setup){.struct_size = sizeof *setup};
  if (group->shape == OVER_PROPERTY) {
    setup->property = use->property;
    setup->dictionary = use->dictionary;
  } else {
    setup->values = group->values;
    setup->label_values = group->has_label_values ? group->label_values : NULL;
    setup->labels = group->has_label_values ? group->labels : 0;
  }
  if (group->shape == CENTRED) {
    setup->centre_potentials = potentials;
    setup->centre_values = group->centre_values;
    setup->centre_label_values = group->has_centre_map ? group->centre_map : NULL;
    setup->centre_labels = group->has_centre_map ? group->labels : 0;
  } else {
    setup->potential = potentials[0];
  }
}

chorale_status add_cliques(const Cluster *cluster, Built *built, chorale_model_builder *builder,
                           chorale_error *error) {
  chorale_status status = CHORALE_OK;
  for (int32_t c = 0; c < cluster->clique_count && status == CHORALE_OK; ++c) {
    const Group *group = &cluster->cliques[c];
    chorale_clique_setup setup;
    const chorale_potential *centre[MOST_CENTRES];
    for (int32_t k = 0; k < MOST_CENTRES; ++k)
      centre[k] = built->potentials[c][k];
    describe_group(group, &built->uses[c], centre, &setup);
    int64_t index = -1;
    status = chorale_model_builder_add_cliques(builder, &setup, 1, &index, error);
    if (status == CHORALE_OK && index != c)
      fail_msg("clique %d was given number %lld", c, (long long)index);
    for (int32_t i = 0; i < group->member_count && status == CHORALE_OK; ++i)
      status = add_one_member(cluster, built, builder, c, i, error);
  }
  return status;
}

void build(const Cluster *cluster, const chorale_host *host, Built *built) {
  chorale_error error;
  open_parts(cluster, host, built);
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(host, &builder, &error));
  OK(add_chains(cluster, built, builder, &error));
  OK(add_cliques(cluster, built, builder, &error));
  OK(chorale_model_builder_freeze(builder, &built->model, &error));
  chorale_model_builder_destroy(builder);
}

void close_built(const Cluster *cluster, Built *built) {
  chorale_model_release(built->model);
  for (int32_t c = 0; c < cluster->clique_count; ++c) {
    for (int32_t k = 0; k < MOST_CENTRES; ++k)
      chorale_potential_release(built->potentials[c][k]);
    if (cluster->cliques[c].shape == OVER_PROPERTY)
      close_use(&built->uses[c]);
  }
  for (int32_t i = 0; i < cluster->chain_count; ++i) {
    chorale_chain_solver_destroy(built->wrapped[i].solver);
    take_back(&built->given[i]);
  }
}
