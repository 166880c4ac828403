//! The report: one page that holds all it shows.

use super::plots::{self, COLOURS, grouped};
use super::row::{Row, geometric_mean};
use super::svg::escape;
use std::fmt::Write;

const PAGE: &str = include_str!("report.html");

/// What was measured on, and how.
pub(crate) struct Setting<'a> {
    pub(crate) adapter: &'a str,
    pub(crate) driver: &'a str,
    pub(crate) clock: &'a str,
    pub(crate) bytes: u64,
    pub(crate) runs: usize,
}

/// The page.
pub(crate) fn page(setting: &Setting<'_>, rows: &[Row]) -> String {
    let rows: Vec<&Row> = rows.iter().collect();
    let mut colours = String::new();
    for (rung, colour) in COLOURS {
        let _ = writeln!(
            colours,
            ".rung-{rung} {{ fill: {colour}; background: {colour}; }}"
        );
    }
    let mut body = format!(
        "<h1>Strided copies on {}</h1>\n<p>{}; {}, best of {}; {} MiB to a tensor of 4-byte elements. A share is the other's time over ours: 1 is as fast, more is faster.</p>\n",
        escape(setting.adapter),
        escape(setting.driver),
        setting.clock,
        setting.runs,
        setting.bytes as f64 / f64::from(1 << 20),
    );
    cards(&mut body, &rows);
    legend(&mut body, &rows);
    body.push_str("<h2>At a glance</h2>\n<p>Each dot is a case, in the colour of the rung that made it; the upright line is the geometric mean.</p>\n<div class=\"plot\">\n");
    body.push_str(&plots::lanes(&rows));
    body.push_str("</div>\n");
    for (suite, rows) in grouped(&rows, |row| row.suite) {
        let _ = writeln!(
            body,
            "<h2>{suite}</h2>\n<p>Upper bar: share of the native copy. Lower, paler bar: share of the plain copy kernel. Point at a bar for shape, rung and speed.</p>\n<div class=\"plot\">"
        );
        body.push_str(&plots::bars(&rows));
        body.push_str("</div>\n");
    }
    PAGE.replace("/*colours*/", &colours)
        .replace("<!--body-->", &body)
}

/// The figures to see first.
fn cards(body: &mut String, rows: &[&Row]) {
    let mean = |values: Vec<f64>| {
        geometric_mean(values).map_or_else(|| "-".to_owned(), |mean| format!("{mean:.2}"))
    };
    let wrong = rows.iter().filter(|row| !row.verified).count();
    let slower = rows
        .iter()
        .filter(|row| row.over_naive().is_some_and(|over| over < 1.0))
        .count();
    let cards = [
        (
            mean(rows.iter().map(|row| row.native_share()).collect()),
            "of the native copy, geometric mean".to_owned(),
            false,
        ),
        (
            mean(rows.iter().map(|row| row.kernel_share()).collect()),
            "of a plain copy kernel, geometric mean".to_owned(),
            false,
        ),
        (
            format!(
                "{} x",
                mean(rows.iter().filter_map(|row| row.over_naive()).collect())
            ),
            "the naive kernel's speed, geometric mean".to_owned(),
            false,
        ),
        (
            slower.to_string(),
            "cases slower than the naive kernel".to_owned(),
            slower > 0,
        ),
        (
            wrong.to_string(),
            format!("of {} cases wrong", rows.len()),
            wrong > 0,
        ),
    ];
    body.push_str("<div class=\"cards\">\n");
    for (figure, text, bad) in cards {
        let class = if bad { "card bad" } else { "card" };
        let _ = writeln!(
            body,
            "<div class=\"{class}\"><b>{figure}</b><span>{text}</span></div>"
        );
    }
    body.push_str("</div>\n");
}

/// The rungs that were chosen, with the number of their cases.
fn legend(body: &mut String, rows: &[&Row]) {
    body.push_str("<p class=\"legend\">");
    for (rung, rows) in grouped(rows, |row| row.rung) {
        let class = plots::class(rung);
        let _ = write!(
            body,
            "<span><i class=\"{class}\"></i>{rung}, {}</span>",
            rows.len()
        );
    }
    body.push_str("</p>\n");
}
