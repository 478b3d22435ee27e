//! `kernel astar`: shortest paths through a grid by A*, one after the other: branches, a heap, scattered memory.
//!
//! A grid of square cells is drawn from a seed: a quarter are walls, the others cost 1 to 9 to enter, and the way
//! along the left and the lower edge is kept free, so that there is always a path from the upper left to the lower
//! right. Moves go to the four neighbours; the estimate is the number of moves that are left at least. Every search
//! must find the cost that Dijkstra's algorithm finds on the same grid, and expand as many cells as the first.
//! Source: P. E. Hart, N. J. Nilsson, B. Raphael, IEEE Trans. Syst. Sci. Cybern. 4 (2), 1968.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Result;
use crate::entry::{Entry, HIGHER, Method, Metric};
use crate::random::Random;
use crate::threads::{parallel, repeat};

pub const ENTRY: Entry = Entry {
    name: "astar",
    does: "A* searches of the cheapest path through a grid drawn from a seed.",
    rules: "ours",
    metrics: &[Metric { name: "searches_per_s", unit: "searches/s", direction: HIGHER }],
};

const WALL: u8 = 0;
const FAR: u32 = u32::MAX;

/// What it costs to enter each cell, row by row; 0 is a wall.
struct Grid {
    side: usize,
    costs: Vec<u8>,
}

/// A path's cost, and how many cells were expanded to find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    cost: u32,
    expanded: u64,
}

impl Grid {
    fn new(side: usize, seed: u64) -> Self {
        let mut random = Random(seed);
        let mut cell = |at: usize| {
            let (drawn, edge) = (random.next(), at % side == 0 || at / side == side - 1);
            if drawn % 4 == 0 && !edge { WALL } else { (drawn >> 8) as u8 % 9 + 1 }
        };
        Self { side, costs: (0..side * side).map(&mut cell).collect() }
    }

    fn goal(&self) -> usize {
        self.costs.len() - 1
    }

    fn neighbours(&self, at: usize) -> impl Iterator<Item = usize> {
        let (side, column) = (self.side, at % self.side);
        let up = at.checked_sub(side);
        let down = Some(at + side).filter(|at| *at < self.costs.len());
        let left = (column > 0).then(|| at - 1);
        let right = (column + 1 < side).then(|| at + 1);
        [up, down, left, right].into_iter().flatten().filter(|at| self.costs[*at] != WALL)
    }

    /// Cost of at least this much is left from here to the goal: each move costs at least 1.
    fn estimate(&self, at: usize) -> u32 {
        (2 * (self.side - 1) - at / self.side - at % self.side) as u32
    }

    /// The cheapest path by A*; `best` is room for the cost of each cell.
    fn search(&self, best: &mut [u32]) -> Option<Found> {
        best.fill(FAR);
        best[0] = 0;
        let mut open = BinaryHeap::from([Reverse((self.estimate(0), 0_u32, 0_u32))]);
        let mut expanded = 0;
        while let Some(Reverse((_, cost, at))) = open.pop() {
            let at = at as usize;
            if at == self.goal() {
                return Some(Found { cost, expanded });
            }
            if cost > best[at] {
                continue;
            }
            expanded += 1;
            for next in self.neighbours(at) {
                let cost = cost + u32::from(self.costs[next]);
                if cost < best[next] {
                    best[next] = cost;
                    open.push(Reverse((cost + self.estimate(next), cost, next as u32)));
                }
            }
        }
        None
    }

    /// Cost of the cheapest path by Dijkstra's algorithm: it settles the cells in order of their cost, without
    /// estimate. All costs are small, so cells wait in one list for each cost instead of a heap.
    fn dijkstra(&self) -> Option<u32> {
        let mut settled = vec![false; self.costs.len()];
        let mut waiting = vec![vec![0]];
        for cost in 0.. {
            for at in waiting.get_mut(cost).map(std::mem::take)? {
                if at == self.goal() {
                    return u32::try_from(cost).ok();
                }
                if std::mem::replace(&mut settled[at], true) {
                    continue;
                }
                for next in self.neighbours(at).filter(|next| !settled[*next]) {
                    let then = cost + usize::from(self.costs[next]);
                    waiting.resize_with(waiting.len().max(then + 1), Vec::new);
                    waiting[then].push(next);
                }
            }
        }
        None
    }
}

/// Runs the kernel on a grid of so many cells a side, on as many threads.
pub fn astar(side: usize, seed: u64, seconds: f64, threads: usize) -> Result<Value> {
    let grid = Grid::new(side, seed);
    let room = || vec![FAR; grid.costs.len()];
    let wrong = || "cannot trust this processor: A* and Dijkstra's algorithm found different paths".to_owned();
    let first = grid.search(&mut room()).filter(|found| Some(found.cost) == grid.dijkstra()).ok_or_else(wrong)?;
    let (searches, taken) = parallel(threads, || {
        let mut best = room();
        let time = Duration::from_secs_f64(seconds);
        repeat(time, || black_box(&grid).search(black_box(&mut best)) == Some(first))
    });
    let searches = searches.into_iter().sum::<Option<u64>>().ok_or_else(wrong)?;
    let method = Method { repetitions: searches as usize, statistic: "total", warm_up: "one search" };
    let facts = json!({
        "threads": threads,
        "seconds": taken,
        "side": side,
        "seed": seed,
        "path_cost": first.cost,
        "expanded": first.expanded,
    });
    Ok(ENTRY.report(&method, &[("searches_per_s".to_owned(), Some(searches as f64 / taken))], facts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_around_a_wall_is_found() {
        let grid = Grid { side: 3, costs: vec![1, 0, 1, 1, 0, 1, 1, 2, 1] };
        let found = grid.search(&mut [FAR; 9]).expect("a path");
        assert_eq!((found.cost, grid.dijkstra()), (1 + 1 + 2 + 1, Some(5)));
    }

    #[test]
    fn both_algorithms_agree_on_every_grid() {
        for seed in 0..50 {
            let grid = Grid::new(40, seed);
            assert_eq!(grid.search(&mut vec![FAR; 1600]).map(|found| found.cost), grid.dijkstra());
        }
    }

    #[test]
    fn no_path_is_no_cost() {
        let grid = Grid { side: 2, costs: vec![1, 0, 0, 1] };
        assert_eq!((grid.search(&mut [FAR; 4]), grid.dijkstra()), (None, None));
    }

    #[test]
    fn a_seed_gives_the_same_path_again() {
        let run = |seed| astar(64, seed, 0.01, 2).expect("a report");
        let key = |report: &Value| (report["path_cost"].clone(), report["expanded"].clone());
        assert_eq!(key(&run(1)), key(&run(1)));
        assert_ne!(key(&run(1)), key(&run(2)));
    }
}
