//! Differential flame graphs: what the second profile does more and less than the first.
//!
//! Source: Gregg, "Differential Flame Graphs" (2014): as wide as the second, coloured by the change. Different from
//! there, a frame's change is that of all its samples, not only of those where nothing stands on it: a function that
//! costs more through what it calls would have no colour else.
//! Limits: what only the first did has no width; its share is told below the title.

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

/// Samples of a frame on its callers: in both profiles with what stands on it, in the second also without.
#[derive(Clone, Copy, Default)]
struct Frame {
    before: f64,
    after: u64,
    own: u64,
}

/// One line for each frame that the second profile has, callers before what they call.
///
/// The library gives a frame the change of the line that ends in it, and the width of the line's second number: the
/// first number is chosen so that the change comes out. It may be below 0, which is written as the library will
/// subtract it: modulo 2^64.
fn lines(baseline: &Folded, treatment: &Folded) -> Vec<String> {
    let frames = frames(baseline, treatment);
    let seen = frames.into_iter().filter(|(_, frame)| frame.after > 0);
    seen.map(|(stack, frame)| {
        let change = frame.after as i64 - frame.before.round() as i64;
        let before = frame.own.wrapping_sub(change as u64);
        format!("{} {before} {}", line(stack), frame.own)
    })
    .collect()
}

fn frames<'a>(baseline: &'a Folded, treatment: &'a Folded) -> BTreeMap<&'a [String], Frame> {
    let mut frames: BTreeMap<&[String], Frame> = BTreeMap::new();
    let ratio = total(treatment) as f64 / total(baseline) as f64;
    for (stack, count) in baseline {
        for end in 1..=stack.len() {
            frames.entry(&stack[..end]).or_default().before += *count as f64 * ratio;
        }
    }
    for (stack, count) in treatment {
        for end in 1..=stack.len() {
            frames.entry(&stack[..end]).or_default().after += count;
        }
        frames.entry(stack).or_default().own += count;
    }
    frames
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folded::parse;

    #[test]
    fn profiles_of_unequal_length_are_brought_to_equal_totals() {
        let (one, other) = (parse("a;b 1\na;c 3\n").expect("one"), parse("a;b 30\na;d 10\n").expect("other"));
        assert_eq!(lines(&one, &other), ["a 0 0", "a;b 10 30", "a;d 0 10"]);
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
    fn a_caller_changes_by_all_that_it_calls() {
        let one = parse("a;b;c 1\na;b.cold;c 1\na;x 8\n").expect("one");
        let other = parse("a;b;c 3\na;b;d 3\na;b e;c 1\na;x 3\n").expect("other");
        let svg = String::from_utf8(draw(&one, &other, "change").expect("a picture")).expect("text");
        for title in
            ["b (6 samples, 60.00%; +40.00%)", "d (3 samples, 30.00%; +30.00%)", "x (3 samples, 30.00%; -50.00%)"]
        {
            assert_eq!(svg.matches(&format!("<title>{title}")).count(), 1, "{title}");
        }
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
