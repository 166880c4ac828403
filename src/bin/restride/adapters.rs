//! `restride adapters`: what there is to run on.

use crate::device::{self, Candidate};
use crate::failure::Failure;
use std::fmt::Write;

/// The bytes of a line before it is broken.
const LINE: usize = 100;

pub(crate) fn run() -> Result<(), Failure> {
    let mut text = String::new();
    for candidate in device::all() {
        describe(&mut text, &candidate);
    }
    text.push_str("cpu: the CPU executor, always there\n");
    crate::print(&text)
}

fn describe(text: &mut String, candidate: &Candidate) {
    let info = &candidate.info;
    let _ = writeln!(text, "{}: {candidate}", candidate.index);
    let driver = format!("{} {}", info.driver, info.driver_info);
    let _ = writeln!(text, "  driver: {}", driver.trim());
    if !candidate.computes() {
        text.push_str("  runs no compute shaders: not usable\n");
    }
    let limits = candidate.limits();
    let _ = writeln!(
        text,
        "  limits: storage binding {} bytes at multiples of {}, buffer {} bytes, {} workgroups a dimension, {} invocations a workgroup",
        limits.binding_bytes,
        limits.alignment_bytes,
        limits.buffer_bytes,
        limits.groups,
        limits.invocations
    );
    text.push_str("  features:");
    let mut column = 0;
    let mut any = false;
    for (name, _) in candidate.adapter.features().iter_names() {
        if column + name.len() > LINE {
            text.push_str("\n   ");
            column = 0;
        }
        text.push(' ');
        text.push_str(name);
        column += name.len() + 1;
        any = true;
    }
    text.push_str(if any { "\n" } else { " none\n" });
}
