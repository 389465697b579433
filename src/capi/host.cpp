// Exported C functions of host.h.
#include "base/cancel.hpp"
#include "capi/firewall.hpp"

using namespace chorale;

extern "C" {

chorale_status chorale_cancel_create(const chorale_host *host, chorale_cancel **cancel,
                                     chorale_error *error) {
  return creating(error, host, "cancel", cancel,
                  [&](Report &report, const Memory &memory) -> chorale_status {
                    chorale_cancel *made = memory.create<chorale_cancel>(memory);
                    if (!made)
                      return report.out_of_memory(sizeof(chorale_cancel));
                    *cancel = made;
                    return CHORALE_OK;
                  });
}

void chorale_cancel_destroy(chorale_cancel *cancel) {
  if (cancel)
    Memory::destroy(cancel, cancel->memory);
}

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
