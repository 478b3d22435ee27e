//! Memory for direct access (O_DIRECT), which wants its place and its length in whole pages.

/// The alignment that direct access asks for at most.
pub const PAGE: usize = 4096;

/// Room for one record, where direct access wants it.
pub struct Record {
    room: Vec<u8>,
    start: usize,
}

impl Record {
    pub fn new(bytes: usize) -> Self {
        let room = vec![0; bytes + PAGE];
        let start = room.as_ptr().align_offset(PAGE);
        Self { start, room }
    }

    pub fn bytes(&mut self) -> &mut [u8] {
        let end = self.start + self.room.len() - PAGE;
        &mut self.room[self.start..end]
    }
}
