/* The constant parts of the report: style sheets and scripts, made into arrays by embed.cmake. */
#ifndef CHORALE_COMMAND_ASSETS_H
#define CHORALE_COMMAND_ASSETS_H

#include <stddef.h>

extern const unsigned char asset_report_css[];
extern const size_t asset_report_css_size;
extern const unsigned char asset_report_js[];
extern const size_t asset_report_js_size;
extern const unsigned char asset_bibtex_js[];
extern const size_t asset_bibtex_js_size;
/* Scripts and styles with which a report accepts corrections. */
extern const unsigned char asset_labelling_js[];
extern const size_t asset_labelling_js_size;
extern const unsigned char asset_view_js[];
extern const size_t asset_view_js_size;
extern const unsigned char asset_live_js[];
extern const size_t asset_live_js_size;
extern const unsigned char asset_live_css[];
extern const size_t asset_live_css_size;

#endif
