// Tells ThreadSanitizer what a contended Mutex of Swift orders. Preloaded by Tests/tsan.sh.
//
// Where nobody else has the lock, taking it is inlined into our code, and the sanitizer sees that. Otherwise it is a call
// into a library that was built without it: every access under such a lock would be reported as a race.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define HANDLE __attribute__((swift_context)) void *handle

// Synchronization._MutexHandle._lockSlow(UInt32), ._tryLockSlow() -> Bool, ._unlockSlow()
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void (*lock_function)(uint32_t thread, HANDLE);
typedef SWIFT bool (*try_lock_function)(HANDLE);
typedef SWIFT void (*unlock_function)(HANDLE);

SWIFT void lock(uint32_t thread, HANDLE) __asm__(LOCK);
SWIFT bool try_lock(HANDLE) __asm__(TRY_LOCK);
SWIFT void unlock(HANDLE) __asm__(UNLOCK);

SWIFT void lock(uint32_t thread, HANDLE) {
  ((lock_function)dlsym(RTLD_NEXT, LOCK))(thread, handle);
  if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT bool try_lock(HANDLE) {
  if (!((try_lock_function)dlsym(RTLD_NEXT, TRY_LOCK))(handle)) return false;
  if (__tsan_acquire) __tsan_acquire(handle);
  return true;
}

SWIFT void unlock(HANDLE) {
  if (__tsan_release) __tsan_release(handle);
  ((unlock_function)dlsym(RTLD_NEXT, UNLOCK))(handle);
}
