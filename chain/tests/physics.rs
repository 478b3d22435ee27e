//! The physics of the chain: light yield, linearity of charges, energies and places, at known energies.

mod room;

use room::Room;
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("expected a number, got {value}"))
}

/// Runs the chain at one kinetic energy of electrons.
fn electrons(energy: &str, events: u32) -> Value {
    let room = Room::new(&format!("electrons-{energy}"));
    room.chain(&format!("run --events {events} --particle electron --energy {energy} --seed 11"))
}

#[test]
fn energies_and_places_are_found_as_well_as_the_light_allows() {
    for (energy, events) in [("1", 80), ("4", 40), ("8", 30)] {
        let told = electrons(energy, events);
        let (mev, count): (f64, f64) = (energy.parse().expect("a number"), f64::from(events));
        let light = number(&told["physics"]["detsim"]["hits_per_mev"]["mean"]);
        let fits = &told["physics"]["evtrec"];
        let (bias, sigma) = (number(&fits["energy_error"]["mean"]), number(&fits["energy_error"]["sigma"]));
        // Photoelectrons are counted, each with a charge of 30 % spread; 1 % for the light map.
        let expected = (1.09 / (light * mev) + 1e-4).sqrt();
        assert!(bias.abs() < 0.01 + 3.0 * expected / count.sqrt(), "{energy} MeV: bias {bias}");
        assert!((0.6 * expected..1.5 * expected).contains(&sigma), "{energy} MeV: {sigma}, expected {expected}");
        let vertex = number(&fits["vertex_m"]["median_distance"]);
        assert!(vertex < 0.12 / mev.sqrt() + 0.02, "{energy} MeV: {vertex} m");
        for axis in ["x", "y", "z"] {
            let axis = &fits["vertex_m"][axis];
            let error = number(&axis["sigma"]) / count.sqrt();
            assert!(number(&axis["mean"]).abs() < 4.0 * error, "{energy} MeV: {axis}");
        }
    }
}

#[test]
fn light_grows_with_energy_and_charges_with_light() {
    let (low, high) = (electrons("2", 20), electrons("10", 10));
    let yields = [&low, &high].map(|told| number(&told["physics"]["detsim"]["hits_per_mev"]["mean"]));
    // JUNO expects 1345 photoelectrons per MeV at the centre; light from the edge is seen better here.
    assert!(yields.iter().all(|light| (1300.0..1800.0).contains(light)), "{yields:?}");
    for told in [low, high] {
        let photons = number(&told["physics"]["detsim"]["photons"]) / number(&told["events"]);
        let mev = number(&told["physics"]["phygen"]["energy_mev"]["mean"]);
        assert!((photons / mev / 10_000.0 - 1.0).abs() < 0.01, "{photons}");
        let ratio = number(&told["physics"]["pmtrec"]["charge_ratio"]["mean"]);
        assert!((ratio - 1.0).abs() < 0.005, "{ratio}");
        for row in told["physics"]["pmtrec"]["linearity"].as_array().expect("rows") {
            let error = number(&row["mean"]) - 1.0;
            let many = number(&row["count"]) >= 50.0 && number(&row["true_charge"]) > 0.5;
            assert!(!many || error.abs() < 0.02, "{row}");
        }
    }
}

#[test]
fn the_analysis_sees_the_fits_again_and_a_parametrised_sample_looks_alike() {
    let room = Room::new("analysis");
    let run = room.chain("run --events 20");
    let analysis = room.chain("analysis");
    assert_eq!(analysis["physics"]["all"], run["physics"]["evtrec"]);
    assert_eq!(analysis["bytes"]["written"], 0);
    let fast = room.chain("fastsim --events 400 --seed 3");
    assert_eq!(room.chain("analysis")["physics"]["all"], fast["physics"]);
    let sigma = number(&fast["physics"]["energy_error"]["sigma"]);
    assert!((0.008..0.03).contains(&sigma), "{sigma}");
}
