//! The command line on hostile files and places: typed, one line, in time, and nothing touched.
//!
//! What headers and requests are refused by name is in `tests/judge/refusals.py`; here are the files that are none, the paths
//! that are one and the same, and the disk that is full.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const RESTRIDE: &str = env!("CARGO_BIN_EXE_restride");
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder with the matrix `x.npy` of 2 by 3 bytes, and what was in it.
struct Folder {
    folder: TempDir,
    before: Vec<(String, Option<Vec<u8>>)>,
}

/// A `.npy` file of bytes.
fn npy(shape: &str, data: &[u8]) -> Vec<u8> {
    let mut text = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}");
    text += &" ".repeat(63 - (10 + text.len()) % 64);
    text.push('\n');
    let length = u16::try_from(text.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes(), data].concat()
}

impl Folder {
    fn new() -> Self {
        let mut folder = Self {
            folder: TempDir::new().unwrap(),
            before: Vec::new(),
        };
        folder.save("x.npy", &npy("(2, 3)", &[1, 2, 3, 4, 5, 6]));
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn save(&mut self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
        self.note();
    }

    /// Each name with its bytes, where it is a file.
    fn now(&self) -> Vec<(String, Option<Vec<u8>>)> {
        let mut all: Vec<_> = fs::read_dir(self.folder.path())
            .unwrap()
            .map(|entry| {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                let is_file = fs::metadata(&path).is_ok_and(|m| m.is_file());
                (name, is_file.then(|| fs::read(&path).unwrap()))
            })
            .collect();
        all.sort();
        all
    }

    /// Takes what is there now for what was there before.
    fn note(&mut self) {
        self.before = self.now();
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        command
    }

    /// Runs the program on the CPU; its exit code and what it says.
    fn run(&self, arguments: &[&str]) -> (i32, String) {
        let arguments = [arguments, &["--adapter", "cpu"]].concat();
        ended(self.command(RESTRIDE, &arguments))
    }

    fn succeeds(&self, arguments: &[&str]) {
        let (code, said) = self.run(arguments);
        assert_eq!(code, 0, "{arguments:?}: {said}");
        let left = self
            .now()
            .into_iter()
            .filter(|(name, _)| name.starts_with('.'));
        assert_eq!(left.count(), 0, "{arguments:?} left a part behind");
    }

    fn refuses(&self, arguments: &[&str], code: i32, parts: &[&str]) {
        self.is_refused(&format!("{arguments:?}"), &self.run(arguments), code, parts);
    }

    /// A refusal is a code and one line that names what is wrong, and the folder is as it was.
    fn is_refused(&self, what: &str, ran: &(i32, String), code: i32, parts: &[&str]) {
        let (found, said) = ran;
        assert_eq!(*found, code, "{what}: {said}");
        assert_eq!(said.lines().count(), 1, "{what}: {said}");
        assert!(said.starts_with("restride: "), "{what}: {said}");
        for part in parts {
            assert!(said.contains(part), "{what}: no {part:?} in {said}");
        }
        assert_eq!(self.now(), self.before, "{what}");
    }

    fn data(&self, name: &str) -> Vec<u8> {
        let bytes = fs::read(self.path(name)).unwrap();
        let head = bytes.iter().position(|byte| *byte == b'\n').unwrap();
        bytes[head + 1..].to_vec()
    }
}

/// A run's exit code and what it says on stderr; a run that waits is a failure.
fn ended(mut command: Command) -> (i32, String) {
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("{command:?} waits");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap_or(-1), said)
}

#[test]
fn files_without_a_byte() {
    let mut folder = Folder::new();
    for name in ["e.npy", "e.safetensors", "e.png"] {
        folder.save(name, b"");
        folder.refuses(&["copy", name, "out.npy"], 2, &[name, "truncated"]);
        folder.refuses(
            &["write", "x.npy", name, "out.npy"],
            2,
            &[name, "truncated"],
        );
    }
    folder.save("e.bin", b"");
    let bin = ["copy", "e.bin", "out.npy", "--dtype", "uint8", "--shape"];
    folder.refuses(&[&bin[..], &["1"]].concat(), 2, &["e.bin", "truncated"]);
    // No byte is what no element takes.
    folder.succeeds(&[&bin[..], &["0,3"]].concat());
    assert_eq!(folder.data("out.npy"), b"");
    folder.succeeds(&["copy", "out.npy", "out.bin"]);
    assert_eq!(fs::read(folder.path("out.bin")).unwrap(), b"");
}

