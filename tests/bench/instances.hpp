// Clique instances in whole numbers (units of 1e-6): those of the shared folder, or random ones of
// the same shapes where there is none.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace bench {

struct Instance {
  std::string name;
  int members = 0;
  int values = 0;
  std::int64_t coefficient = 0;      // of n_v^2; Potts
  std::vector<std::int32_t> psi;     // n x R
  std::vector<std::int32_t> weights; // R x R, row the majority value; majority
  double best = NAN;                 // proven optimum, where known

  const std::int32_t *row(int i) const { return psi.data() + std::size_t(i) * std::size_t(values); }
};

class Random { // splitmix64
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  // Uniform in [0, 1).
  double unit() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return double((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  std::int32_t micro(double high) { return std::int32_t(std::lround(unit() * high * 1e6)); }

private:
  std::uint64_t state_;
};

// Scores up to 2 `unit`: in a very large clique the coefficient is whole only in a large unit.
inline Instance random_potts(std::uint64_t seed, int members, int values, double lambda,
                             double unit = 1) {
  Random random(seed); // one seed, one score matrix for every lambda
  Instance made{"potts", members, values, std::llround(lambda / members * unit * 1e6), {}, {}, NAN};
  made.psi.reserve(std::size_t(members) * std::size_t(values));
  for (int e = 0; e < members * values; ++e)
    made.psi.push_back(random.micro(2 * unit));
  return made;
}

inline Instance random_majority(std::uint64_t seed, int members, int values, double lambda,
                                bool hard) {
  Random random(seed);
  Instance made{"majority", members, values, 0, {}, {}, NAN};
  for (int e = 0; e < members * values; ++e)
    made.psi.push_back(random.micro(2));
  for (int a = 0; a < values; ++a)
    for (int v = 0; v < values; ++v)
      made.weights.push_back(a == v ? (hard ? 0 : random.micro(2 * lambda))
                                    : random.micro(hard ? 2 * lambda : lambda));
  return made;
}

inline bool load(const std::filesystem::path &path, Instance &into) {
  std::ifstream file(path, std::ios::binary);
  const auto read = [&](void *to, std::size_t bytes) {
    file.read(static_cast<char *>(to), std::streamsize(bytes));
    return bool(file);
  };
  std::int32_t head[4];
  double lambda = 0;
  if (!read(head, sizeof head) || head[0] != 0x43494731 || !read(&lambda, sizeof lambda) ||
      !read(&into.coefficient, sizeof into.coefficient))
    return false;
  into.members = head[1];
  into.values = head[2];
  into.psi.resize(std::size_t(head[1]) * std::size_t(head[2]));
  if (!read(into.psi.data(), into.psi.size() * sizeof(std::int32_t)))
    return false;
  if (head[3] == 1) {
    into.weights.resize(std::size_t(head[2]) * std::size_t(head[2]));
    return read(into.weights.data(), into.weights.size() * sizeof(std::int32_t));
  }
  return true;
}

// All instances listed in best_known.tsv whose name starts so.
inline std::vector<Instance> shared_instances(const std::string &folder,
                                              const std::string &prefix) {
  std::vector<Instance> found;
  std::ifstream list(folder + "/best_known.tsv");
  std::string name, best, proven;
  while (list >> name >> best >> proven) {
    if (!name.starts_with(prefix))
      continue;
    Instance instance;
    instance.name = name;
    if (!load(folder + "/" + name, instance))
      continue;
    instance.best = std::stod(best);
    found.push_back(std::move(instance));
  }
  return found;
}

inline std::vector<Instance> potts_instances(const std::string &folder) {
  std::vector<Instance> all = shared_instances(folder, "potts/");
  if (all.empty())
    for (double lambda : {0.80, 0.85, 0.90, 0.95})
      for (std::uint64_t seed = 1; seed <= 25; ++seed)
        all.push_back(random_potts(seed, 100, 24, lambda));
  return all;
}

inline std::vector<Instance> majority_instances(const std::string &folder, bool hard) {
  std::vector<Instance> all = shared_instances(folder, hard ? "majority/mh" : "majority/m1");
  if (all.empty())
    for (double lambda : {0.80, 1.00, 1.20})
      for (std::uint64_t seed = 1; seed <= 5; ++seed)
        all.push_back(random_majority(seed + (hard ? 1000 : 0), 100, 24, lambda, hard));
  return all;
}

} // namespace bench
