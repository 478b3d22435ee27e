//! Work that is built in, for machines where nothing is installed.

pub mod flops;
pub mod stream;
