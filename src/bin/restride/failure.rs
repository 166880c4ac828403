//! Why a command ended without its result, and the exit code that says so.

use std::fmt::Display;
use std::path::Path;

/// A command's failure, its message whole.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// What was asked for cannot be: a bad argument, or a file that is not what it claims.
    #[error("{0}")]
    Input(String),
    /// The machine would not: the disk, the device, the memory.
    #[error("{0}")]
    Trouble(String),
    /// A copy that differs from the reference.
    #[error("{0}")]
    Verify(String),
}

impl Failure {
    /// Bad input, about a file.
    pub(crate) fn file(path: &Path, message: impl Display) -> Self {
        Self::Input(format!("{}: {message}", path.display()))
    }

    /// Disk trouble with a file.
    pub(crate) fn disk(path: &Path, error: impl Display) -> Self {
        Self::Trouble(format!("{}: {error}", path.display()))
    }

    /// An input file that would not open: a wrong name is bad input, everything else is trouble.
    pub(crate) fn open(path: &Path, error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::NotFound
            | std::io::ErrorKind::NotADirectory
            | std::io::ErrorKind::IsADirectory
            | std::io::ErrorKind::InvalidInput => Self::file(path, error),
            _ => Self::disk(path, error),
        }
    }

    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Verify(_) => 1,
            Self::Input(_) => 2,
            Self::Trouble(_) => 3,
        }
    }
}
