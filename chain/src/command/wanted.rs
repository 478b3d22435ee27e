//! What a user wants the tables to be.

use std::path::Path;

use crate::args::Args;
use crate::detector::Shape;
use crate::error::{Error, Result, cannot};
use crate::tables;

/// Of tables where nobody says how large.
const TABLES_BYTES: u64 = 4 << 20;
const MOST_TABLES_BYTES: u64 = 1 << 40;
/// What the tables are to be; `None` for what nobody said.
pub struct Wanted {
    size: Option<u64>,
    pmts: Option<u32>,
    samples: Option<u32>,
    photons_per_mev: Option<f64>,
}

impl Wanted {
    pub fn take(args: &mut Args) -> Result<Self> {
        let size = args.size("--tables")?;
        if size.is_some_and(|size| size > MOST_TABLES_BYTES) {
            return Err(Error::usage("--tables: expected at most 1 TiB"));
        }
        Ok(Self {
            size,
            pmts: args.number("--pmts", "12 to 20000", |n| Shape::PMTS.contains(n))?,
            samples: args.number("--samples", "128 to 4096", |n| Shape::SAMPLES.contains(n))?,
            photons_per_mev: args.number("--photons-per-mev", "1 to 100000", |y| (1.0..=1e5).contains(y))?,
        })
    }

    pub fn shape(&self) -> Shape {
        let usual = Shape::default();
        Shape {
            pmts: self.pmts.unwrap_or(usual.pmts),
            samples: self.samples.unwrap_or(usual.samples),
            photons_per_mev: self.photons_per_mev.unwrap_or(usual.photons_per_mev),
        }
    }

    /// Makes them; their bytes.
    pub fn make(&self, directory: &Path) -> Result<u64> {
        if !directory.is_dir() {
            return Err(Error::missing(format!("cannot make tables in {}: no such directory", directory.display())));
        }
        tables::make(directory, self.shape(), self.size.unwrap_or(TABLES_BYTES))
    }

    /// Holds tables that are there to what was said; a difference is never passed over.
    pub fn check(&self, directory: &Path) -> Result<()> {
        let path = tables::path(directory);
        let header = tables::header(directory)?;
        let bytes = path.metadata().map_err(cannot("look at", &path))?.len();
        let shape = tables::shape(directory)?;
        let other = self.size.is_some_and(|size| tables::records(shape, size) != header.events)
            || self.pmts.is_some_and(|pmts| pmts != shape.pmts)
            || self.samples.is_some_and(|samples| samples != shape.samples)
            || self.photons_per_mev.is_some_and(|photons| photons != shape.photons_per_mev);
        if other {
            let what = format!(
                "{} PMTs, {} samples, {} photons per MeV, {bytes} bytes",
                shape.pmts, shape.samples, shape.photons_per_mev
            );
            return Err(Error::usage(format!(
                "{} has other tables than asked for ({what}); make them anew with 'chain tables'",
                path.display()
            )));
        }
        Ok(())
    }
}
