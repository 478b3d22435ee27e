//! Differential flame graphs: what the second profile does more and less than the first.
//!
//! Source: Gregg, "Differential Flame Graphs" (2014): as wide as the second, coloured by the change.
//! Limits: what only the first did has no width; its share is told below the title. A frame's colour is the change
//! of its own samples, without those of what it calls.

use std::collections::BTreeMap;
use std::io;

use crate::folded::{Folded, line, total};
use crate::picture;

/// Draws the change from one profile to the other, as if both had the second's number of samples.
pub fn draw(baseline: &Folded, treatment: &Folded, title: &str) -> io::Result<Vec<u8>> {
    let mut options = picture::options(title, subtitle(baseline, treatment));
    picture::svg(&mut options, lines(baseline, treatment))
}

fn subtitle(baseline: &Folded, treatment: &Folded) -> String {
    let gone: u64 =
        baseline.iter().filter(|(stack, _)| !treatment.contains_key(*stack)).map(|(_, count)| count).sum();
    let share = 100.0 * gone as f64 / total(baseline) as f64;
    format!(
        "Width: share in the second. Red: more than in the first, blue: less. Only in the first: {share:.1} % of it."
    )
}

/// Stacks with both counts, the first's brought to the second's total.
///
/// The library can scale what it shows, but not the changes in it (`factor`), and cuts where it brings to equal totals.
fn lines(baseline: &Folded, treatment: &Folded) -> Vec<String> {
    let mut both: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let ratio = total(treatment) as f64 / total(baseline) as f64;
    for (stack, count) in baseline {
        both.entry(line(stack)).or_default().0 += (*count as f64 * ratio).round() as u64;
    }
    for (stack, count) in treatment {
        both.entry(line(stack)).or_default().1 += count;
    }
    both.into_iter().map(|(stack, (before, after))| format!("{stack} {before} {after}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folded::parse;

    #[test]
    fn profiles_of_unequal_length_are_brought_to_equal_totals() {
        let (one, other) = (parse("a;b 1\na;c 3\n").expect("one"), parse("a;b 30\na;d 10\n").expect("other"));
        assert_eq!(lines(&one, &other), ["a;b 10 30", "a;c 30 0", "a;d 0 10"]);
        assert!(subtitle(&one, &other).ends_with("Only in the first: 75.0 % of it."));
    }

    #[test]
    fn the_same_profile_twice_shows_no_change() {
        let one = parse(include_str!("../tests/dd.folded")).expect("stacks");
        let svg = String::from_utf8(draw(&one, &one, "same").expect("a picture")).expect("text");
        assert!(svg.contains("; 0.00%)"), "{svg}");
        assert!(!svg.contains("%; +"));
    }

    #[test]
    fn more_is_red_and_less_is_blue() {
        let (one, other) = (parse("a;b 5\na;c 5\n").expect("one"), parse("a;b 8\na;c 2\n").expect("other"));
        let svg = String::from_utf8(draw(&one, &other, "change").expect("a picture")).expect("text");
        let fill = |name: &str| {
            let after = svg.split(&format!("<title>{name} (")).nth(1).expect("the frame");
            after.split("fill=\"rgb(").nth(1).and_then(|rest| rest.split(')').next()).expect("a colour").to_owned()
        };
        let (more, less) = (fill("b"), fill("c"));
        assert!(more.starts_with("255,") && less.ends_with(",255"), "{more} {less}");
    }
}
