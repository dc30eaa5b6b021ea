//! A command that is given its input, read to its end and never waited for too long.
//!
//! No shell takes part. The process has its own bound of memory, ends with us, and is killed when its time is over,
//! with all that it started: a command may be a script that runs the program it is named after.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread::Scope;
use std::time::{Duration, Instant};

/// Most bytes taken of what a command writes.
const LONGEST: u64 = 64 << 20;
/// How many times the seconds a command may compute it may take on the clock: on a machine that is shared, a command
/// waits for most of them.
const WAITING: u32 = 6;
/// How often an ended output is followed by a look whether the process ended too.
const LOOK: Duration = Duration::from_millis(2);

/// What came of a command.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) output: Vec<u8>,
    /// Its last words on stderr.
    pub(crate) complaint: String,
    pub(crate) status: ExitStatus,
}

/// Why a command gave nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error("it does not start: {0}")]
    Start(std::io::Error),
    #[error("no answer within {} s of computing", .0.as_secs_f32())]
    Time(Duration),
}

/// Runs `program` with these arguments and input, for at most `time` of computing, in whole seconds, and on the clock
/// [`WAITING`] times as long (where the system counts no computing, `time` on the clock). OpenMP is held to one thread, so that two pictures on two cores do
/// not spin against each other and sums have one order.
///
/// # Errors
/// Where it does not start or does not end in time.
pub(crate) fn run<S: AsRef<OsStr>>(
    program: &Path,
    args: &[S],
    input: &[u8],
    time: Duration,
    memory: u64,
) -> Result<Said, Fault> {
    let end = Instant::now() + if cfg!(unix) { time.saturating_mul(WAITING) } else { time };
    #[expect(clippy::disallowed_methods, reason = "this room owns the tesseract command and the process that listens")]
    let mut command = Command::new(program);
    command.args(args).env("OMP_THREAD_LIMIT", "1").env("LC_ALL", "C");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    bound(&mut command, memory, time);
    let mut child = command.spawn().map_err(Fault::Start)?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    std::thread::scope(move |scope| {
        let mut family = Family { child, is_over: false };
        scope.spawn(move || {
            // A command that has seen enough closes its input; what it says decides.
            let _ = stdin.map(|mut pipe| pipe.write_all(input));
        });
        let (output, complaint) = (heard(scope, stdout), heard(scope, stderr));
        let until_end = |stream: Receiver<Vec<u8>>| stream.recv_timeout(end.saturating_duration_since(Instant::now()));
        let said = until_end(output).and_then(|output| Ok((output, until_end(complaint)?)));
        let in_time = said.is_ok() && family.ends_by(end);
        // Whatever happened, nobody holds the streams after this, and the threads end.
        let status = family.end();
        let ((output, complaint), true) = (said.unwrap_or_default(), in_time) else { return Err(Fault::Time(time)) };
        let status = status.map_err(Fault::Start)?;
        if has_computed_too_long(status) {
            return Err(Fault::Time(time));
        }
        let complaint = String::from_utf8_lossy(&complaint).trim().to_owned();
        Ok(Said { output, complaint, status })
    })
}

/// What comes of a stream once it is at its end.
fn heard<'scope>(scope: &'scope Scope<'scope, '_>, stream: Option<impl Read + Send + 'scope>) -> Receiver<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    scope.spawn(move || {
        let _ = send.send(stream.map(all).unwrap_or_default());
    });
    receive
}

/// Everything of a stream, up to [`LONGEST`].
fn all(stream: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = stream.take(LONGEST).read_to_end(&mut bytes);
    bytes
}

/// A process with all that it started: killed, and waited for, when it is dropped.
struct Family {
    child: Child,
    is_over: bool,
}

