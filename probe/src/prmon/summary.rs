//! The figures of `prmon.json`: the highest and the mean of what goes up and down, totals and rates of what grows.

use serde_json::{Map, Value, json};

use super::columns::{COLUMNS, Column, Kind, STANDARD, TOTALS};
use super::sample::Sample;

/// Columns that are written, with what came of them so far.
#[derive(Debug)]
pub struct Summary {
    cells: Vec<Cell>,
    /// Samples that levels were taken from.
    looks: u64,
    pub samples: u64,
    pub last: Sample,
}

#[derive(Debug)]
struct Cell {
    column: &'static Column,
    standard: bool,
    highest: u64,
    sum: f64,
}

impl Summary {
    /// Of the columns whose monitors are not off and that this machine has.
    pub fn new(shown: impl Fn(&Column) -> bool) -> Self {
        let cell = |(at, column): (usize, &'static Column)| {
            let cell = Cell { column, standard: at < STANDARD, highest: 0, sum: 0.0 };
            shown(column).then_some(cell)
        };
        let cells = COLUMNS.iter().enumerate().filter_map(cell).collect();
        Self { cells, looks: 0, samples: 0, last: Sample::default() }
    }

    pub fn columns(&self) -> Vec<&'static Column> {
        self.cells.iter().map(|cell| cell.column).collect()
    }

    /// Takes a sample in; the levels of the last one repeat those before it.
    pub fn take(&mut self, sample: &Sample, with_levels: bool) {
        self.samples += 1;
        self.looks += u64::from(with_levels);
        for cell in self.cells.iter_mut().filter(|cell| with_levels || cell.column.kind == Kind::Total) {
            let value = (cell.column.pick)(sample).unwrap_or(0);
            cell.highest = cell.highest.max(value);
            cell.sum += value as f64;
        }
        self.last = *sample;
    }

    /// The kernel keeps the largest resident set of a process: no sample can have missed that.
    pub fn at_least_rss(&mut self, bytes: u64) {
        for cell in self.cells.iter_mut().filter(|cell| cell.column.name == "rss") {
            cell.highest = cell.highest.max(bytes / 1024);
        }
    }

    /// `Max`: with CPU time in decimal seconds.
    pub fn highest(&self) -> Value {
        self.map(true, |cell| match cell.column.name {
            "utime" => Some(json!(self.last.cpu.user_ns as f64 / 1e9)),
            "stime" => Some(json!(self.last.cpu.system_ns as f64 / 1e9)),
            _ => Some(json!(cell.highest)),
        })
    }

    /// `Avg`: totals by seconds of wall time, means of levels.
    pub fn mean(&self) -> Value {
        self.map(true, |cell| cell.column.mean_unit.map(|_| json!(self.mean_of(cell))))
    }

    fn mean_of(&self, cell: &Cell) -> f64 {
        let (sum, by) = match cell.column.kind {
            Kind::Total => (cell.highest as f64, self.last.wall_ns as f64 / 1e9),
            Kind::Level => (cell.sum, self.looks as f64),
        };
        if by > 0.0 { cut(sum / by) } else { 0.0 }
    }

    /// `Units`.
    pub fn units(&self) -> Value {
        let highest = self.map(true, |cell| Some(json!(cell.column.unit)));
        let mean = self.map(true, |cell| cell.column.mean_unit.map(|unit| json!(unit)));
        json!({"Max": highest, "Avg": mean})
    }

    /// Totals of the columns that prmon has not got.
    pub fn ours(&self) -> Value {
        self.map(false, |cell| TOTALS.contains(&cell.column.name).then(|| json!(cell.highest)))
    }

    fn map(&self, standard: bool, value: impl Fn(&Cell) -> Option<Value>) -> Value {
        let cells = self.cells.iter().filter(|cell| cell.standard == standard);
        let pairs = cells.filter_map(|cell| Some((cell.column.name.to_owned(), value(cell)?)));
        Value::Object(pairs.collect::<Map<String, Value>>())
    }
}

/// Three decimals, none from 1000 on, as prmon cuts them.
fn cut(value: f64) -> f64 {
    if value > 1000.0 { value.floor() } else { (value * 1000.0).floor() / 1000.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu_time::CpuTime;
    use crate::prmon::sample::Memory;

    fn sample(wall_s: u64, rss_kb: u64) -> Sample {
        Sample {
            wall_ns: wall_s * 1_000_000_000,
            cpu: CpuTime { user_ns: 1_500_000_000, system_ns: 250_000_000 },
            memory: Memory { rss_kb: Some(rss_kb), ..Memory::default() },
            minor_faults: 7,
            ..Sample::default()
        }
    }

    #[test]
    fn levels_have_peak_and_mean_and_the_last_row_changes_neither() {
        let mut summary = Summary::new(|column| column.monitor == "memmon");
        summary.take(&sample(0, 100), true);
        summary.take(&sample(1, 301), true);
        summary.take(&sample(2, 900), false);
        assert_eq!((&summary.highest()["rss"], &summary.mean()["rss"]), (&json!(301), &json!(200.5)));
        summary.at_least_rss(400 * 1024);
        assert_eq!(summary.highest()["rss"], 400);
        assert_eq!(summary.ours()["minflt"], 7);
    }

    #[test]
    fn cpu_seconds_are_decimal_and_have_no_mean() {
        let mut summary = Summary::new(|column| column.monitor == "cpumon");
        summary.take(&sample(2, 0), true);
        let expected = json!({"utime": 1.5, "stime": 0.25});
        assert_eq!((summary.highest(), summary.mean()), (expected, json!({})));
    }

    #[test]
    fn means_are_cut_as_prmon_cuts_them() {
        assert_eq!((cut(1.23456), cut(1000.9), cut(0.0)), (1.234, 1000.0, 0.0));
    }
}
