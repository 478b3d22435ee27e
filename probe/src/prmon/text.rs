//! `prmon.txt`: a header, then a row of whole numbers each sample, parted by tabs.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write};

use super::columns::Column;
use super::sample::Sample;

/// The open file; a full disk loses rows, never the job.
#[derive(Debug)]
pub struct Text {
    file: File,
    columns: Vec<&'static Column>,
    row: String,
}

/// The first line.
pub fn header(columns: &[&'static Column]) -> String {
    let names = columns.iter().map(|column| column.name);
    ["Time"].into_iter().chain(names).collect::<Vec<_>>().join("\t") + "\n"
}

impl Text {
    pub fn new(mut file: File, columns: Vec<&'static Column>) -> io::Result<Self> {
        file.write_all(header(&columns).as_bytes())?;
        Ok(Self { file, columns, row: String::new() })
    }

    /// Writes a row: what is not known is 0, as every cell has to be a number.
    pub fn row(&mut self, sample: &Sample) {
        self.row.clear();
        let _ = write!(self.row, "{}", sample.real_ns / 1_000_000_000);
        for column in &self.columns {
            let _ = write!(self.row, "\t{}", (column.pick)(sample).unwrap_or(0));
        }
        self.row.push('\n');
        let _ = self.file.write_all(self.row.as_bytes());
    }
}
