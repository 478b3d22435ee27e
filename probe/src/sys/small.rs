//! A function of glibc that brings more into a static program than it is worth to the probe.

use std::ffi::{c_char, c_int};

/// In place of glibc's: a message of glibc in the language of the user. The probe never sets a locale, so that it stays
/// as it is, without catalogues of messages.
#[unsafe(no_mangle)]
extern "C" fn __dcgettext(_domain: *const c_char, message: *const c_char, _category: c_int) -> *const c_char {
    message
}
