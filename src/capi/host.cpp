// Exported C functions of base.h and experimental.h on cancel flags.
#include "base/cancel.hpp"
#include "capi/firewall.hpp"

using namespace chorale;

extern "C" {

chorale_status chorale_cancel_create(const chorale_host *host, chorale_cancel **cancel,
                                     chorale_error *error) {
  return creating(error, host, "cancel", cancel, [&](Report &report, const Memory &memory) {
    Draft<chorale_cancel> made;
    CHORALE_CHECK(create_in(report, memory, made));
    *cancel = made.release();
    return chorale_status{CHORALE_OK};
  });
}

void chorale_cancel_destroy(chorale_cancel *cancel) { destroy(cancel); }

void chorale_cancel_raise(chorale_cancel *cancel) {
  if (cancel)
    cancel->raised.store(true, std::memory_order_relaxed);
}

void chorale_cancel_lower(chorale_cancel *cancel) {
  if (cancel)
    cancel->raised.store(false, std::memory_order_relaxed);
}

int32_t chorale_cancel_is_raised(const chorale_cancel *cancel) {
  return cancel && cancel->raised.load(std::memory_order_relaxed) ? 1 : 0;
}

} // extern "C"
