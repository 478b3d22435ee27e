//! The method of Nelder and Mead: finds where a function is least without its derivatives, always by the same steps.
//!
//! Source: J. A. Nelder, R. Mead, Computer Journal 7 (1965) 308, with its usual coefficients.

/// Where it is least, how much it is there, and how often it was asked for.
pub struct Least<const N: usize> {
    pub at: [f64; N],
    pub value: f64,
    pub calls: u32,
}

/// Begins at a place with a first step for each direction; ends when the corners differ by less than a tolerance.
pub fn minimise<const N: usize>(
    start: [f64; N],
    steps: [f64; N],
    (tolerance, most_calls): (f64, u32),
    mut f: impl FnMut(&[f64; N]) -> f64,
) -> Least<N> {
    let mut corners = vec![(f(&start), start)];
    for (i, step) in steps.iter().enumerate() {
        let mut at = start;
        at[i] += step;
        corners.push((f(&at), at));
    }
    let mut calls = N as u32 + 1;
    loop {
        // Equal values keep their order: the way down is the same on every machine.
        corners.sort_by(|a, b| a.0.total_cmp(&b.0));
        if corners[N].0 - corners[0].0 < tolerance || calls >= most_calls {
            let (value, at) = corners[0];
            return Least { at, value, calls };
        }
        calls += step(&mut corners, &mut f);
    }
}

fn step<const N: usize>(corners: &mut [(f64, [f64; N])], f: &mut impl FnMut(&[f64; N]) -> f64) -> u32 {
    let middle = middle(&corners[..N]);
    let worst = corners[N];
    let mut tried = |factor: f64| {
        let at = along(&middle, &worst.1, factor);
        (f(&at), at)
    };
    let reflected = tried(-1.0);
    if reflected.0 < corners[0].0 {
        let expanded = tried(-2.0);
        corners[N] = if expanded.0 < reflected.0 { expanded } else { reflected };
        return 2;
    }
    if reflected.0 < corners[N - 1].0 {
        corners[N] = reflected;
        return 1;
    }
    let contracted = tried(if reflected.0 < worst.0 { -0.5 } else { 0.5 });
    if contracted.0 < worst.0.min(reflected.0) {
        corners[N] = contracted;
        return 2;
    }
    let best = corners[0].1;
    for corner in &mut corners[1..] {
        let at = along(&best, &corner.1, 0.5);
        *corner = (f(&at), at);
    }
    2 + N as u32
}

fn middle<const N: usize>(corners: &[(f64, [f64; N])]) -> [f64; N] {
    let mut sum = [0.0; N];
    for (_, at) in corners {
        sum.iter_mut().zip(at).for_each(|(sum, x)| *sum += x);
    }
    sum.map(|x| x / corners.len() as f64)
}

fn along<const N: usize>(from: &[f64; N], to: &[f64; N], factor: f64) -> [f64; N] {
    let mut at = *from;
    at.iter_mut().zip(to).for_each(|(x, y)| *x += factor * (y - *x));
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_the_bottom_of_a_crooked_valley() {
        let valley = |x: &[f64; 2]| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            a * a + 100.0 * b * b
        };
        let least = minimise([-1.2, 1.0], [0.1, 0.1], (1e-14, 1000), valley);
        assert!((least.at[0] - 1.0).abs() < 1e-5 && (least.at[1] - 1.0).abs() < 1e-5, "{:?}", least.at);
    }

    #[test]
    fn it_gives_up_after_so_many_calls() {
        let least = minimise([0.0; 3], [1.0; 3], (0.0, 50), |x| x.iter().sum());
        assert!((50..60).contains(&least.calls));
    }
}
