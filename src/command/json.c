#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

/* Returns the number of bytes of the first UTF-8 character of `bytes`; 0 if it is invalid:
 * truncated, overlong, a surrogate, or above U+10FFFF. */
static size_t character_length(const unsigned char *bytes, size_t left) {
  const unsigned char first = bytes[0];
  const size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3
                        : first < 0xf5 ? 4 : 0;
  if (length > left)
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((bytes[i] & 0xc0) != 0x80)
      return 0;
  if ((first == 0xe0 && bytes[1] < 0xa0) || (first == 0xed && bytes[1] >= 0xa0) ||
      (first == 0xf0 && bytes[1] < 0x90) || (first == 0xf4 && bytes[1] >= 0x90))
    return 0;
  return length;
}

static void put_text(FILE *to, chorale_text text) {
  const unsigned char *bytes = (const unsigned char *)text.bytes;
  putc('"', to);
  for (size_t i = 0; i < text.length;) {
    const size_t length = character_length(bytes + i, text.length - i);
    if (length == 0) {
      fputs("\xef\xbf\xbd", to);
      ++i;
    } else if (bytes[i] < 0x20 || bytes[i] == 0x7f || bytes[i] == '<') {
      fprintf(to, "\\u%04x", bytes[i++]);
    } else {
      if (bytes[i] == '"' || bytes[i] == '\\')
        putc('\\', to);
      fwrite(bytes + i, 1, length, to);
      i += length;
    }
  }
  putc('"', to);
}

static void put_number(FILE *to, double number) {
  if (isfinite(number))
    fprintf(to, "%.17g", number);
  else
    fputs("null", to);
}

void put_json(FILE *to, const char *format, ...) {
  va_list values;
  va_start(values, format);
  for (; *format != '\0'; ++format) {
    if (*format != '%') {
      putc(*format, to);
      continue;
    }
    switch (*++format) {
    case 't':
      put_text(to, va_arg(values, chorale_text));
      break;
    case 'i':
      fprintf(to, "%" PRId64, va_arg(values, int64_t));
      break;
    case 'r':
      put_number(to, va_arg(values, double));
      break;
    case 'b':
      fputs(va_arg(values, int) ? "true" : "false", to);
      break;
    case ',':
      fputs(va_arg(values, int) ? "," : "", to);
    }
  }
  va_end(values);
}
