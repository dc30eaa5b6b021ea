//! Where records go: stdout, or a file that appears whole.

use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tempfile::NamedTempFile;

/// Bytes gathered before a write.
const BUFFER: usize = 1 << 16;

pub(crate) enum Output {
    Stdout(BufWriter<StdoutLock<'static>>),
    /// Written under a temporary name beside its target and renamed when the run has ended.
    File(BufWriter<NamedTempFile>, PathBuf),
}

impl Output {
    pub(crate) fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            return Ok(Self::Stdout(BufWriter::with_capacity(BUFFER, io::stdout().lock())));
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = NamedTempFile::new_in(folder).with_context(|| format!("cannot write in {}", folder.display()))?;
        Ok(Self::File(BufWriter::with_capacity(BUFFER, file), path.to_owned()))
    }

    pub(crate) fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Stdout(mut stdout) => Ok(stdout.flush()?),
            Self::File(writer, path) => {
                let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
                // A temporary file is private; the file asked for gets the usual permissions.
                make_readable(&file)?;
                file.persist(&path).with_context(|| format!("cannot write {}", path.display()))?;
                Ok(())
            }
        }
    }
}

#[cfg(unix)]
fn make_readable(file: &NamedTempFile) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_readable(_: &NamedTempFile) -> io::Result<()> {
    Ok(())
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(writer) => writer.write(bytes),
            Self::File(writer, _) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(writer) => writer.flush(),
            Self::File(writer, _) => writer.flush(),
        }
    }
}
