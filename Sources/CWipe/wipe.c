// Passwords and tokens pass through buffers that are not ours: libcurl's, OpenSSL's, GLib's, the JSON decoder's, Swift's
// own strings and arrays. All of them end in free(). So the one place where nothing is forgotten is here: the programs
// that link this target overwrite every block of the heap at the moment it is released. glibc lets a program bring its
// own free(), and the originals are reached under their __libc_ names.
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <string.h>

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define KEYRACK_NO_WIPE 1
#endif
#endif
#else
#define KEYRACK_NO_WIPE 1
#endif

// The sanitizers bring their own allocator.
#ifndef KEYRACK_NO_WIPE
extern void *__libc_malloc(size_t size);
extern void __libc_free(void *block);

void free(void *block) {
    if (!block) return;
    int saved = errno;  // since glibc 2.33 free() keeps it
    explicit_bzero(block, malloc_usable_size(block));
    __libc_free(block);
    errno = saved;
}

void *realloc(void *block, size_t size) {
    if (!block) return __libc_malloc(size);
    size_t usable = malloc_usable_size(block);
    if (size == 0) {
        free(block);
        return NULL;
    }
    if (size <= usable && size >= usable / 2) return block;
    void *moved = __libc_malloc(size);
    if (!moved) return NULL;
    memcpy(moved, block, usable < size ? usable : size);
    free(block);
    return moved;
}
#endif
