//! The tables that every step reads in its initialization: geometry, optics, light map, and as much more as asked for.

use std::path::{Path, PathBuf};

use crate::detector::{Detector, Pmt, Shape};
use crate::error::{Error, Result};
use crate::files::{Header, Kind, Pattern, Reader, Values, Writer, put};
use crate::hash::{Digest, hash};
use crate::light::{ANGLES, LightMap, RADII};
use crate::optics::{Colour, SHARES, colours};
use crate::random::Random;
use crate::vector::Vector;

const NAME: &str = "tables";
/// Bytes of one page of ballast.
const PAGE: u64 = 1 << 20;
/// Records that make the detector; the rest is ballast.
const PARTS: u64 = 4;
const SEED: u64 = 0x5041_4745;
const WRONG: &str = "not tables of this version of the chain; make them anew with 'chain tables'";
/// Raised when the same shape becomes another detector: what was made before is refused then.
const REVISION: u32 = 1;

/// What the initialization of a step leaves in memory.
pub struct Tables {
    pub detector: Detector,
    pub colours: Vec<Colour>,
    pub light: LightMap,
    /// Of what makes the detector; ballast has no part in it.
    pub digest: u64,
    pub bytes: u64,
    /// Kept as long as the step runs, as a geometry is.
    pub ballast: Vec<Vec<u8>>,
}

pub fn path(directory: &Path) -> PathBuf {
    directory.join(format!("{NAME}.chain"))
}

/// Makes the tables of a detector, with ballast up to about so many bytes; returns their bytes.
pub fn make(directory: &Path, shape: Shape, size: u64) -> Result<u64> {
    let (detector, colours) = (Detector::make(shape), colours());
    let light = LightMap::calibrate(&detector, &colours);
    let parts = [shape_bytes(shape), pmt_bytes(&detector.pmts), colour_bytes(&colours), light_bytes(&light)];
    let ballast = ballast(shape, size);
    let header = Header {
        kind: Kind::Tables,
        seed: 0,
        detector: digest_of(&parts),
        pmts: shape.pmts,
        samples: shape.samples,
        first: 0,
        events: records(shape, size),
    };
    let mut writer = Writer::create(path(directory), header, Pattern::Stream)?;
    parts.iter().try_for_each(|part| writer.event(part))?;
    for page in 0..ballast.div_ceil(PAGE) {
        writer.event(&page_bytes(page, PAGE.min(ballast - page * PAGE)))?;
    }
    writer.end()?;
    Ok(writer.bytes)
}

/// Bytes beyond those that make the detector.
fn ballast(shape: Shape, size: u64) -> u64 {
    let own = 20 + 40 * u64::from(shape.pmts) + (64 * SHARES + 8 * RADII * ANGLES) as u64;
    size.saturating_sub(own)
}

/// Records of tables of so many bytes.
pub fn records(shape: Shape, size: u64) -> u64 {
    PARTS + ballast(shape, size).div_ceil(PAGE)
}

/// Reads the tables and checks every byte of them.
pub fn load(directory: &Path) -> Result<Tables> {
    let mut reader = Reader::open(directory, NAME, Kind::Tables)?;
    let header = reader.header;
    let mut parts = Vec::new();
    while let Some((_, content)) = reader.event()? {
        parts.push(content);
    }
    let wrong = || Error::content(&path(directory), WRONG);
    if (parts.len() as u64) < PARTS || digest_of(&parts[..PARTS as usize]) != header.detector {
        return Err(wrong());
    }
    let ballast = parts.split_off(PARTS as usize);
    let shape = read_shape(&parts[0]).filter(sensible).ok_or_else(wrong)?;
    let pmts = read_pmts(&parts[1]).filter(|pmts| pmts.len() == shape.pmts as usize).ok_or_else(wrong)?;
    let colours = read_colours(&parts[2]).ok_or_else(wrong)?;
    let light = read_light(&parts[3]).ok_or_else(wrong)?;
    let detector = Detector::of(shape, pmts);
    Ok(Tables { detector, colours, light, digest: header.detector, bytes: reader.bytes, ballast })
}

fn sensible(shape: &Shape) -> bool {
    Shape::PMTS.contains(&shape.pmts) && Shape::SAMPLES.contains(&shape.samples) && shape.photons_per_mev > 0.0
}

