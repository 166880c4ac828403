//! What a device allows one dispatch to reach.

use crate::error::Error;

use super::params::Params;

/// The bounds of one device, as its `wgpu::Limits` or WebGPU's baseline give them.
///
/// A plan made under some limits is right on every device that has at least those, and whose alignments divide them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Most bytes of one storage binding.
    pub binding_bytes: u64,
    /// Alignment of a storage binding's first byte: a power of two, at least 4.
    pub alignment_bytes: u64,
    /// Alignment of a uniform binding's first byte: a power of two, at least 4.
    pub uniform_alignment_bytes: u64,
    /// Most bytes of one uniform binding.
    pub uniform_bytes: u64,
    /// Most bytes of one buffer.
    pub buffer_bytes: u64,
    /// Most workgroups along one dimension of a dispatch.
    pub groups: u32,
    /// Most invocations of one workgroup.
    pub invocations: u32,
    /// Most invocations of one workgroup along x.
    pub group_size_x: u32,
}

impl Limits {
    /// WebGPU's baseline: what every browser grants without asking.
    pub const BASELINE: Self = Self {
        binding_bytes: 128 << 20,
        alignment_bytes: 256,
        uniform_alignment_bytes: 256,
        uniform_bytes: 64 << 10,
        buffer_bytes: 256 << 20,
        groups: 65_535,
        invocations: 256,
        group_size_x: 256,
    };

    /// Bindings of 1 KiB, aligned to 32 bytes, and 7 workgroups a dimension: small tensors are cut into many steps.
    ///
    /// Made for tests, and for seeing how a large copy is cut.
    pub const TINY: Self = Self {
        binding_bytes: 1 << 10,
        alignment_bytes: 32,
        groups: 7,
        ..Self::BASELINE
    };

    /// `Ok` iff a plan can respect these limits.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`] unless both alignments are powers of two of at least 4 bytes, a binding holds at least one
    /// alignment, a uniform binding holds the [`Params`] of a dispatch, and every count is at least 1.
    pub fn check(&self) -> Result<(), Error> {
        let at_least = |limit, value: u64, bound: u64| {
            if value >= bound {
                Ok(())
            } else {
                Err(Error::Limit {
                    limit,
                    value,
                    bound,
                })
            }
        };
        for (limit, value) in [
            ("storage alignment", self.alignment_bytes),
            ("uniform alignment", self.uniform_alignment_bytes),
        ] {
            at_least(limit, value, 4)?;
            if !value.is_power_of_two() {
                let bound = value.checked_next_power_of_two().unwrap_or(1 << 63);
                return Err(Error::Limit {
                    limit,
                    value,
                    bound,
                });
            }
        }
        at_least(
            "storage binding size",
            self.binding_bytes,
            self.alignment_bytes,
        )?;
        at_least("uniform binding size", self.uniform_bytes, Params::BYTES)?;
        at_least("buffer size", self.buffer_bytes, 4)?;
        at_least("workgroups per dimension", self.groups.into(), 1)?;
        at_least("invocations per workgroup", self.invocations.into(), 1)?;
        at_least("workgroup size along x", self.group_size_x.into(), 1)
    }

    /// `Ok` iff a plan under these limits runs on a device that has `device`.
    ///
    /// # Errors
    ///
    /// [`Error::BeyondDevice`]: a size or a count is larger than the device's, or an alignment smaller.
    pub fn check_within(&self, device: &Self) -> Result<(), Error> {
        let sizes = [
            (
                "storage binding size",
                self.binding_bytes,
                device.binding_bytes,
            ),
            (
                "uniform binding size",
                self.uniform_bytes,
                device.uniform_bytes,
            ),
            ("buffer size", self.buffer_bytes, device.buffer_bytes),
            (
                "workgroups per dimension",
                self.groups.into(),
                device.groups.into(),
            ),
            (
                "invocations per workgroup",
                self.invocations.into(),
                device.invocations.into(),
            ),
            (
                "workgroup size along x",
                self.group_size_x.into(),
                device.group_size_x.into(),
            ),
        ];
        let alignments = [
            (
                "storage alignment",
                self.alignment_bytes,
                device.alignment_bytes,
            ),
            (
                "uniform alignment",
                self.uniform_alignment_bytes,
                device.uniform_alignment_bytes,
            ),
        ];
        let too_large = sizes.into_iter().find(|(_, value, most)| value > most);
        let too_small = alignments
            .into_iter()
            .find(|(_, value, least)| value < least);
        match too_large.or(too_small) {
            Some((limit, value, device)) => Err(Error::BeyondDevice {
                limit,
                value,
                device,
            }),
            None => Ok(()),
        }
    }

    /// The widest unit in bits that a binding is sure to hold: 128, or less where bindings are under 16 bytes.
    pub(crate) fn widest_unit_bits(&self) -> u64 {
        match self.binding_bytes {
            16.. => 128,
            8.. => 64,
            _ => 32,
        }
    }

    /// The most invocations of a workgroup that lies along x.
    pub(crate) fn lanes(&self) -> u32 {
        self.invocations.min(self.group_size_x)
    }
}

impl Default for Limits {
    /// [`Limits::BASELINE`].
    fn default() -> Self {
        Self::BASELINE
    }
}
