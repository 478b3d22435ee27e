//! Two functions of glibc that bring more into a static program than they are worth to the probe: 0.13 MB of 2.12.

use std::ffi::{c_char, c_int, c_void};

/// In place of glibc's: where the stack of a thread lies. Rust's standard library asks, to tell an overflow of the stack
/// from another fault in the line before the program ends, and takes no for an answer. glibc reads `/proc/self/maps` for
/// it with `sscanf`, and so with readers of floating-point numbers of every size.
#[unsafe(no_mangle)]
extern "C" fn pthread_getattr_np(_thread: libc::pthread_t, _attributes: *mut c_void) -> c_int {
    libc::ENOSYS
}

/// In place of glibc's: a message of glibc in the language of the user. The probe never sets a locale, so that it stays
/// as it is, without catalogues of messages.
#[unsafe(no_mangle)]
extern "C" fn __dcgettext(_domain: *const c_char, message: *const c_char, _category: c_int) -> *const c_char {
    message
}
