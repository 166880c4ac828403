//! The table on stdout.

use super::host::{BATCH, Ratio};
use super::row::{Row, geometric_mean};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// What stands above the columns.
pub(crate) fn head() -> String {
    format!(
        "{:8} {:30} {:9} {:22} {:>8} {:8} {:>9} {:>7} {:>9} {:>9} {:>10} {:>6} {:>6} {:>6} {:>7}\n",
        "suite",
        "case",
        "dtype",
        "shape",
        "MiB",
        "rung",
        "ours ms",
        "GB/s",
        "native ms",
        "vec4 ms",
        "naive ms",
        "native",
        "median",
        "kernel",
        "/naive"
    )
}

/// A row; a case that is wrong says so at the end.
pub(crate) fn line(row: &Row) -> String {
    let ms = |seconds: f64| format!("{:.3}", seconds * 1e3);
    let maybe = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
    };
    format!(
        "{:8} {:30} {:9} {:22} {:>8.3} {:8} {:>9} {:>7.2} {:>9} {:>9} {:>10} {:>6.3} {:>6.3} {:>6.3} {:>7}{}\n",
        row.suite,
        row.case,
        row.dtype,
        row.shape_text,
        row.bytes as f64 / f64::from(1 << 20),
        row.rung,
        ms(row.ours),
        row.traffic(),
        ms(row.native),
        ms(row.vec4),
        maybe(row.naive.map(|naive| naive * 1e3), 3),
        row.native_share(),
        row.median_share,
        row.kernel_share(),
        maybe(row.over_naive(), 2),
        if row.verified { "" } else { "  WRONG" }
    )
}

/// Geometric means and extremes, by suite and dtype.
pub(crate) fn means(rows: &[Row]) -> String {
    let mut groups: BTreeMap<(&str, u32, &str), Vec<&Row>> = BTreeMap::new();
    for row in rows {
        groups
            .entry((row.suite, row.group.0, &row.group.1))
            .or_default()
            .push(row);
    }
    let mut text = format!(
        "\n{:8} {:9} {:>5}  {:>22}  {:>22}  {:>22}\n",
        "suite",
        "dtype",
        "cases",
        "native share (least)",
        "kernel share (least)",
        "over naive (least)"
    );
    for ((suite, _, dtype), rows) in groups {
        let mean = |values: Vec<f64>| {
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            geometric_mean(values)
                .map_or_else(|| "-".to_owned(), |mean| format!("{mean:.3} ({least:.3})"))
        };
        let _ = writeln!(
            text,
            "{suite:8} {dtype:9} {:>5}  {:>22}  {:>22}  {:>22}",
            rows.len(),
            mean(rows.iter().map(|row| row.native_share()).collect()),
            mean(rows.iter().map(|row| row.kernel_share()).collect()),
            mean(rows.iter().filter_map(|row| row.over_naive()).collect()),
        );
    }
    text
}

/// What copies cost the host, beside bare wgpu.
pub(crate) fn host(ratios: &[Ratio]) -> String {
    let each = |time: Duration| time.as_secs_f64() * 1e6 / BATCH as f64;
    let mut text = format!(
        "\n{:60} {:>9} {:>9} {:>6} {:>6}\n",
        "host cost of each", "ours us", "bare us", "ratio", "most"
    );
    for ratio in ratios {
        let _ = writeln!(
            text,
            "{:60} {:>9.3} {:>9.3} {:>6.2} {:>6}",
            ratio.name,
            each(ratio.ours),
            each(ratio.bare),
            ratio.value(),
            ratio
                .most
                .map_or_else(|| "-".to_owned(), |most| format!("{most:.1}"))
        );
    }
    text
}
