#include "problem/container.hpp"

#include "problem/checksum.hpp"

#include <algorithm>
#include <cstring>

namespace chorale {
namespace {

bool are_zeros(const std::byte *from, std::uint64_t count) noexcept {
  return std::all_of(from, from + count, [](std::byte byte) { return byte == std::byte{0}; });
}

} // namespace

chorale_status Front::take_header(const Report &report, const std::byte *bytes, std::size_t seen,
                                  std::uint64_t size) noexcept {
  file::Header &header = header_;
  seen = std::min(seen, sizeof header);
  if (seen > 0)
    std::memcpy(&header, bytes, seen);
  if (std::memcmp(header.magic, file::kMagic, std::min(seen, sizeof header.magic)) != 0)
    return report.fail(CHORALE_ERROR_FILE_FORMAT,
                       "the first bytes are not those of a problem file");
  // Byte order and version are at the same offsets in all versions of the format, so they are
  // checked before the checksum, whose place may differ.
  if (size < offsetof(file::Header, bytes))
    return fail_truncated(report, size, sizeof header);
  if (header.order == file::kOtherOrder)
    return report.fail(CHORALE_ERROR_FILE_BYTE_ORDER,
                       "the file was written in the other byte order, by another kind of machine");
  if (header.order != file::kOrder)
    return report.fail(CHORALE_ERROR_FILE_FORMAT, "the byte order mark is ", header.order,
                       "; it must be ", file::kOrder);
  if (header.version != file::kVersion)
    return report.fail(CHORALE_ERROR_FILE_VERSION, "the file is of version ", header.version,
                       "; this library reads version ", file::kVersion);
  if (size < sizeof header)
    return fail_truncated(report, size, sizeof header);
  if (Checksum::of(bytes, offsetof(file::Header, checksum)) != header.checksum)
    return report.fail(CHORALE_ERROR_FILE_CHECKSUM,
                       "the header does not match its checksum; the file is damaged");
  if (header.zero != 0 || header.zeros[0] != 0 || header.zeros[1] != 0)
    return report.fail(CHORALE_ERROR_FILE_SECTION, "reserved bytes of the header are not zero");
  if (header.bytes < sizeof header)
    return report.fail(CHORALE_ERROR_FILE_SECTION, "the header says that the file has ",
                       header.bytes, " bytes; a header alone has ", sizeof header);
  if (size < header.bytes)
    return fail_truncated(report, size, header.bytes);
  if (size > header.bytes && size != kUnknown)
    return report.fail(CHORALE_ERROR_FILE_SECTION, "the file has ", size,
                       " bytes; by its header it has ", header.bytes);
  const std::uint64_t room = (header.bytes - sizeof header) / sizeof(file::Entry);
  if (header.sections > room || header.sections >= file::kSectionEnd)
    return report.fail(CHORALE_ERROR_FILE_SECTION, "the header tells of ", header.sections,
                       " sections; there is room for ", room, " and there are ",
                       file::kSectionEnd - 1);
  return CHORALE_OK;
}

// Checks an entry of the table. `before`: bit set of the ids of the preceding entries. `end`:
// offset at which the section of the preceding entry ends; for the first entry, the end of the
// table.
chorale_status Front::check_entry(const Report &report, const file::Entry &entry,
                                  std::uint32_t before, std::uint64_t end) const noexcept {
  if (entry.id == 0 || entry.id >= file::kSectionEnd)
    return report.fail(CHORALE_ERROR_FILE_SECTION, "section ", entry.id,
                       " is unknown; they are from 1 to ", file::kSectionEnd - 1);
  const char *name = file::section_name(entry.id);
  if (const std::uint32_t not_before = before >> entry.id; not_before != 0)
    return report.fail(CHORALE_ERROR_FILE_SECTION, "section ", name,
                       (not_before & 1) != 0 ? " is there twice" : " is out of order");
  if (entry.zero != 0)
    return report.fail(CHORALE_ERROR_FILE_SECTION, "section ", name,
                       ": reserved bytes of its entry are not zero");
  const std::uint64_t begin = (end + file::kAlign - 1) / file::kAlign * file::kAlign;
  if (entry.offset != begin)
    return report.fail(CHORALE_ERROR_FILE_SECTION, "section ", name, " begins at ", entry.offset,
                       "; it must follow what is before it, at ", begin);
  if (begin > header_.bytes || entry.length > header_.bytes - begin)
    return report.fail(CHORALE_ERROR_FILE_SECTION, "section ", name, " of ", entry.length,
                       " bytes at ", begin, " exceeds the file of ", header_.bytes);
  return CHORALE_OK;
}

chorale_status Front::take_table(const Report &report, const std::byte *bytes) noexcept {
  const std::byte *table = bytes + sizeof header_;
  if (Checksum::of(table, this->bytes() - sizeof header_) != header_.table_checksum)
    return report.fail(CHORALE_ERROR_FILE_CHECKSUM, "the table of sections does not match "
                                                    "its checksum; the file is damaged");
  std::uint32_t there = 0; // bit set of the ids of the sections found so far
  std::uint64_t end = this->bytes();
  for (std::uint32_t k = 0; k < header_.sections; ++k) {
    file::Entry &entry = entries_[k];
    std::memcpy(&entry, table + k * sizeof entry, sizeof entry);
    CHORALE_CHECK(check_entry(report, entry, there, end));
    there |= std::uint32_t{1} << entry.id;
    end = entry.offset + entry.length;
  }
  if (end != header_.bytes)
    return report.fail(CHORALE_ERROR_FILE_SECTION, "there are ", header_.bytes - end,
                       " bytes after the last section");
  for (std::uint32_t id = 1; id <= file::kRequired; ++id)
    if ((there >> id & 1) == 0)
      return report.fail(CHORALE_ERROR_FILE_SECTION, "section ", file::section_name(id),
                         " is missing");
  return CHORALE_OK;
}

chorale_status Container::open(const Report &report, const std::byte *bytes,
                               std::size_t size) noexcept {
  Front front;
  CHORALE_CHECK(front.take_header(report, bytes, size, size));
  CHORALE_CHECK(front.take_table(report, bytes));
  std::uint64_t end = front.bytes();
  for (std::uint32_t k = 0; k < front.sections(); ++k) {
    const file::Entry &entry = front.section(k);
    const char *name = file::section_name(entry.id);
    if (!are_zeros(bytes + end, entry.offset - end))
      return report.fail(CHORALE_ERROR_FILE_SECTION, "section ", name,
                         ": bytes before it are not zero");
    const auto length = static_cast<std::size_t>(entry.length);
    if (Checksum::of(bytes + entry.offset, length) != entry.checksum)
      return report.fail(CHORALE_ERROR_FILE_CHECKSUM, "section ", name,
                         " does not match its checksum; the file is damaged");
    sections_[entry.id] = Section(entry.id, bytes + entry.offset, length);
    end = entry.offset + entry.length;
  }
  return CHORALE_OK;
}

} // namespace chorale
