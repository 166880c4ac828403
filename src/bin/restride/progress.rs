//! A progress bar on a terminal, for work that takes more than a second.

use crate::failure::Failure;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::borrow::Cow;
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

/// How long the work must last before the bar shows.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the bar is drawn afresh while nothing advances.
const TICK: Duration = Duration::from_millis(120);

/// Work counted in bytes; dropping it wipes the bar.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// Tells the waiting thread that the work ended before its time, by being dropped.
    _end: Sender<()>,
}

impl Progress {
    /// Work of no bytes yet.
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(
            "{spinner} {msg} {wide_bar} {binary_bytes}/{binary_total_bytes} {elapsed}",
        ) {
            bar.set_style(style);
        }
        let (end, ended) = mpsc::channel::<()>();
        if std::io::stderr().is_terminal() {
            let waiting = bar.clone();
            // Without the thread there is no bar, and the work goes on.
            let _ = std::thread::Builder::new().spawn(move || {
                if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                    waiting.set_draw_target(ProgressDrawTarget::stderr());
                    waiting.enable_steady_tick(TICK);
                    let _ = ended.recv();
                    waiting.finish_and_clear();
                }
            });
        }
        Self { bar, _end: end }
    }

    /// Announces more work.
    pub(crate) fn expect(&self, bytes: u64) {
        self.bar.inc_length(bytes);
    }

    /// Names what is being done now.
    pub(crate) fn phase(&self, name: impl Into<Cow<'static, str>>) {
        self.bar.set_message(name);
    }

    /// A line on stderr, past the bar.
    pub(crate) fn say(&self, line: &str) {
        self.bar.suspend(|| {
            let _ = writeln!(std::io::stderr(), "{line}");
        });
    }

    /// Text on stdout, past the bar.
    pub(crate) fn print(&self, text: &str) -> Result<(), Failure> {
        self.bar.suspend(|| crate::print(text))
    }

    /// Work done.
    pub(crate) fn advance(&self, bytes: u64) {
        self.bar.inc(bytes);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
