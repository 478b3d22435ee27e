//! What each step does with an event.

use super::pass::{Outcome, Pass};
use crate::detsim::simulate;
use crate::elecsim::digitise;
use crate::engine::Input;
use crate::error::{Error, Result};
use crate::evtrec::fit;
use crate::fastsim;
use crate::model::{Event, Hits, Particle, Pulses, Waveforms};
use crate::names::Step;
use crate::phygen::generate;
use crate::pmtrec::{Deconvolution, reconstruct};
use crate::random::Random;
use crate::summary::{Charges, Fits, Generated, Light, Samples, Selection, Summary};
use crate::tables::Tables;
use crate::teller::Teller;

/// Does a step's events.
pub fn perform(pass: Pass, teller: &mut Teller) -> Result<Outcome> {
    let (tables, step, seed, source) = (pass.tables, pass.step, pass.seed, pass.job.source);
    let random = |number| Random::of(seed, step as u64, number);
    let detector = &tables.detector;
    match step {
        Step::Generate => pass.events(teller, Generated::default(), |(number, _)| {
            let particle = generate(source, detector, &mut random(number));
            Ok((particle.bytes(), particle))
        }),
        Step::Detector => pass.events(teller, Light::default(), |(number, content)| {
            let particle = parsed(number, Particle::parse(&content))?;
            let hits = simulate(tables, &particle, &mut random(number));
            Ok((hits.bytes(), Light::part(tables, &hits)))
        }),
        Step::Electronics => pass.events(teller, Samples::default(), |(number, content)| {
            let hits = parsed(number, Hits::parse(&content).filter(|hits| hits.fit(detector)))?;
            let event = digitise(tables, &hits, &mut random(number));
            Ok((event.bytes(), Samples::part(&event)))
        }),
        Step::Pulses => {
            let deconvolution = Deconvolution::new(detector.shape.samples as usize);
            pass.events(teller, Charges::default(), |input| {
                let pulses = pulses(tables, &deconvolution, input)?;
                Ok((pulses.bytes(), Charges::part(&pulses)))
            })
        }
        Step::Events => pass.events(teller, Fits::new(detector), |(number, content)| {
            let pulses = parsed(number, Pulses::parse(&content).filter(|pulses| pulses.fit(detector)))?;
            Ok(fitted(tables, pulses))
        }),
        Step::Reconstruction => {
            let deconvolution = Deconvolution::new(detector.shape.samples as usize);
            pass.events(teller, Fits::new(detector), |input| {
                Ok(fitted(tables, pulses(tables, &deconvolution, input)?))
            })
        }
        Step::Fast => pass.events(teller, Fits::new(detector), |(number, _)| {
            let mut random = random(number);
            let particle = generate(source, detector, &mut random);
            let event = fastsim::simulate(tables, &particle, &mut random);
            Ok((event.bytes(), (event.fit, event.pulses.truth)))
        }),
        Step::Analysis => pass.events(teller, Selection::new(detector), |(number, content)| {
            let event = parsed(number, Event::parse(&content))?;
            let seen = Selection::part(&event);
            Ok((selected_bytes(&event, seen.3), seen))
        }),
    }
}

fn pulses(tables: &Tables, deconvolution: &Deconvolution, (number, content): Input) -> Result<Pulses> {
    let event = Waveforms::parse(&content).filter(|event| event.fit(&tables.detector));
    Ok(reconstruct(tables, deconvolution, &parsed(number, event)?))
}

fn fitted(tables: &Tables, pulses: Pulses) -> (Vec<u8>, <Fits as Summary>::Part) {
    let event = Event { fit: fit(tables, &pulses), pulses };
    (event.bytes(), (event.fit, event.pulses.truth))
}

/// What the digest of an analysis is made of; nothing of it is written.
fn selected_bytes(event: &Event, charge: f64) -> Vec<u8> {
    let place = event.fit.place;
    [event.fit.energy, place.x, place.y, place.z, charge].into_iter().flat_map(f64::to_le_bytes).collect()
}

fn parsed<T>(number: u64, content: Option<T>) -> Result<T> {
    content.ok_or_else(|| Error::failed(format!("cannot read event {number}: its content is not that of this step")))
}