#[test]
fn headers_that_lie_and_beginnings_of_files() {
    let mut folder = Folder::new();
    folder.save("out.npy", b"kept");
    let whole = npy("(2, 3)", &[1, 2, 3, 4, 5, 6]);
    for end in [
        1,
        7,
        9,
        20,
        whole.len() - 7,
        whole.len() - 6,
        whole.len() - 1,
    ] {
        folder.save("bad.npy", &whole[..end]);
        folder.refuses(&["copy", "bad.npy", "out.npy"], 2, &["bad.npy"]);
    }
    let long = "9007199254740993";
    for (shape, part) in [
        ("(7,)", "truncated"),
        ("(5,)", "too many"),
        ("(4294967296, 4294967296)", "2^53"),
        ("(0, 9007199254740993)", "2^53"),
        (long, "`(`"),
        ("(18446744073709551616,)", "64 bits"),
    ] {
        folder.save("bad.npy", &npy(shape, &[1, 2, 3, 4, 5, 6]));
        folder.refuses(&["copy", "bad.npy", "out.npy"], 2, &["bad.npy", part]);
        folder.refuses(
            &["write", "bad.npy", "x.npy", "out.npy"],
            2,
            &["bad.npy", part],
        );
        folder.refuses(
            &["write", "x.npy", "bad.npy", "out.npy"],
            2,
            &["bad.npy", part],
        );
    }
    // A header as long as a format can say, of a file that is not.
    let mut bytes = u64::MAX.to_le_bytes().to_vec();
    bytes.extend(b"{}");
    folder.save("bad.safetensors", &bytes);
    folder.refuses(
        &["copy", "bad.safetensors", "out.npy"],
        2,
        &["bad.safetensors"],
    );
}

#[test]
fn folders() {
    let mut folder = Folder::new();
    fs::create_dir(folder.path("d.npy")).unwrap();
    folder.note();
    folder.refuses(&["copy", "d.npy", "out.npy"], 2, &["d.npy", "directory"]);
    folder.refuses(
        &["write", "x.npy", "d.npy", "out.npy"],
        2,
        &["d.npy", "directory"],
    );
    folder.refuses(&["copy", "x.npy", "d.npy"], 3, &["d.npy", "directory"]);
    folder.refuses(&["copy", "x.npy", "nowhere/out.npy"], 3, &["nowhere"]);
    folder.refuses(&["copy", "x.npy", "x.npy/out.npy"], 3, &["x.npy/out.npy"]);
    folder.refuses(&["copy", "x.npy/y.npy", "out.npy"], 2, &["x.npy/y.npy"]);
}

/// Makes a pipe with nobody at its other end; false where there are none.
#[cfg(unix)]
fn pipe(path: &Path) -> bool {
    let made = Command::new("mkfifo").arg(path).status();
    made.is_ok_and(|status| status.success())
}

#[test]
#[cfg(unix)]
fn pipes_are_neither_waited_for_nor_replaced() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let mut folder = Folder::new();
    if !pipe(&folder.path("p.npy")) {
        println!("cli_files: left out, as there is no mkfifo");
        return;
    }
    symlink("p.npy", folder.path("link.npy")).unwrap();
    folder.note();
    for name in ["p.npy", "link.npy"] {
        folder.refuses(&["copy", name, "out.npy"], 2, &[name, "pipe"]);
        folder.refuses(&["write", "x.npy", name, "out.npy"], 2, &[name, "pipe"]);
        folder.refuses(&["write", name, "x.npy", "out.npy"], 2, &[name, "pipe"]);
        folder.refuses(&["copy", "x.npy", name], 3, &[name, "pipe"]);
        folder.refuses(&["write", "x.npy", "x.npy", name], 3, &[name, "pipe"]);
    }
    let kind = fs::metadata(folder.path("p.npy")).unwrap().file_type();
    assert!(kind.is_fifo());
    // Nor are devices: this one reads without an end.
    symlink("/dev/zero", folder.path("zero.bin")).unwrap();
    folder.note();
    let raw = [
        "copy", "zero.bin", "out.npy", "--dtype", "uint8", "--shape", "4",
    ];
    folder.refuses(&raw, 2, &["zero.bin", "device"]);
}

#[test]
fn the_output_may_be_an_input() {
    let turned = [1, 4, 2, 5, 3, 6];
    for out in ["x.npy", "./x.npy", "sub/../x.npy"] {
        let folder = Folder::new();
        fs::create_dir(folder.path("sub")).unwrap();
        folder.succeeds(&["copy", "x.npy", out, "--view", ".T"]);
        assert_eq!(folder.data("x.npy"), turned, "{out}");
        // A place in BASE, which is OUT, from IN, which is too.
        folder.succeeds(&["write", "x.npy", "x.npy", out, "--view", "[::-1]"]);
        assert_eq!(folder.data("x.npy"), [3, 6, 2, 5, 1, 4], "{out}");
    }
    // What is refused leaves it as it was.
    let folder = Folder::new();
    folder.refuses(
        &["copy", "x.npy", "x.npy", "--view", "[9]"],
        2,
        &["index 9"],
    );
    folder.refuses(
        &["write", "x.npy", "x.npy", "x.npy", "--at", "[0]"],
        2,
        &["(2,3)"],
    );
}

