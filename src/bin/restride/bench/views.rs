//! The views that tensor programs copy most, at any width.

use super::case::Case;
use restride::{DType, Error, Layout, MAX_RANK};

const SUITE: &str = "views";

/// The suite with `bytes` to a tensor of 4-byte elements, in each of `dtypes`: the same elements at every width.
pub(crate) fn cases(bytes: u64, dtypes: &[DType]) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for &dtype in dtypes {
        let mut made = Views {
            n: (bytes / 4).max(64),
            dtype,
            cases: &mut cases,
        };
        made.runs()?;
        made.transposes()?;
        made.tensors()?;
        made.strided()?;
    }
    Ok(cases)
}

struct Views<'a> {
    /// About the elements of a case.
    n: u64,
    dtype: DType,
    cases: &'a mut Vec<Case>,
}

impl Views<'_> {
    /// The view `src`, packed.
    fn packed(&mut self, name: &str, src: Layout) -> Result<(), Error> {
        let case = Case::packed(SUITE, name, self.dtype, src)?;
        self.cases.push(case);
        Ok(())
    }

    fn between(&mut self, name: &str, src: Layout, dst: Layout) {
        let case = Case::between(SUITE, name, self.dtype, src, dst);
        self.cases.push(case);
    }

    /// The side of a square of `n` elements.
    fn side(&self) -> u64 {
        self.n.isqrt().max(2)
    }

    /// Runs on both sides, whole or in rows.
    fn runs(&mut self) -> Result<(), Error> {
        let n = self.n;
        let bits = u64::from(self.dtype.bits());
        self.packed("contiguous", Layout::contiguous(&[n])?)?;
        let mut in_pass = Case::packed(
            SUITE,
            "contiguous in a pass",
            self.dtype,
            Layout::contiguous(&[n])?,
        )?;
        in_pass.in_pass = true;
        self.cases.push(in_pass);
        if bits > 8 {
            let from = Layout::contiguous(&[n + 1])?.narrow(0, 1, n)?;
            self.packed("contiguous from 1 element", from)?;
        }
        // The same bytes as elements of one byte.
        let payload = (n * bits / 8).max(1);
        let from = Layout::contiguous(&[payload + 1])?.narrow(0, 1, payload)?;
        let mut bytes = Case::packed(SUITE, "contiguous from 1 byte", DType::UInt8, from)?;
        bytes.group = self.dtype;
        self.cases.push(bytes);
        for (row_bytes, name) in [
            (16, "rows of 16 bytes"),
            (64, "rows of 64 bytes"),
            (256, "rows of 256 bytes"),
            (4096, "rows of 4096 bytes"),
        ] {
            let row = (row_bytes * 8 / bits).clamp(1, n);
            let wide = Layout::contiguous(&[(n / row).max(1), row + 3])?;
            self.packed(name, wide.narrow(1, 1, row)?)?;
        }
        let row = 1000.min(n);
        let rows = (n / row).max(1);
        let dst = Layout::contiguous(&[rows, row + 24])?.narrow(1, 0, row)?;
        self.between(
            "row-padded destination",
            Layout::contiguous(&[rows, row])?,
            dst,
        );
        Ok(())
    }

    /// Matrices transposed, from square to a few columns.
    fn transposes(&mut self) -> Result<(), Error> {
        let (n, side) = (self.n, self.side());
        for (name, rows, columns) in [
            ("transpose", side, side),
            ("transpose ragged", side - 1, side + 1),
            ("transpose of 512 columns", (n / 512).max(1), 512.min(n)),
            ("transpose of 3 rows", 3, (n / 3).max(1) | 1),
            ("transpose of 3 columns", (n / 3).max(1) | 1, 3),
        ] {
            self.packed(name, Layout::contiguous(&[rows, columns])?.transpose())?;
        }
        let s = (n / 3).isqrt().max(1) | 1;
        let cube = Layout::contiguous(&[s, s, 3])?;
        self.packed("picture transposed", cube.permute(&[1, 0, 2])?)?;
        self.packed("picture reversed axes", cube.transpose())?;
        let twos = vec![2; (n.ilog2() as usize).min(MAX_RANK)];
        self.packed("twos reversed", Layout::contiguous(&twos)?.transpose())
    }

    /// What networks ask for.
    fn tensors(&mut self) -> Result<(), Error> {
        let n = self.n;
        let (heads, depth) = (16, 64);
        let positions = (n / 2 / heads / depth).max(1);
        let attention = Layout::contiguous(&[2, positions, heads, depth])?;
        self.packed("attention (0,2,1,3)", attention.permute(&[0, 2, 1, 3])?)?;
        for (channels, forth, back) in [
            (3, "NHWC to NCHW, 3 channels", "NCHW to NHWC, 3 channels"),
            (64, "NHWC to NCHW, 64 channels", "NCHW to NHWC, 64 channels"),
        ] {
            let pixels = (n / 4 / channels).max(1);
            let nhwc = Layout::contiguous(&[4, pixels, channels])?;
            self.packed(forth, nhwc.permute(&[0, 2, 1])?)?;
            let nchw = Layout::contiguous(&[4, channels, pixels])?;
            self.packed(back, nchw.permute(&[0, 2, 1])?)?;
        }
        let s = (n / 9).isqrt().max(1);
        let picture = Layout::contiguous(&[s + 2, s + 2])?;
        let windows = picture.window(0, 3, 1, 1)?.window(1, 3, 1, 1)?;
        self.packed("3x3 windows", windows)
    }

    /// Steps other than 1, on either side and on both.
    fn strided(&mut self) -> Result<(), Error> {
        let (n, side) = (self.n, self.side());
        let line = Layout::contiguous(&[n])?;
        let square = Layout::contiguous(&[side, side])?;
        let double = Layout::contiguous(&[2 * n - 1])?.step(0, 2)?;
        self.packed("flip", line.flip(0)?)?;
        self.packed("flip of rows", square.flip(0)?)?;
        self.packed("step 2", double.clone())?;
        self.between("step 2 into step 2", double.clone(), double.clone());
        self.between("into step 2", line, double);
        let row = Layout::contiguous(&[1, side])?.expand(&[side, side])?;
        self.packed("broadcast of a row", row)?;
        let column = Layout::contiguous(&[side, 1])?.expand(&[side, side])?;
        self.packed("broadcast of a column", column)?;
        let padded = Layout::contiguous(&[side, side + 32])?.narrow(1, 0, side)?;
        self.between("transpose into padded rows", square.transpose(), padded);
        Ok(())
    }
}
