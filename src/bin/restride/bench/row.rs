//! What was measured of a case.

use serde_json::{Value, json};

/// One case's figures.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) suite: &'static str,
    pub(crate) case: String,
    pub(crate) dtype: String,
    /// What it is listed under: the dtype's bits and name.
    pub(crate) group: (u32, String),
    pub(crate) shape: Vec<u64>,
    pub(crate) shape_text: String,
    /// The payload.
    pub(crate) bytes: u64,
    pub(crate) rung: &'static str,
    /// Seconds, the best of all runs; the naive kernel may be left out.
    pub(crate) ours: f64,
    pub(crate) native: f64,
    pub(crate) vec4: f64,
    pub(crate) naive: Option<f64>,
    /// The native copy's share by medians.
    pub(crate) median_share: f64,
    pub(crate) verified: bool,
}

impl Row {
    /// The native copy's time over ours.
    pub(crate) fn native_share(&self) -> f64 {
        self.native / self.ours
    }

    /// The plain copy kernel's time over ours.
    pub(crate) fn kernel_share(&self) -> f64 {
        self.vec4 / self.ours
    }

    /// The naive kernel's time over ours.
    pub(crate) fn over_naive(&self) -> Option<f64> {
        self.naive.map(|naive| naive / self.ours)
    }

    /// Bytes read and written in a second, in GB.
    pub(crate) fn traffic(&self) -> f64 {
        2e-9 * self.bytes as f64 / self.ours
    }

    /// The row of the JSON file.
    pub(crate) fn json(&self) -> Value {
        json!({
            "suite": self.suite,
            "case": self.case,
            "dtype": self.dtype,
            "shape": self.shape,
            "bytes": self.bytes,
            "rung": self.rung,
            "ours_s": self.ours,
            "native_s": self.native,
            "vec4_s": self.vec4,
            "naive_s": self.naive,
            "native_share": self.native_share(),
            "kernel_share": self.kernel_share(),
            "over_naive": self.over_naive(),
            "verified": self.verified,
        })
    }
}

/// The geometric mean; `None` of nothing.
pub(crate) fn geometric_mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for value in values {
        sum += value.ln();
        count += 1;
    }
    (count > 0).then(|| (sum / f64::from(count)).exp())
}
