//! The end of a stretch: results to where the next one looks for them.

use super::super::super::AssembleError;
use super::super::super::copies::{Copy, in_order};
use super::super::super::flow::Value;
use super::{FIRST_SLOT, Spot, Work, register_of, register_spot};

impl Work {
    /// Brings the results to where they are asked for, if that matters; returns where they are.
    pub(super) fn finish(
        &mut self,
        results: &[Value],
        end: Option<&[Spot]>,
    ) -> Result<Vec<Spot>, AssembleError> {
        let fits = results.len() + self.is_pinned.iter().filter(|p| **p).count() < self.holds.len();
        for value in results {
            if self.place[*value].is_none() && (fits || self.slot[*value].is_none()) {
                self.read(*value, &[])?;
            }
        }
        let Some(end) = end else {
            if !fits && !results.iter().all(|value| self.place[*value].is_some()) {
                // Copies between places of the stack take a register on their way.
                self.room(false, None, &[])?;
            }
            return Ok(results.iter().map(|value| self.spot(*value)).collect());
        };
        let through = (0..self.holds.len()).rev().map(|r| u8::try_from(r).unwrap_or(u8::MAX)).find(
            |register| {
                let pinned = self.holds[usize::from(*register)].is_some_and(|v| self.is_pinned[v]);
                !pinned && !end.contains(&register_spot(*register))
            },
        );
        if !fits
            && let Some(register) = through
            && let Some(value) = self.holds[usize::from(register)]
        {
            self.set_aside(value, register);
            self.vacate(value);
        }
        self.copies(results, end, through)?;
        Ok(end.to_vec())
    }

    fn spot(&self, value: Value) -> Spot {
        match (self.place[value], self.slot[value]) {
            (Some(register), _) => register_spot(register),
            (None, slot) => FIRST_SLOT + slot.unwrap_or(0),
        }
    }

    /// Copies results to the places `end`, in registers and on the stack, by way of a register that
    /// holds none of them where one is needed.
    fn copies(
        &mut self,
        results: &[Value],
        end: &[Spot],
        through: Option<u8>,
    ) -> Result<(), AssembleError> {
        let moves: Vec<(Spot, Spot)> =
            results.iter().zip(end).map(|(value, to)| (*to, self.spot(*value))).collect();
        let carried = |spot: Spot| {
            let found = results.iter().zip(&moves).find(|(_, (_, from))| *from == spot);
            found.map_or(0, |(value, _)| *value)
        };
        let taken = moves.iter().flat_map(|(to, from)| [*to, *from]);
        let most = taken.max().unwrap_or(0).max(FIRST_SLOT + self.slots.len());
        let mut aside = 0;
        for copy in in_order(&moves) {
            let (to, from) = match copy {
                Copy::Move { to, from } => (to, from),
                Copy::Aside(from) => {
                    aside = carried(from);
                    (most + 1, from)
                }
                Copy::Back(to) => (to, most + 1),
            };
            for spot in [to, from] {
                if spot >= FIRST_SLOT {
                    let count = self.slots.len().max(spot - FIRST_SLOT + 1);
                    self.slots.resize(count, None);
                }
            }
            let value = if from == most + 1 { aside } else { carried(from) };
            match (register_of(to), register_of(from)) {
                (Ok(to), Ok(from)) => self.copy(to, from, value)?,
                (Ok(to), Err(slot)) => self.load_slot(value, slot, to)?,
                (Err(slot), Ok(from)) => self.store(slot, from, value),
                (Err(slot), Err(other)) => {
                    let none = || AssembleError::Encode(self.id, "no register is left".to_owned());
                    let through = through.ok_or_else(none)?;
                    self.load_slot(value, other, through)?;
                    self.store(slot, through, value);
                }
            }
        }
        Ok(())
    }
}
