//! Bytes in memory, in the whole units that kernels address.

use crate::failure::Failure;

/// The widest unit of any kernel, in bytes.
const UNIT: usize = 16;

/// Bytes, followed by zeros up to a whole unit of at least one.
#[derive(Clone)]
pub(crate) struct Buffer {
    data: Vec<u8>,
    length: usize,
}

impl Buffer {
    /// So many zeros, or the trouble of not having the memory.
    pub(crate) fn zeros(bytes: u64) -> Result<Self, Failure> {
        let trouble = || Failure::Trouble(format!("no memory for a buffer of {bytes} bytes"));
        let length = usize::try_from(bytes).map_err(|_| trouble())?;
        let padded = length.max(1).checked_next_multiple_of(UNIT);
        let padded = padded.ok_or_else(trouble)?;
        let mut data = Vec::new();
        data.try_reserve_exact(padded).map_err(|_| trouble())?;
        data.resize(padded, 0);
        Ok(Self { data, length })
    }

    /// The bytes that [`Buffer::zeros`] makes room for.
    pub(crate) fn padded_bytes(bytes: u64) -> u64 {
        bytes
            .max(1)
            .checked_next_multiple_of(UNIT as u64)
            .unwrap_or(u64::MAX)
    }

    /// The bytes without the padding.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.data[..self.length]
    }

    /// The bytes without the padding.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.data[..self.length]
    }

    /// The bytes with the padding.
    pub(crate) fn padded(&self) -> &[u8] {
        &self.data
    }

    /// The bytes with the padding.
    pub(crate) fn padded_mut(&mut self) -> &mut [u8] {
        &mut self.data
    }
}
