//! Folded stacks: `outermost;…;innermost count`, one a line.

use std::collections::BTreeMap;

use crate::names::readable;

/// How often each stack was seen; a stack is its frames, the outermost first.
pub type Folded = BTreeMap<Vec<String>, u64>;

/// Reads stacks with names as people wrote them; the number of the first wrong line where there is one.
pub fn parse(text: &str) -> Result<Folded, usize> {
    let mut folded = Folded::new();
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    for (number, line) in lines {
        let (stack, count) = entry(line).ok_or(number + 1)?;
        *folded.entry(stack).or_insert(0) += count;
    }
    folded.retain(|_, count| *count > 0);
    Ok(folded)
}

fn entry(line: &str) -> Option<(Vec<String>, u64)> {
    let (stack, count) = line.trim_end().rsplit_once(' ')?;
    Some((stack.split(';').map(readable).collect(), count.parse().ok()?))
}

/// All samples.
pub fn total(folded: &Folded) -> u64 {
    folded.values().sum()
}

/// A stack as one line's beginning, which the library takes apart again: a last frame such as `thread 7` must not
/// look like a count.
pub fn line(stack: &[String]) -> String {
    let text = stack.join(";");
    match text.rsplit_once(' ') {
        Some((rest, word)) if word.parse::<f64>().is_ok() => format!("{rest}_{word}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_hold_blanks_and_equal_stacks_add_up() {
        let folded = parse("my job;main 2\nmy job;main 3\n\nmy job;_ZN3foo3barEv 1\n").expect("stacks");
        let stack = |name: &str| vec!["my job".to_owned(), name.to_owned()];
        assert_eq!(folded.get(&stack("main")), Some(&5));
        assert_eq!(folded.get(&stack("foo::bar()")), Some(&1));
        assert_eq!(total(&folded), 6);
    }

    #[test]
    fn a_line_without_a_count_is_named() {
        assert_eq!(parse("a;b 1\na;b\n"), Err(2));
        assert_eq!(parse("a;b -1\n"), Err(1));
    }

    #[test]
    fn a_number_at_a_names_end_is_no_count() {
        assert_eq!(line(&["job".into(), "thread 7".into()]), "job;thread_7");
        assert_eq!(line(&["job".into(), "operator new".into()]), "job;operator new");
    }
}
