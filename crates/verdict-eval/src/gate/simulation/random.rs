//! Random numbers by a seed.

/// A generator of 64-bit numbers: a counter, and a mixing function that spreads each of its steps over all bits
/// (`SplitMix64`).
#[derive(Debug, Clone)]
pub struct Random {
    counter: u64,
}

impl Random {
    /// The generator of the stream with this number.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut mixed = Self {
            counter: seed ^ stream.wrapping_mul(0xd134_2543_de82_ef95),
        };
        // Streams begin far apart on the counter's circle.
        Self {
            counter: mixed.next(),
        }
    }

    fn next(&mut self) -> u64 {
        self.counter = self.counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.counter;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to below 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit exactly")]
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// How many of `runs` runs pass, each with this probability.
    pub fn binomial(&mut self, runs: u32, probability: f64) -> u32 {
        (0..runs).map(|_| u32::from(self.chance(probability))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_and_streams_differ() {
        let draw = |seed, stream| {
            let mut random = Random::new(seed, stream);
            (0..4).map(|_| random.next()).collect::<Vec<_>>()
        };
        assert_eq!(draw(1, 2), draw(1, 2));
        assert_ne!(draw(1, 2), draw(1, 3));
        assert_ne!(draw(1, 2), draw(2, 2));
    }

    #[test]
    fn a_binomial_has_its_mean() {
        let mut random = Random::new(7, 0);
        let sum: u32 = (0..4_000).map(|_| random.binomial(5, 0.3)).sum();
        let mean = f64::from(sum) / 4_000.0;
        assert!((mean - 1.5).abs() < 0.06, "{mean}");
        assert_eq!(
            (random.binomial(50, 0.0), random.binomial(50, 1.0)),
            (0, 50)
        );
    }
}
