//! A small chain of simulation and reconstruction for a liquid-scintillator detector (`docs/chain.md`).
//!
//! Its physics result is the same on every machine and for every number of threads: all functions beyond the four
//! operations and the square root are `libm`'s in Rust, never the system's, and sums keep to the order of events.

pub mod args;
pub mod command;
pub mod detector;
pub mod detsim;
pub mod elecsim;
pub mod engine;
pub mod error;
pub mod evtrec;
pub mod fastsim;
pub mod fft;
pub mod files;
mod gate;
pub mod hash;
pub mod job;
pub mod lhe;
pub mod light;
pub mod model;
pub mod names;
pub mod optics;
pub mod photon;
pub mod phygen;
pub mod pmtrec;
pub mod powheg;
pub mod random;
pub mod simplex;
pub mod statistics;
pub mod summary;
mod sys;
pub mod tables;
pub mod teller;
pub mod vector;
