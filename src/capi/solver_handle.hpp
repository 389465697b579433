// Creation and destruction of solver handles of all kinds. A handle is either allocated from the
// host's allocator, with a workspace that grows; or it is placed at the start of memory that the
// caller gives, with the remaining bytes as its workspace.
//
// `Solver` must have the constructors (Memory, host) and (address of workspace, size in bytes,
// host), and the fields `memory` and `workspace`.
#pragma once

#include "base/workspace.hpp"
#include "capi/firewall.hpp"

namespace chorale {

// Bytes that a handle takes at the start of the memory that the caller gives.
template <class Solver>
inline constexpr std::size_t
    kHandleBytes = (sizeof(Solver) + kAlignment - 1) / kAlignment *kAlignment;

inline chorale_status check_alignment(const Report &report, std::string_view name,
                                      const void *memory) noexcept {
  const auto offset = reinterpret_cast<std::uintptr_t>(memory) % kAlignment;
  return offset == 0 ? CHORALE_OK
                     : report.fail(CHORALE_ERROR_ALIGNMENT, name, " is ", offset,
                                   " bytes past a multiple of ", kAlignment,
                                   "; it must be aligned to ", kAlignment);
}

template <class Solver>
chorale_status create_solver(const chorale_host *host, Solver **solver,
                             chorale_error *error) noexcept {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "solver", solver));
    chorale_host lent{};
    CHORALE_CHECK(read_host(report, host, lent));
    const Memory memory(&lent);
    Solver *made = memory.create<Solver>(memory, lent);
    if (!made)
      return report.out_of_memory(sizeof(Solver));
    *solver = made;
    return CHORALE_OK;
  });
}

template <class Solver>
chorale_status create_solver_in(const chorale_host *host, void *memory, std::size_t bytes,
                                Solver **solver, chorale_error *error) noexcept {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "memory", memory, "solver", solver));
    chorale_host lent{};
    CHORALE_CHECK(read_host(report, host, lent));
    CHORALE_CHECK(check_alignment(report, "memory", memory));
    if (bytes <= kHandleBytes<Solver>)
      return report.fail(CHORALE_ERROR_WORKSPACE_TOO_SMALL, "bytes is ", bytes,
                         "; it must be more than ", kHandleBytes<Solver>,
                         ", which the handle itself takes");
    *solver = new (memory) Solver(static_cast<std::byte *>(memory) + kHandleBytes<Solver>,
                                  bytes - kHandleBytes<Solver>, lent);
    return CHORALE_OK;
  });
}

// Reports that the memory that the caller gave to a solver is too small: the workspace must have
// `needed` bytes. This memory has the handle and, after it, the workspace.
template <class Solver>
chorale_status fail_workspace(const Report &report, const Solver &solver,
                              std::size_t needed) noexcept {
  const std::size_t handle = kHandleBytes<Solver>;
  return report.fail(CHORALE_ERROR_WORKSPACE_TOO_SMALL, "the solver's memory has ",
                     handle + solver.workspace.capacity(), " bytes; it must have at least ",
                     handle + needed);
}

template <class Solver> void destroy_solver(Solver *solver) noexcept {
  if (!solver)
    return;
  if (solver->workspace.is_borrowed())
    solver->~Solver();
  else
    Memory::destroy(solver, solver->memory);
}

} // namespace chorale
