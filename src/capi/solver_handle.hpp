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

template <class Solver>
chorale_status create_solver(const chorale_host *host, Solver **solver,
                             chorale_error *error) noexcept {
  return creating(error, host, "solver", solver,
                  [&](Report &report, const Memory &from, const chorale_host &lent) {
                    Draft<Solver> made;
                    CHORALE_CHECK(create_in(report, from, made, lent));
                    *solver = made.release();
                    return chorale_status{CHORALE_OK};
                  });
}

template <class Solver>
chorale_status create_solver_in(const chorale_host *host, void *memory, std::size_t bytes,
                                Solver **solver, chorale_error *error) noexcept {
  return creating(
      error, host, "solver", solver,
      [&](Report &report, const Memory &, const chorale_host &lent) -> chorale_status {
        CHORALE_CHECK(check_given(report, "memory", memory));
        if (const auto past = reinterpret_cast<std::uintptr_t>(memory) % kAlignment; past != 0)
          return report.fail(CHORALE_ERROR_ALIGNMENT, "memory is ", past,
                             " bytes past a multiple of ", kAlignment, "; it must be aligned to ",
                             kAlignment);
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
  if (solver && solver->workspace.is_borrowed())
    solver->~Solver();
  else
    destroy(solver);
}

} // namespace chorale
