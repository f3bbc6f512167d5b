//! Copies that happen at once, as copies one after the other.

/// A copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copy {
    /// One place from another.
    Move {
        /// The target.
        to: usize,
        /// The source.
        from: usize,
    },
    /// Set what is at this place aside.
    Aside(usize),
    /// To this place what was set aside last.
    Back(usize),
}

/// Orders `moves`, pairs of target and source, so that no source is overwritten before it is read.
/// Targets differ from each other, and so do sources.
pub(super) fn in_order(moves: &[(usize, usize)]) -> Vec<Copy> {
    let mut waiting: Vec<(usize, usize)> =
        moves.iter().copied().filter(|(to, from)| to != from).collect();
    let mut copies = Vec::new();
    while let Some((target, source)) = waiting.first().copied() {
        let free = waiting.iter().position(|(to, _)| waiting.iter().all(|(_, from)| from != to));
        if let Some(position) = free {
            let (to, from) = waiting.remove(position);
            copies.push(Copy::Move { to, from });
            continue;
        }
        // Nothing but circles is left. The first source is set aside, and its circle opens.
        copies.push(Copy::Aside(source));
        waiting.remove(0);
        let mut hole = source;
        while let Some(position) = waiting.iter().position(|(to, _)| *to == hole) {
            let (to, from) = waiting.remove(position);
            copies.push(Copy::Move { to, from });
            hole = from;
        }
        copies.push(Copy::Back(target));
    }
    copies
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What sixteen registers hold afterwards.
    fn run(moves: &[(usize, usize)]) -> [usize; 16] {
        let mut registers = core::array::from_fn(|i| i);
        let mut aside = None;
        for copy in in_order(moves) {
            match copy {
                Copy::Move { to, from } => registers[to] = registers[from],
                Copy::Aside(from) => aside = Some(registers[from]),
                Copy::Back(to) => registers[to] = aside.take().expect("set aside before"),
            }
        }
        registers
    }

    #[test]
    fn chains_and_circles() {
        // Every permutation that is a power of one with circles of 5, 4, 3, 2, 1 and 1.
        let step = [1, 2, 3, 4, 0, 6, 7, 8, 5, 10, 11, 9, 13, 12, 14, 15];
        let mut map: [usize; 16] = core::array::from_fn(|i| i);
        for _ in 0..60 {
            map = map.map(|i| step[i]);
            let moves: Vec<(usize, usize)> = (0..16).zip(map).collect();
            assert_eq!(run(&moves), map);
            let moves: Vec<(usize, usize)> = moves.into_iter().step_by(2).collect();
            let after = run(&moves);
            for (to, from) in moves {
                assert_eq!(after[to], from);
            }
        }
    }
}
