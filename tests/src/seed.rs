//! Random test data that can be had again.
//!
//! Every run takes a new seed and prints it, which the test harness shows when a test fails. With
//! the environment variable `ARIA_SEED` set to that number, the run is repeated.

use std::env;
use std::hash::{BuildHasher, RandomState};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A source of random test data.
pub struct Random(ChaCha8Rng);

impl Random {
    /// The source for one test; prints the seed.
    ///
    /// # Panics
    ///
    /// If `ARIA_SEED` is set to anything but a number.
    #[must_use]
    pub fn new() -> Self {
        let seed = match env::var("ARIA_SEED") {
            Ok(seed) => seed.parse().expect("ARIA_SEED must be a number below 2^64"),
            Err(_) => RandomState::new().hash_one(0),
        };
        println!("seed: repeat with ARIA_SEED={seed}");
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// So many random bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.0.fill_bytes(&mut bytes);
        bytes
    }

    /// So many random blocks.
    pub fn blocks(&mut self, count: usize) -> Vec<[u8; 16]> {
        let mut blocks = vec![[0; 16]; count];
        self.0.fill_bytes(blocks.as_flattened_mut());
        blocks
    }

    /// A number below `limit`, near enough to uniform for a test.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.0.next_u32()).unwrap_or(0) % limit
    }
}

impl Default for Random {
    fn default() -> Self {
        Self::new()
    }
}
