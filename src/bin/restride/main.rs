//! `restride`: strided views of tensors in files, copied bit for bit on the GPU.
//!
//! [`arguments`] is the interface, [`formats`] what files say, [`files`] their place on the disk, [`run`] the one place that makes a copy; each command is a module.

mod adapters;
mod arguments;
mod bench;
mod buffer;
mod copy;
mod device;
mod explain;
mod failure;
mod files;
mod formats;
mod progress;
mod run;
mod write;

use arguments::{Arguments, Command};
use clap::Parser;
use clap::error::ErrorKind;
use failure::Failure;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return refuse(&error),
    };
    let done = match arguments.command {
        Command::Copy(arguments) => copy::run(&arguments),
        Command::Write(arguments) => write::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Bench(options) => bench::run(&options),
        Command::Adapters => adapters::run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            report(&failure.to_string());
            ExitCode::from(failure.code())
        }
    }
}

/// Help goes where it was asked for; everything else that clap says becomes one line, as all errors are.
fn refuse(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            let misused = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
            ExitCode::from(if misused { 2 } else { 0 })
        }
        _ => {
            let text = error.render().to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text);
            let end = text
                .find("\n\nUsage:")
                .or_else(|| text.find("\n\nFor more"));
            report(&text[..end.unwrap_or(text.len())]);
            ExitCode::from(2)
        }
    }
}

/// One line on stderr. Whether anyone can read it changes nothing.
fn report(message: &str) {
    let lines: Vec<&str> = message
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect();
    let line: String = lines
        .join(" ")
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    let _ = writeln!(io::stderr(), "restride: {line}");
}

/// Text on stdout; a reader that has seen enough of it is no failure.
fn print(text: &str) -> Result<(), Failure> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::Trouble(format!("stdout: {error}")))
        }
        _ => Ok(()),
    }
}
