//! The report's two plots: every case as a dot on its width's lane, and every case as a pair of bars.

use super::row::{Row, geometric_mean};
use super::svg::{Anchor, Svg};

/// The rungs that have a colour of their own; the class of any other is `rung-other`.
pub(crate) const COLOURS: [(&str, &str); 6] = [
    ("native", "#7a8190"),
    ("rows", "#2f7ed8"),
    ("blocks", "#2a9d5c"),
    ("gather", "#e08a1e"),
    ("scatter", "#c8453b"),
    ("other", "#8e5fc4"),
];

/// The height of a lane, and of a case.
const LANE: f64 = 34.0;
const CASE: f64 = 20.0;
/// The width of what stands before the lanes and the cases.
const NAMES: f64 = 250.0;
/// The width of a lanes' panel, and the least and most of a column of bars.
const PANEL: f64 = 400.0;
const COLUMNS: f64 = 800.0;
/// The room for a bar's figures.
const FIGURES: f64 = 70.0;

/// The class of a rung.
pub(crate) fn class(rung: &str) -> String {
    let known = COLOURS.iter().any(|(name, _)| *name == rung);
    format!("rung-{}", if known { rung } else { "other" })
}

/// What a case's mark says when it is pointed at.
fn hint(row: &Row) -> String {
    let naive = row.over_naive().map_or_else(String::new, |over| {
        format!(", {over:.1} x the naive kernel")
    });
    format!(
        "{} {} {} {}: {}, {:.3} of the native copy, {:.3} of the plain kernel{naive}, {:.2} GB/s{}",
        row.suite,
        row.case,
        row.dtype,
        row.shape_text,
        row.rung,
        row.native_share(),
        row.kernel_share(),
        row.traffic(),
        if row.verified { "" } else { ", WRONG" }
    )
}

/// Groups rows that share a key, in order of first appearance.
pub(crate) fn grouped<'a, K: PartialEq>(
    rows: &[&'a Row],
    key: impl Fn(&Row) -> K,
) -> Vec<(K, Vec<&'a Row>)> {
    let mut groups: Vec<(K, Vec<&Row>)> = Vec::new();
    for row in rows {
        let key = key(row);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    groups
}

/// A lane for each suite and width, a dot for each case, on two logarithmic scales.
pub(crate) fn lanes(rows: &[&Row]) -> String {
    let groups = grouped(rows, |row| (row.suite, row.group.1.clone()));
    let height = 50.0 + LANE * groups.len() as f64;
    let mut svg = Svg::new(
        NAMES + 2.0 * PANEL,
        height,
        "shares of every case by suite and width",
    );
    for (k, (title, share)) in [
        (
            "share of the native copy",
            Row::native_share as fn(&Row) -> f64,
        ),
        ("share of the plain copy kernel", Row::kernel_share),
    ]
    .into_iter()
    .enumerate()
    {
        let left = NAMES + PANEL * k as f64 + 12.0;
        let right = left + PANEL - 34.0;
        let least = rows.iter().map(|row| share(row)).fold(0.1, f64::min);
        let most = rows.iter().map(|row| share(row)).fold(1.0, f64::max);
        let (low, high) = (least.log10().floor(), most.log10().max(0.0) + 0.05);
        let place = |share: f64| {
            left + (share.log10() - low).clamp(0.0, high - low) / (high - low) * (right - left)
        };
        svg.text((left, 14.0), Anchor::Start, "head", title);
        let mut tick = 10_f64.powf(low);
        while tick <= most * 1.01 {
            for step in [1.0, 2.0, 5.0] {
                let value = tick * step;
                if value.log10() <= high {
                    let x = place(value);
                    let class = if (value - 1.0).abs() < 1e-6 {
                        "whole"
                    } else {
                        "grid"
                    };
                    svg.line((x, 36.0), (x, height - 8.0), class);
                    // Further down there is room for powers of ten alone.
                    if step < 1.5 || value > 0.04 {
                        svg.text((x, 30.0), Anchor::Middle, "tick", tidy(value));
                    }
                }
            }
            tick *= 10.0;
        }
        for (lane, (_, rows)) in groups.iter().enumerate() {
            let y = 38.0 + LANE * (lane as f64 + 0.5);
            for (i, row) in rows.iter().enumerate() {
                // Dots of like shares would cover each other on one line.
                let shift = ((i * 7) % 11) as f64 * 1.8 - 9.0;
                let class = class(row.rung);
                svg.dot((place(share(row)), y + shift), 3.2, &class, &hint(row));
            }
            if let Some(mean) = geometric_mean(rows.iter().map(|row| share(row))) {
                let x = place(mean);
                svg.line((x, y - 13.0), (x, y + 13.0), "mean");
                svg.text(
                    (x + 4.0, y - 7.0),
                    Anchor::Start,
                    "mean-text",
                    format!("{mean:.3}"),
                );
            }
        }
    }
    for (lane, ((suite, dtype), rows)) in groups.iter().enumerate() {
        let y = 42.0 + LANE * (lane as f64 + 0.5);
        let text = format!("{suite} {dtype}, {} cases", rows.len());
        svg.text((NAMES - 8.0, y), Anchor::End, "name", text);
    }
    svg.finish()
}

/// A line for each case of a suite, a column for each width, and in it two bars: the share of the native copy and, paler,
/// that of the plain kernel.
pub(crate) fn bars(rows: &[&Row]) -> String {
    let cases = grouped(rows, |row| row.case.clone());
    let widths = grouped(rows, |row| row.group.1.clone());
    let column = (COLUMNS / widths.len() as f64).max(112.0);
    let reach = column - FIGURES;
    let height = 34.0 + CASE * cases.len() as f64;
    let width = NAMES + column * widths.len() as f64;
    let mut svg = Svg::new(width, height, "shares of each case");
    for (k, (dtype, _)) in widths.iter().enumerate() {
        let left = NAMES + column * k as f64;
        svg.text((left, 14.0), Anchor::Start, "head", dtype);
        for (value, label) in [(0.0, "0"), (0.5, "0.5"), (1.0, "1")] {
            let x = left + reach * value;
            svg.line(
                (x, 28.0),
                (x, height - 4.0),
                if value > 0.9 { "whole" } else { "grid" },
            );
            svg.text((x, 26.0), Anchor::Middle, "tick", label);
        }
    }
    for (line, (name, rows)) in cases.iter().enumerate() {
        let y = 30.0 + CASE * line as f64;
        svg.text((NAMES - 8.0, y + 13.0), Anchor::End, "name", name);
        for row in rows {
            let Some(k) = widths.iter().position(|(dtype, _)| *dtype == row.group.1) else {
                continue;
            };
            let left = NAMES + column * k as f64;
            let hint = hint(row);
            let class = class(row.rung);
            let length = |share: f64| (share.min(1.0) * reach).max(1.0);
            svg.bar(
                (left, y + 2.0),
                (length(row.native_share()), 8.0),
                &class,
                &hint,
            );
            let pale = format!("{class} pale");
            svg.bar(
                (left, y + 11.0),
                (length(row.kernel_share()), 6.0),
                &pale,
                &hint,
            );
            let figures = format!("{:.2} / {:.2}", row.native_share(), row.kernel_share());
            let class = if row.verified {
                "figure"
            } else {
                "figure wrong"
            };
            svg.text(
                (left + reach + 6.0, y + 13.0),
                Anchor::Start,
                class,
                figures,
            );
        }
    }
    svg.finish()
}

/// A tick's value without zeros that say nothing.
fn tidy(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