impl Family {
    /// Whether the process ends until then.
    fn ends_by(&mut self, end: Instant) -> bool {
        loop {
            if self.has_ended() {
                return true;
            }
            if Instant::now() >= end {
                return false;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Whether the process has ended. It is not waited for yet, so that nobody else can be given its number, which is
    /// its group's.
    #[cfg(unix)]
    fn has_ended(&mut self) -> bool {
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        // SAFETY: zeros are a valid siginfo_t, which outlives the call and whose pid is 0 until a process is found.
        unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            libc::waitid(libc::P_PID, self.child.id(), &raw mut info, flags) != 0 || info.si_pid() != 0
        }
    }

    #[cfg(not(unix))]
    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Kills what still runs and says how the process ended.
    fn end(&mut self) -> std::io::Result<ExitStatus> {
        if !self.is_over {
            self.is_over = true;
            #[cfg(unix)]
            if let Ok(group) = libc::pid_t::try_from(self.child.id()) {
                // SAFETY: no memory is involved, and the process was not waited for: the group is its own.
                unsafe { libc::kill(-group, libc::SIGKILL) };
            }
            let _ = self.child.kill();
        }
        self.child.wait()
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// Whether the system ended a process since its computing time was over.
#[cfg(unix)]
fn has_computed_too_long(status: ExitStatus) -> bool {
    std::os::unix::process::ExitStatusExt::signal(&status) == Some(libc::SIGXCPU)
}

#[cfg(not(unix))]
fn has_computed_too_long(_status: ExitStatus) -> bool {
    false
}

/// Bounds the process's address space and computing time, makes it the first of its own group, and lets it end when the thread that waits
/// for it does.
#[cfg(unix)]
fn bound(command: &mut Command, memory: u64, time: Duration) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
    let limit = |most: libc::rlim_t| libc::rlimit { rlim_cur: most, rlim_max: most };
    // The signal of the lower one says why it ended.
    let computing = |most: libc::rlim_t| libc::rlimit { rlim_cur: most, rlim_max: most.saturating_add(5) };
    let most = libc::rlim_t::try_from(memory).unwrap_or(libc::RLIM_INFINITY);
    let seconds = libc::rlim_t::from(time.as_secs().saturating_add(u64::from(time.subsec_nanos() > 0)));
    let before = move || {
        let (space, core, time) = (limit(most), limit(0), computing(seconds));
        // SAFETY: between fork and exec only these calls are made, all of them async-signal-safe; the limits outlive them.
        unsafe {
            if libc::setrlimit(libc::RLIMIT_AS, &raw const space) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            libc::setrlimit(libc::RLIMIT_CORE, &raw const core);
            libc::setrlimit(libc::RLIMIT_CPU, &raw const time);
            #[cfg(target_os = "linux")]
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        }
        Ok(())
    };
    // SAFETY: see above; the closure allocates nothing and takes no lock.
    unsafe {
        command.pre_exec(before);
    }
}

#[cfg(not(unix))]
fn bound(_command: &mut Command, _memory: u64, _time: Duration) {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, input: &[u8], millis: u64) -> Result<Said, Fault> {
        run(Path::new("/bin/sh"), &["-c", script], input, Duration::from_millis(millis), 1 << 30)
    }

    #[test]
    fn input_goes_in_and_output_comes_out() {
        let input = vec![b'x'; 1 << 20];
        let said = shell("cat; echo bad >&2; exit 3", &input, 20_000).unwrap();
        assert_eq!((said.output, said.complaint.as_str(), said.status.code()), (input, "bad", Some(3)));
    }

    #[test]
    fn what_hangs_is_ended_and_what_does_not_exist_is_said() {
        let begin = Instant::now();
        assert!(matches!(shell("exec sleep 60", b"", 100), Err(Fault::Time(_))));
        assert!(matches!(shell("exec >&- 2>&-; exec sleep 60", b"", 100), Err(Fault::Time(_))));
        assert!(begin.elapsed() < Duration::from_secs(20));
        let nothing = run(Path::new("/no/such/program"), &["x"], b"", Duration::from_secs(1), 1 << 30);
        assert!(matches!(nothing, Err(Fault::Start(_))));
    }

    #[test]
    fn what_computes_is_ended_by_its_own_time_and_what_waits_by_the_clock() {
        let begin = Instant::now();
        assert!(matches!(shell("while :; do :; done", b"", 1000), Err(Fault::Time(_))));
        assert!(begin.elapsed() < Duration::from_secs(60));
        let said = shell("sleep 2; echo done", b"", 1000).unwrap();
        assert_eq!(said.output, b"done\n", "two seconds on the clock, none of computing");
    }

    #[test]
    fn what_a_script_started_ends_with_it() {
        let begin = Instant::now();
        // No exec: the shell waits, and what sleeps holds the streams.
        assert!(matches!(shell("sleep 60; :", b"", 100), Err(Fault::Time(_))));
        assert!(matches!(shell("sleep 60 >&- & :", b"", 100), Err(Fault::Time(_))), "stderr is held");
        // The input is longer than a pipe holds, and whoever has it does not read it.
        let input = vec![b'x'; 1 << 20];
        let said = shell("exec 3<&0; sleep 60 <&3 3<&- >&- 2>&- & echo done", &input, 20_000).unwrap();
        assert_eq!((said.output.as_slice(), said.status.code()), (b"done\n".as_slice(), Some(0)));
        assert!(begin.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn memory_is_bounded_and_threads_are_held_to_one() {
        let said = shell("ulimit -v; echo $OMP_THREAD_LIMIT", b"", 20_000).unwrap();
        assert_eq!(String::from_utf8(said.output).unwrap(), "1048576\n1\n");
    }
}
