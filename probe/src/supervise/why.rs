//! What ended a job before it ended by itself.

/// Why a job was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    TimeLimit,
    Request,
    /// It wrote more to a stream than that may hold.
    Output,
    /// The disk of the run's folder has less free than is kept.
    Room,
}
