//! Rows of a series as text, in one buffer that is used again and again.

use std::fmt::{Display, Write};

use crate::clock::Moment;

/// Rows that are not written yet.
#[derive(Debug, Default)]
pub struct Rows {
    text: String,
}

/// A row that is being filled; it ends when it is dropped.
pub struct Row<'a>(&'a mut String);

impl Rows {
    /// Begins a row of this moment.
    pub fn row(&mut self, at: Moment) -> Row<'_> {
        let _ = write!(self.text, "{},{}", at.mono_ns, at.real_ns);
        Row(&mut self.text)
    }

    /// Takes what there is out.
    pub fn take(&mut self, sink: impl FnOnce(&[u8])) {
        if !self.text.is_empty() {
            sink(self.text.as_bytes());
            self.text.clear();
        }
    }
}

impl Row<'_> {
    /// One figure; what is not known is an empty cell, never 0.
    pub fn cell(self, value: Option<impl Display>) -> Self {
        self.0.push(',');
        if let Some(value) = value {
            let _ = write!(self.0, "{value}");
        }
        self
    }

    /// A name from the machine; commas, quotes and line ends cannot get in.
    pub fn name(self, name: &str) -> Self {
        self.0.push(',');
        self.0.extend(name.chars().map(|c| if c.is_control() || matches!(c, ',' | '"') { '_' } else { c }));
        self
    }
}

impl Drop for Row<'_> {
    fn drop(&mut self) {
        self.0.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_figure_is_an_empty_cell_and_a_name_cannot_break_its_row() {
        let mut rows = Rows::default();
        rows.row(Moment { mono_ns: 1, real_ns: 2 }).name("sd,a\n").cell(None::<u64>).cell(Some(0.5));
        let mut text = String::new();
        rows.take(|bytes| text = String::from_utf8_lossy(bytes).into_owned());
        assert_eq!(text, "1,2,sd_a_,,0.5\n");
    }
}
