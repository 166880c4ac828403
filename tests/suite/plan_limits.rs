//! Limits: which are usable, and which a device grants.

use restride::plan::{Limits, Operand, Options, Params, Plan, Problem};
use restride::{Error, Layout, Width};

/// A change to the baseline's limits.
type Edit = fn(&mut Limits);

#[test]
fn unusable_limits_are_refused_by_name() {
    let table: [(Edit, &str, u64, u64); 14] = [
        (|l| l.alignment_bytes = 0, "storage alignment", 0, 4),
        (|l| l.alignment_bytes = 2, "storage alignment", 2, 4),
        (|l| l.alignment_bytes = 6, "storage alignment", 6, 8),
        (|l| l.alignment_bytes = 255, "storage alignment", 255, 256),
        (
            |l| l.alignment_bytes = u64::MAX,
            "storage alignment",
            u64::MAX,
            1 << 63,
        ),
        (|l| l.uniform_alignment_bytes = 1, "uniform alignment", 1, 4),
        (
            |l| l.uniform_alignment_bytes = 12,
            "uniform alignment",
            12,
            16,
        ),
        (|l| l.binding_bytes = 255, "storage binding size", 255, 256),
        (|l| l.binding_bytes = 0, "storage binding size", 0, 256),
        (
            |l| l.uniform_bytes = 16,
            "uniform binding size",
            16,
            Params::BYTES,
        ),
        (|l| l.buffer_bytes = 3, "buffer size", 3, 4),
        (|l| l.groups = 0, "workgroups per dimension", 0, 1),
        (|l| l.invocations = 0, "invocations per workgroup", 0, 1),
        (|l| l.group_size_x = 0, "workgroup size along x", 0, 1),
    ];
    let layout = Layout::contiguous(&[4]).unwrap();
    let problem = Problem {
        width: Width::new(8).unwrap(),
        src: Operand::any(&layout, 4),
        dst: Operand::any(&layout, 4),
        one_buffer: false,
        in_pass: false,
    };
    for (edit, limit, value, bound) in table {
        let mut limits = Limits::BASELINE;
        edit(&mut limits);
        let refusal = Error::Limit {
            limit,
            value,
            bound,
        };
        assert_eq!(limits.check(), Err(refusal.clone()));
        let options = Options {
            limits,
            ..Options::default()
        };
        assert_eq!(Plan::new(&problem, &options), Err(refusal.clone()));
        let message = refusal.to_string();
        assert!(
            message.contains(limit) && message.contains(&value.to_string()),
            "{message}"
        );
    }
}

#[test]
fn the_least_usable_limits_are_usable() {
    let table: [Edit; 5] = [
        |_| {},
        |l| (l.alignment_bytes, l.binding_bytes) = (4, 4),
        |l| (l.alignment_bytes, l.binding_bytes) = (1 << 40, 1 << 40),
        |l| (l.groups, l.invocations, l.group_size_x) = (1, 1, 1),
        |l| (l.uniform_alignment_bytes, l.uniform_bytes, l.buffer_bytes) = (4, Params::BYTES, 4),
    ];
    for edit in table {
        let mut limits = Limits::BASELINE;
        edit(&mut limits);
        assert_eq!(limits.check(), Ok(()), "{limits:?}");
    }
    assert_eq!(Limits::TINY.check(), Ok(()));
}

#[test]
fn an_alignment_beyond_a_kernels_addresses_is_refused_where_it_matters() {
    let limits = Limits {
        alignment_bytes: 1 << 40,
        binding_bytes: 1 << 40,
        ..Limits::BASELINE
    };
    // Windows start at byte 0 alone: what lies within a kernel's reach of it can be copied, and nothing else.
    let reach = 1 << 28;
    let plan = |bits: u32, first: u64| {
        let src = Layout::strided(first, &[2], &[100]).unwrap();
        let dst = Layout::contiguous(&[100]).unwrap();
        let problem = Problem {
            width: Width::new(bits).unwrap(),
            src: Operand::storage(&src, 1 << 45),
            dst: Operand::storage(&dst, 4_000),
            one_buffer: false,
            in_pass: false,
        };
        let options = Options {
            limits,
            ..Options::default()
        };
        Plan::new(&problem, &options)
    };
    let lacking = Error::Rung {
        rung: "scatter",
        reason: "an aligned window is larger than a kernel can address",
    };
    assert!(plan(8, reach - 216).is_ok());
    assert_eq!(plan(8, reach - 206), Err(lacking.clone()));
    assert_eq!(plan(8, 1 << 32), Err(lacking.clone()));
    assert!(plan(64, reach).is_ok());
    assert_eq!(plan(64, 1 << 29), Err(lacking));
}

#[test]
fn limits_beyond_a_device_are_refused_by_name() {
    let base = Limits::BASELINE;
    let table: [(Edit, &str, u64, u64); 8] = [
        (
            |l| l.binding_bytes += 4,
            "storage binding size",
            base.binding_bytes + 4,
            base.binding_bytes,
        ),
        (
            |l| l.uniform_bytes += 1,
            "uniform binding size",
            base.uniform_bytes + 1,
            base.uniform_bytes,
        ),
        (
            |l| l.buffer_bytes += 1,
            "buffer size",
            base.buffer_bytes + 1,
            base.buffer_bytes,
        ),
        (
            |l| l.groups += 1,
            "workgroups per dimension",
            65_536,
            65_535,
        ),
        (
            |l| l.invocations += 1,
            "invocations per workgroup",
            257,
            256,
        ),
        (|l| l.group_size_x += 1, "workgroup size along x", 257, 256),
        (|l| l.alignment_bytes = 128, "storage alignment", 128, 256),
        (
            |l| l.uniform_alignment_bytes = 32,
            "uniform alignment",
            32,
            256,
        ),
    ];
    for (edit, limit, value, device) in table {
        let mut limits = base;
        edit(&mut limits);
        let refusal = Error::BeyondDevice {
            limit,
            value,
            device,
        };
        assert_eq!(limits.check_within(&base), Err(refusal));
        // The other way round, a device that grants more (or aligns less) takes them.
        assert_eq!(base.check_within(&limits), Ok(()));
    }
    assert_eq!(base.check_within(&base), Ok(()));
}
