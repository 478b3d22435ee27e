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

pub fn svg(options: &mut Options, mut lines: Vec<String>) -> io::Result<Vec<u8>> {
    lines.sort_unstable();
    let mut drawn = Vec::new();
    flamegraph::from_lines(options, lines.iter().map(String::as_str), &mut drawn)?;
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