fn digest_of(parts: &[Vec<u8>]) -> u64 {
    let mut digest = Digest::default();
    parts.iter().for_each(|part| digest.add(hash(part, 0)));
    digest.0
}

/// Numbers that a file system cannot compress away.
fn page_bytes(page: u64, bytes: u64) -> Vec<u8> {
    let mut random = Random::of(SEED, 0, page);
    let mut content: Vec<u8> = (0..bytes.div_ceil(8)).flat_map(|_| random.bits().to_le_bytes()).collect();
    content.truncate(bytes as usize);
    content
}

fn shape_bytes(shape: Shape) -> Vec<u8> {
    let mut bytes = Vec::new();
    put::u32(&mut bytes, shape.pmts);
    put::u32(&mut bytes, shape.samples);
    put::f64(&mut bytes, shape.photons_per_mev);
    put::u32(&mut bytes, REVISION);
    bytes
}

fn read_shape(bytes: &[u8]) -> Option<Shape> {
    let mut values = Values::new(bytes);
    let shape = Shape { pmts: values.u32()?, samples: values.u32()?, photons_per_mev: values.f64()? };
    (values.u32()? == REVISION).then_some(shape)
}

fn pmt_bytes(pmts: &[Pmt]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for pmt in pmts {
        let d = pmt.direction;
        [d.x, d.y, d.z, pmt.efficiency, pmt.gain].into_iter().for_each(|value| put::f64(&mut bytes, value));
    }
    bytes
}

fn read_pmts(bytes: &[u8]) -> Option<Vec<Pmt>> {
    let rows = rows::<5>(bytes)?;
    let pmt = |[x, y, z, efficiency, gain]: [f64; 5]| Pmt { direction: Vector::new(x, y, z), efficiency, gain };
    Some(rows.into_iter().map(pmt).collect())
}

fn colour_bytes(colours: &[Colour]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for c in colours {
        let (index, delay) = ((c.index_scintillator, c.index_water), (c.delay_scintillator, c.delay_water));
        [c.nm, c.absorption, c.rayleigh, index.0, index.1, delay.0, delay.1, c.efficiency]
            .into_iter()
            .for_each(|value| put::f64(&mut bytes, value));
    }
    bytes
}

fn read_colours(bytes: &[u8]) -> Option<Vec<Colour>> {
    let colour = |row: [f64; 8]| Colour {
        nm: row[0],
        absorption: row[1],
        rayleigh: row[2],
        index_scintillator: row[3],
        index_water: row[4],
        delay_scintillator: row[5],
        delay_water: row[6],
        efficiency: row[7],
    };
    let colours: Vec<Colour> = rows(bytes)?.into_iter().map(colour).collect();
    (colours.len() == SHARES).then_some(colours)
}

fn light_bytes(light: &LightMap) -> Vec<u8> {
    light.nodes.iter().flat_map(|node| node.to_le_bytes()).collect()
}

fn read_light(bytes: &[u8]) -> Option<LightMap> {
    let nodes: Vec<f64> = rows(bytes)?.into_iter().map(|[node]| node).collect();
    (nodes.len() == RADII * ANGLES).then_some(LightMap { nodes })
}

/// Rows of finite numbers.
fn rows<const N: usize>(bytes: &[u8]) -> Option<Vec<[f64; N]>> {
    if bytes.len() % (8 * N) != 0 {
        return None;
    }
    let mut values = Values::new(bytes);
    let mut row = || {
        let mut row = [0.0; N];
        for value in &mut row {
            *value = values.f64().filter(|value| value.is_finite())?;
        }
        Some(row)
    };
    (0..bytes.len() / (8 * N)).map(|_| row()).collect()
}

/// The header of the tables, which says what detector they are of.
pub fn header(directory: &Path) -> Result<Header> {
    Reader::open(directory, NAME, Kind::Tables).map(|reader| reader.header)
}

/// What detector the tables are of.
pub fn shape(directory: &Path) -> Result<Shape> {
    let first = Reader::open(directory, NAME, Kind::Tables)?.event()?;
    let shape = first.and_then(|(_, content)| read_shape(&content)).filter(sensible);
    shape.ok_or_else(|| Error::content(&path(directory), WRONG))
}
