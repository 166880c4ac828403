//! Just as much SVG as the report draws.

use std::fmt::{Display, Write};

/// A drawing of so many units.
pub(crate) struct Svg {
    width: f64,
    height: f64,
    label: String,
    body: String,
}

/// Where text is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    /// An empty drawing; `label` says to those who cannot see it what it shows.
    pub(crate) fn new(width: f64, height: f64, label: &str) -> Self {
        Self {
            width,
            height,
            label: escape(label),
            body: String::new(),
        }
    }

    /// A filled rectangle of a class, with a hint.
    pub(crate) fn bar(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        class: &str,
        hint: &str,
    ) {
        let hint = escape(hint);
        let _ = writeln!(
            self.body,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"><title>{hint}</title></rect>"
        );
    }

    /// A dot of a class, with a hint.
    pub(crate) fn dot(&mut self, (x, y): (f64, f64), radius: f64, class: &str, hint: &str) {
        let hint = escape(hint);
        let _ = writeln!(
            self.body,
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"><title>{hint}</title></circle>"
        );
    }

    /// A straight line of a class.
    pub(crate) fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) {
        let _ = writeln!(
            self.body,
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        );
    }

    /// A line of text, its baseline at `y`.
    pub(crate) fn text(
        &mut self,
        (x, y): (f64, f64),
        anchor: Anchor,
        class: &str,
        text: impl Display,
    ) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escape(&text.to_string());
        let _ = writeln!(
            self.body,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
        );
    }

    /// The element, as it stands in a page.
    pub(crate) fn finish(self) -> String {
        let Self {
            width,
            height,
            label,
            body,
        } = self;
        format!(
            "<svg role=\"img\" aria-label=\"{label}\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\">\n{body}</svg>\n"
        )
    }
}

/// `text` as character data or an attribute's value.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ => escaped.push(c),
        }
    }
    escaped
}
