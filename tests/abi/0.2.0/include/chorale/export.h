/* Linkage of public declarations. */
#ifndef CHORALE_EXPORT_H
#define CHORALE_EXPORT_H

#include <stddef.h>
#include <stdint.h>

#if defined(CHORALE_STATIC)
#define CHORALE_API
#elif defined(_WIN32)
#if defined(CHORALE_BUILDING)
#define CHORALE_API __declspec(dllexport)
#else
#define CHORALE_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define CHORALE_API __attribute__((visibility("default")))
#else
#define CHORALE_API
#endif

#if defined(__cplusplus)
#define CHORALE_BEGIN_DECLS extern "C" {
#define CHORALE_END_DECLS }
#else
#define CHORALE_BEGIN_DECLS
#define CHORALE_END_DECLS
#endif

#endif
