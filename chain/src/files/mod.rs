//! The files between the steps (`docs/chain.md`): a header, a record for each event, a trailer, all with checksums.

mod frame;
mod reader;
mod values;
mod writer;

pub use frame::{Header, Kind, VERSION};
pub use reader::Reader;
pub use values::{Values, put};
pub use writer::{Pattern, Writer};
