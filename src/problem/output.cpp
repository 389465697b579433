#include "problem/output.hpp"

namespace chorale {

void Output::end() noexcept {
  file::Header header{};
  std::copy_n(file::kMagic, sizeof header.magic, header.magic);
  header.order = file::kOrder;
  header.version = file::kVersion;
  header.bytes = at_;
  header.sections = done_;
  header.table_checksum = Checksum::of(entries_, done_ * sizeof(file::Entry));
  header.checksum = Checksum::of(&header, offsetof(file::Header, checksum));
  if (!sink_)
    return;
  failed_ = failed_ || done_ != count_ || !sink_->write(sink_->user, 0, &header, sizeof header) ||
            !sink_->write(sink_->user, sizeof header, entries_, done_ * sizeof(file::Entry));
}

} // namespace chorale
