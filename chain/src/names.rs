//! The steps and what they are called, in the words of either kind of experiment.

use crate::error::{Error, Result};
use assay_nearest::nearest;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Generate,
    Detector,
    Electronics,
    Pulses,
    /// From pulses to events.
    Events,
    /// From waveforms to events.
    Reconstruction,
    Analysis,
    /// Events from a parametrisation, in place of all before the analysis.
    Fast,
}

/// How the steps are called, and how they write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As the software of a neutrino experiment: one file a step, written in large pieces.
    Neutrino,
    /// As that of a collider experiment: many small files, appended to in small pieces.
    Collider,
}

impl Style {
    pub const NAMES: [&'static str; 2] = ["phygen-to-evtrec", "gen-sim-digi-reco"];

    /// The steps in their order.
    pub fn steps(self) -> &'static [Step] {
        use Step::{Analysis, Detector, Electronics, Events, Generate, Pulses, Reconstruction};
        match self {
            Self::Neutrino => &[Generate, Detector, Electronics, Pulses, Events, Analysis],
            Self::Collider => &[Generate, Detector, Electronics, Reconstruction, Analysis],
        }
    }

    pub fn name(self, step: Step) -> &'static str {
        let collider = self == Self::Collider;
        match step {
            Step::Generate => ["phygen", "gen"][usize::from(collider)],
            Step::Detector => ["detsim", "sim"][usize::from(collider)],
            Step::Electronics => ["elecsim", "digi"][usize::from(collider)],
            Step::Pulses => "pmtrec",
            Step::Events => "evtrec",
            Step::Reconstruction => "reco",
            Step::Analysis => "analysis",
            Step::Fast => "fastsim",
        }
    }

    /// What the files of a step are called.
    pub fn output(self, step: Step) -> &'static str {
        match (step, self) {
            (Step::Fast, Self::Neutrino) => self.name(Step::Events),
            (Step::Fast, Self::Collider) => self.name(Step::Reconstruction),
            _ => self.name(step),
        }
    }

    /// The step of a name.
    pub fn step(self, word: &str) -> Option<Step> {
        self.steps().iter().copied().chain([Step::Fast]).find(|step| self.name(*step) == word)
    }

    /// The step whose output a step reads; the first reads nothing.
    pub fn before(self, step: Step) -> Option<Step> {
        let at = self.steps().iter().position(|one| *one == step)?;
        at.checked_sub(1).map(|before| self.steps()[before])
    }

    /// Says that a word is no step, and what it may have meant.
    pub fn unknown<T>(self, word: &str, others: &[&'static str]) -> Result<T> {
        let other = if self == Self::Neutrino { Self::Collider } else { Self::Neutrino };
        if other.step(word).is_some() {
            let style = Self::NAMES[usize::from(other == Self::Collider)];
            return Err(Error::usage(format!("'{word}' is a step with --as {style} alone")));
        }
        let mut known: Vec<&str> = self.steps().iter().map(|step| self.name(*step)).collect();
        known.extend(others);
        let near = nearest(word, &known).unwrap_or_default();
        Err(Error::usage(format!("unknown step '{word}', nearest is '{near}' of {}", known.join(", "))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_reads_what_the_one_before_wrote() {
        assert_eq!(Style::Neutrino.before(Step::Events), Some(Step::Pulses));
        assert_eq!(Style::Collider.before(Step::Reconstruction), Some(Step::Electronics));
        assert_eq!(Style::Collider.before(Step::Generate), None);
    }

    #[test]
    fn a_slip_of_the_keyboard_finds_its_step() {
        let error = |style: Style, word| style.unknown::<()>(word, &["run"]).expect_err("unknown").message;
        assert!(error(Style::Neutrino, "detsin").contains("nearest is 'detsim' of phygen, detsim"));
        assert!(error(Style::Neutrino, "digi").ends_with("'digi' is a step with --as gen-sim-digi-reco alone"));
    }
}
