//! A plan in words: what was chosen, and why not another.

use std::fmt;

use super::choose::Verdict;
use super::stage::Stage;
use super::{Plan, Rung, Step};

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(made) = &self.made else {
            return write!(f, "{}: 0 steps; no element moves", Rung::Nothing);
        };
        if let Some(before) = &self.before {
            let bytes = self.scratch_bytes;
            write!(
                f,
                "through {bytes} bytes of scratch\ninto it: {before}\nout of it: "
            )?;
        }
        write!(f, "{made}")
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (steps, way) = (self.step_count(), &self.way);
        let s = if steps == 1 { "" } else { "s" };
        let nest = &way.nest;
        write!(
            f,
            "{}: {steps} step{s} over {}-bit units",
            way.rung,
            nest.unit_bits()
        )?;
        if nest.axes().is_empty() {
            f.write_str(", one unit")?;
        }
        // People read the outermost axis first.
        for (i, axis) in nest.axes().iter().rev().enumerate() {
            let lead = if i == 0 { ", " } else { " x " };
            write!(f, "{lead}{} ({} <- {})", axis.extent, axis.dst, axis.src)?;
        }
        match self.step(0) {
            Some(Step::Native(copy)) => write!(f, "; the first copies {} bytes", copy.size_bytes)?,
            Some(Step::Dispatch(first)) => {
                let [x, y, z] = first.groups;
                write!(
                    f,
                    "; the first dispatches {x}x{y}x{z} groups of {}",
                    first.program
                )?;
            }
            None => {}
        }
        for (rung, verdict) in Rung::ALL.iter().zip(&self.verdicts).skip(1) {
            let chosen = if *rung == way.rung { " (chosen)" } else { "" };
            match verdict {
                Verdict::Off => write!(f, "\n  {rung}: switched off")?,
                Verdict::Lacks(reason) => write!(f, "\n  {rung}: {reason}")?,
                Verdict::Costs(cost) => {
                    write!(
                        f,
                        "\n  {rung}: about {} bytes of traffic{chosen}",
                        cost.bytes
                    )?;
                }
            }
        }
        Ok(())
    }
}
