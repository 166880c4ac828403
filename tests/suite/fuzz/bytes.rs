//! Choices read off a fuzzer's bytes: small changes of the bytes are small changes of what they stand for.

/// Bytes to choose by, then zeros.
pub(crate) struct Picks<'b> {
    bytes: &'b [u8],
}

impl<'b> Picks<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes }
    }

    /// Whether only zeros are left.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Every byte that is left.
    pub(crate) fn rest(self) -> &'b [u8] {
        self.bytes
    }

    pub(crate) fn byte(&mut self) -> u8 {
        match self.bytes.split_first() {
            Some((first, rest)) => {
                self.bytes = rest;
                *first
            }
            None => 0,
        }
    }

    /// A number below `bound`, which is from 1 to 256.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::from(self.byte()) % bound
    }

    /// One of the choices.
    pub(crate) fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// A number of at most a few digits, or, once in eight times, one near a bound of the library or of an integer.
    pub(crate) fn number(&mut self) -> u64 {
        let first = self.byte();
        if first % 8 != 7 {
            return u64::from(first / 8) + u64::from(first % 8) * 7 / 3;
        }
        let powers = [8, 16, 26, 27, 31, 32, 52, 53, 61, 62, 63];
        let power = 1_u64 << self.of(&powers);
        let near = u64::from(self.byte() % 5);
        [power.wrapping_sub(2).wrapping_add(near), u64::MAX - near][usize::from(first >= 248)]
    }

    /// A [`number`](Self::number) of either sign.
    pub(crate) fn signed(&mut self) -> i64 {
        let magnitude = self.number().cast_signed();
        if self.byte().is_multiple_of(2) {
            magnitude
        } else {
            magnitude.wrapping_neg()
        }
    }
}