#[test]
#[cfg(unix)]
fn links_are_written_through() {
    use std::os::unix::fs::symlink;
    let mut folder = Folder::new();
    folder.save("y.npy", b"other");
    symlink("y.npy", folder.path("link.npy")).unwrap();
    symlink("gone.npy", folder.path("dangling.npy")).unwrap();
    folder.note();
    folder.refuses(&["copy", "link.npy", "out.npy"], 2, &["link.npy"]);
    folder.refuses(&["copy", "dangling.npy", "out.npy"], 2, &["dangling.npy"]);
    folder.succeeds(&["copy", "x.npy", "link.npy"]);
    assert!(
        fs::symlink_metadata(folder.path("link.npy"))
            .unwrap()
            .is_symlink()
    );
    assert_eq!(folder.data("y.npy"), [1, 2, 3, 4, 5, 6]);
    // Into the file that is read, through a link to it.
    symlink("x.npy", folder.path("same.npy")).unwrap();
    folder.succeeds(&["copy", "x.npy", "same.npy", "--view", "[::-1]"]);
    assert_eq!(folder.data("x.npy"), [4, 5, 6, 1, 2, 3]);
}

/// A limit on the size of files stands for a full disk: writing fails in the middle.
#[test]
#[cfg(unix)]
fn a_file_that_cannot_grow_leaves_what_was_there() {
    let mut folder = Folder::new();
    folder.save("out.npy", b"kept");
    folder.save("base.npy", &npy("(40000,)", &[7; 40_000]));
    let limited = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\" --adapter cpu";
    for arguments in [
        &[
            "copy",
            "x.npy",
            "out.npy",
            "--view",
            "[None].broadcast(9000,2,3)",
        ][..],
        &[
            "write",
            "x.npy",
            "base.npy",
            "out.npy",
            "--view",
            ".reshape(6)",
            "--at",
            "[:6]",
        ],
        &[
            "write",
            "x.npy",
            "base.npy",
            "base.npy",
            "--view",
            ".reshape(6)",
            "--at",
            "[:6]",
        ],
    ] {
        let shell = [&["-c", limited, RESTRIDE], arguments].concat();
        let ran = ended(folder.command("sh", &shell));
        let out = arguments.iter().take_while(|a| !a.starts_with('-')).last();
        let out = out.expect("a path");
        folder.is_refused(&format!("{arguments:?}"), &ran, 3, &[out, "too large"]);
    }
    // It is the limit that failed.
    folder.succeeds(&[
        "copy",
        "x.npy",
        "out.npy",
        "--view",
        "[None].broadcast(9000,2,3)",
    ]);
}

/// A disk with less room than the result takes, where this machine lets one be made.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_what_was_there() {
    let mut folder = Folder::new();
    let disk = folder.path("disk");
    fs::create_dir(&disk).unwrap();
    let mount = |arguments: &[&str]| {
        let status = Command::new("mount").args(arguments).arg(&disk).status();
        status.is_ok_and(|status| status.success())
    };
    if !mount(&["-t", "tmpfs", "-o", "size=64k", "none"]) {
        println!("cli_files: no small disk, as it cannot be mounted here");
        return;
    }
    let mounted = Mounted(disk.clone());
    fs::write(disk.join("out.npy"), b"kept").unwrap();
    folder.note();
    let large = "[None].broadcast(90000,2,3)";
    let ran = folder.run(&["copy", "x.npy", "disk/out.npy", "--view", large]);
    assert_eq!(fs::read_dir(&disk).unwrap().count(), 1, "a part is left");
    assert_eq!(fs::read(disk.join("out.npy")).unwrap(), b"kept");
    folder.is_refused("a full disk", &ran, 3, &["disk/out.npy", "space"]);
    drop(mounted);
}

/// A disk that is unmounted again.
#[cfg(target_os = "linux")]
struct Mounted(PathBuf);

#[cfg(target_os = "linux")]
impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// Text that cannot be written is trouble too.
#[test]
#[cfg(target_os = "linux")]
fn a_full_standard_output() {
    let folder = Folder::new();
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let explain = [
        "explain",
        "--dtype",
        "uint8",
        "--shape",
        "4,5",
        "--adapter",
        "cpu",
    ];
    let output = folder
        .command(RESTRIDE, &explain)
        .stdout(full)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let ran = (output.status.code().unwrap_or(-1), said);
    folder.is_refused("explain", &ran, 3, &["stdout"]);
}
