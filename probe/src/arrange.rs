//! Sorting, in a few bytes of code.
//!
//! The standard library's sorts are made anew for each type and order, about 4 kB a time and 120 kB of this program.
//! Here the order of places is found by one function for all types; only moving the items is made for each.

use std::cmp::Ordering;
use std::mem::{replace, swap};

/// Sorts; equal items keep their order.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Sorts by a key; equal items keep their order.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |one, other| key(one).cmp(&key(other)));
}

/// Sorts in ascending order, each item once.
pub fn sort_distinct<T: Ord>(items: &mut Vec<T>) {
    sort(items);
    items.dedup();
}

fn sort_by<T>(items: &mut [T], order: impl Fn(&T, &T) -> Ordering) {
    let after = |one: usize, other: usize| order(&items[one], &items[other]).is_gt();
    if (1..items.len()).any(|at| after(at - 1, at)) {
        let places = places(items.len(), &after);
        follow(items, places);
    }
}

/// Where the items lie in sorted order: a merge sort from below.
fn places(count: usize, after: &dyn Fn(usize, usize) -> bool) -> Vec<usize> {
    let (mut from, mut to): (Vec<usize>, Vec<usize>) = ((0..count).collect(), Vec::with_capacity(count));
    let mut run = 1;
    while run < count {
        to.clear();
        for pair in from.chunks(2 * run) {
            let (left, right) = pair.split_at(run.min(pair.len()));
            merge(left, right, after, &mut to);
        }
        swap(&mut from, &mut to);
        run *= 2;
    }
    from
}

fn merge(mut left: &[usize], mut right: &[usize], after: &dyn Fn(usize, usize) -> bool, to: &mut Vec<usize>) {
    while let (Some((one, rest)), Some((other, others))) = (left.split_first(), right.split_first()) {
        if after(*one, *other) {
            to.push(*other);
            right = others;
        } else {
            to.push(*one);
            left = rest;
        }
    }
    to.extend_from_slice(left);
    to.extend_from_slice(right);
}

/// Puts at each place the item that lies where the list says, cycle by cycle.
fn follow<T>(items: &mut [T], mut places: Vec<usize>) {
    for start in 0..items.len() {
        let mut at = start;
        loop {
            let from = replace(&mut places[at], at);
            if from == start || from == at {
                break;
            }
            items.swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers below 100 that look random.
    fn numbers(count: u64) -> Vec<u64> {
        (0..count).map(|at| at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 & 0xffff).map(|drawn| drawn % 100).collect()
    }

    #[test]
    fn items_are_sorted_as_the_standard_library_sorts_them() {
        for count in 0..200 {
            let (mut items, mut expected) = (numbers(count), numbers(count));
            sort(&mut items);
            expected.sort_unstable();
            assert_eq!(items, expected);
            items.reverse();
            sort(&mut items);
            assert_eq!(items, expected);
        }
    }

    #[test]
    fn equal_items_keep_their_order() {
        let mut items: Vec<(u64, usize)> = numbers(1000).into_iter().zip(0..).collect();
        sort_by_key(&mut items, |(number, _)| *number);
        assert!(items.is_sorted());
    }

    #[test]
    fn each_item_is_kept_once() {
        let mut words = vec!["b", "a", "c", "a", "b"];
        sort_distinct(&mut words);
        assert_eq!(words, ["a", "b", "c"]);
    }
}
