//! Flame graphs.

use std::io;

use inferno::flamegraph::color::{MultiPalette, Palette};
use inferno::flamegraph::{self, Options, TextTruncateDirection};

use crate::folded::{Folded, line};

/// What is common to all pictures: a colour by a frame's kind, the same at each drawing.
///
/// The palette "java" has a colour for frames with the suffix `_[k]` of its own, and one for names of C++ and Rust.
pub fn options<'a>(title: &str, subtitle: String) -> Options<'a> {
    let mut options = Options::default();
    options.colors = Palette::Multi(MultiPalette::Java);
    options.deterministic = true;
    // Functions of a kind begin alike, but a name cut at its beginning cannot be looked up.
    options.text_truncate_direction = TextTruncateDirection::Right;
    options.title = title.to_owned();
    options.subtitle = Some(subtitle);
    options
}

/// A flame graph.
pub fn draw(folded: &Folded, title: &str) -> io::Result<Vec<u8>> {
    let lines: Vec<String> = folded.iter().map(|(stack, count)| format!("{} {count}", line(stack))).collect();
    let mut options = options(title, "Width: share of the samples. Orange: kernel.".to_owned());
    svg(&mut options, lines)
}

/// Draws lines whose stacks are in order frame by frame.
///
/// The library would sort them as text, where `a;b.c` stands between `a;b` and `a;b;c` and splits the frame `b`. Its
/// flame charts are what it does not sort; they run from right to left.
pub fn svg(options: &mut Options, lines: Vec<String>) -> io::Result<Vec<u8>> {
    options.flame_chart = true;
    let mut drawn = Vec::new();
    flamegraph::from_lines(options, lines.iter().rev().map(String::as_str), &mut drawn)?;
    Ok(drawn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folded::parse;

    const RECORDED: &str = include_str!("../tests/dd.folded");

    fn drawn(text: &str, title: &str) -> String {
        let svg = draw(&parse(text).expect("stacks"), title).expect("a picture");
        String::from_utf8(svg).expect("text")
    }

    #[test]
    fn a_recorded_profile_is_drawn_the_same_each_time() {
        let svg = drawn(RECORDED, "dd");
        assert!(svg.contains("<title>ksys_write ("), "{svg}");
        assert_eq!(svg, drawn(RECORDED, "dd"));
    }

    #[test]
    fn a_frame_is_in_one_piece_whatever_its_neighbours_are_called() {
        let svg = drawn("a;b 1\na;b c;d 1\na;b-x 1\na;b;c 1\n", "pieces");
        assert_eq!(svg.matches("<title>b (2 samples").count(), 1, "{svg}");
    }

    #[test]
    fn names_and_titles_are_escaped() {
        let svg = drawn("a;</title><script>alert(1)</script>&\" 3\n", "<b>&");
        assert!(!svg.contains("<script>alert") && !svg.contains("<b>&"), "{svg}");
    }

    #[test]
    fn a_picture_asks_for_nothing_from_elsewhere() {
        let svg = drawn(RECORDED, "dd");
        for outside in ["href=\"http", "src=", "url(http", "@import"] {
            assert!(!svg.contains(outside), "{outside}");
        }
    }
}
