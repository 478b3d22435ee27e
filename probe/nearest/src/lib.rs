//! The known word that a wrong one was most likely meant to be.

/// Number of letters to insert, delete or change to get from one word to the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let change = corner + usize::from(a != *b);
            corner = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(corner + 1);
        }
    }
    row[other.len()]
}

/// The nearest of the known words.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    known.iter().copied().min_by_key(|name| distance(word, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_keyboard_finds_its_word() {
        assert_eq!(nearest("comand", &["directory", "command", "limits"]), Some("command"));
        assert_eq!(nearest("time_limit", &["limits", "time_limit_s"]), Some("time_limit_s"));
    }

    #[test]
    fn nothing_known_means_nothing_near() {
        assert_eq!(nearest("x", &[]), None);
    }
}
