#include "chain/attachments.hpp"

namespace chorale {

chorale_status check_attachment(const Report &report, const AttachmentNames &names,
                                const Attached &attached, const ChainView &view) noexcept {
  if (attached.property->labels != view.labels)
    return report.fail(CHORALE_ERROR_LABELS_MISMATCH, names.property, " has ",
                       attached.property->labels, " labels; it must have those of the chain, ",
                       view.labels);
  if (view.parents && !attached.property->is_local())
    return report.fail(CHORALE_ERROR_AUTOMATON_ON_TREE, names.property,
                       " is an automaton, which reads a sequence; on a tree "
                       "properties must be local");
  if (attached.property->reads_table() && !attached.table && view.length > 0)
    return report.fail(CHORALE_ERROR_NULL_ARGUMENT, names.table,
                       " is NULL; this property reads one");
  return CHORALE_OK;
}

chorale_status check_attachment_numbers(const Report &report, const AttachmentNames &names,
                                        const Attached &attached) noexcept {
  const Property &property = *attached.property;
  if (attached.classes && property.position < 0 && property.token < 0)
    CHORALE_CHECK(check_entries(report, attached.classes, attached.length, 0, property.classes - 1,
                                names.fields, "classes"));
  if (property.fires_table)
    for (std::int32_t t = 0; t < attached.length; ++t)
      if (attached.table[t] < -1 || attached.table[t] >= property.values)
        return report.fail(CHORALE_ERROR_VALUE_OUTSIDE_RANGE, names.table, "[", t, "] is ",
                           attached.table[t], "; it must be -1 or a value of the property, 0 to ",
                           property.values - 1);
  if (attached.message)
    for (std::int64_t v = 0; v < std::int64_t{attached.values()} + 2; ++v)
      if (!is_score(attached.message[v]))
        return fail_number(report, attached.message[v], true, names.fields, "message[", v, "]");
  return CHORALE_OK;
}

} // namespace chorale
