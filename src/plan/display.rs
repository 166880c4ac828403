//! A plan in words: what was chosen, and why not another.

use std::fmt;

use super::choose::Verdict;
use super::{Plan, Rung, Step};

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = self.step_count();
        let s = if steps == 1 { "" } else { "s" };
        write!(f, "{}: {steps} step{s}", self.rung())?;
        let Some((way, _)) = &self.made else {
            return f.write_str("; no element moves");
        };
        let nest = &way.nest;
        write!(f, " over {}-bit units", nest.unit_bits())?;
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
