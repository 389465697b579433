/* The constant parts of the report: style sheets, the body, and scripts. embed.cmake makes a C source
 * file of them, with an array of bytes for each file. */
#ifndef CHORALE_COMMAND_ASSETS_H
#define CHORALE_COMMAND_ASSETS_H

#include <stddef.h>

typedef struct asset {
  const unsigned char *bytes;
  size_t size;
} asset;

extern const asset asset_report_css, asset_report_html, asset_labelling_js, asset_view_js,
    asset_report_js;
/* Only in reports that accept corrections. */
extern const asset asset_live_css, asset_live_js;

#endif
