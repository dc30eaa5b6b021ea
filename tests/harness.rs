//! Starts the real binaries in a folder of their own, with a bare environment, and gives back all they said.

use std::fmt::{self, Display};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Longest a tool may run in a test; debug builds on a busy machine are slow.
const PATIENCE: Duration = Duration::from_secs(240);

/// Every tool of the project, and where its binary is.
pub(crate) const TOOLS: &[(&str, &str)] = &[
    ("techrag-agents", env!("CARGO_BIN_EXE_techrag-agents")),
    ("techrag-answer", env!("CARGO_BIN_EXE_techrag-answer")),
    ("techrag-chunk", env!("CARGO_BIN_EXE_techrag-chunk")),
    ("techrag-embed", env!("CARGO_BIN_EXE_techrag-embed")),
    ("techrag-eval", env!("CARGO_BIN_EXE_techrag-eval")),
    ("techrag-external", env!("CARGO_BIN_EXE_techrag-external")),
    ("techrag-graph", env!("CARGO_BIN_EXE_techrag-graph")),
    ("techrag-index", env!("CARGO_BIN_EXE_techrag-index")),
    ("techrag-retrieve", env!("CARGO_BIN_EXE_techrag-retrieve")),
    ("techrag-score", env!("CARGO_BIN_EXE_techrag-score")),
    ("techrag-visual", env!("CARGO_BIN_EXE_techrag-visual")),
];

/// A folder to run tools in; it is also their home.
pub(crate) struct Place(TempDir);

/// What a run said and how it ended.
#[must_use = "look at the exit code, stdout and stderr"]
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit {}\n--- stdout\n{}--- stderr\n{}", self.code, self.stdout, self.stderr)
    }
}

impl Run {
    /// The run, if it ended well.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.code, 0, "{self}");
        self
    }

    /// Every line of stdout as JSON.
    #[track_caller]
    pub(crate) fn records(&self) -> Vec<serde_json::Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
    }
}

impl Place {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file and gives its path.
    pub(crate) fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
        std::fs::write(&path, content).expect("a file can be written");
        path
    }

    /// Runs a tool on this input to its end.
    pub(crate) fn run(&self, tool: &str, arguments: &[&str], input: &str) -> Run {
        self.run_with(tool, arguments, &[], input)
    }

    /// The same with environment variables.
    pub(crate) fn run_with(&self, tool: &str, arguments: &[&str], environment: &[(&str, &str)], input: &str) -> Run {
        let mut command = self.command(Path::new(binary(tool)), arguments);
        command.envs(environment.iter().copied());
        finish(command.spawn().expect("a binary starts"), input)
    }

    /// Runs a script of `pipelines/` over the binaries under test.
    pub(crate) fn pipeline(&self, script: &str, arguments: &[&str], input: &str) -> Run {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("pipelines").join(script);
        let mut command = self.command(&script, arguments);
        command.env("TECHRAG_BIN", Path::new(binary("techrag-chunk")).parent().expect("a folder"));
        finish(command.spawn().expect("a script starts"), input)
    }

    /// Runs a line of bash with the tools on the path.
    pub(crate) fn shell(&self, line: &str) -> Run {
        let tools = Path::new(binary("techrag-chunk")).parent().expect("a folder").display().to_string();
        let path = inherited("PATH").map_or(String::new(), |path| path.to_string_lossy().into_owned());
        let mut command = self.command(Path::new("bash"), &["-c", line]);
        command.env("PATH", format!("{tools}:{path}"));
        finish(command.spawn().expect("bash starts"), "")
    }

    /// Starts a tool to talk to line by line.
    pub(crate) fn talk(&self, tool: &str, arguments: &[&str]) -> Conversation {
        self.talk_with(tool, arguments, &[])
    }

    /// The same with environment variables.
    pub(crate) fn talk_with(&self, tool: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Conversation {
        let mut command = self.command(Path::new(binary(tool)), arguments);
        let mut child = command.envs(environment.iter().copied()).spawn().expect("a binary starts");
        let (stdin, stdout) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        Conversation { child, stdin: Some(stdin), lines: lines(stdout) }
    }

    #[expect(clippy::disallowed_methods, reason = "contract tests start the binaries")]
    fn command(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.path()).env_clear().env("HOME", self.path());
        command.envs(inherited("PATH").map(|path| ("PATH", path)));
        command.envs(models().map(|folder| ("TECHRAG_MODELS", folder)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// A tool kept open over pipes.
pub(crate) struct Conversation {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Conversation {
    /// Sends one line and waits for one line, stdin left open.
    #[track_caller]
    pub(crate) fn ask(&mut self, line: &str) -> String {
        let stdin = self.stdin.as_mut().expect("still open");
        writeln!(stdin, "{line}").expect("the tool reads");
        stdin.flush().expect("the tool reads");
        self.lines.recv_timeout(PATIENCE).expect("an answer before stdin is closed")
    }

    /// The number of its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Closes stdin and gives the exit code.
    pub(crate) fn end(mut self) -> i32 {
        self.stdin = None;
        wait(&mut self.child)
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(stdout: ChildStdout) -> Receiver<String> {
    let (send, receive) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    receive
}

/// Feeds stdin and reads both outputs at the same time, since any of the three pipes may be full.
fn finish(mut child: Child, input: &str) -> Run {
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_owned();
    let feeder = thread::spawn(move || {
        let _ = stdin.write_all(input.as_bytes()); // a tool may leave before it has read all
    });
    let stdout = reader(child.stdout.take().expect("piped"));
    let stderr = reader(child.stderr.take().expect("piped"));
    let code = wait(&mut child);
    feeder.join().expect("the feeder ends");
    let text = |reader: thread::JoinHandle<Vec<u8>>| String::from_utf8(reader.join().expect("read")).expect("UTF-8");
    Run { code, stdout: text(stdout), stderr: text(stderr) }
}

fn reader(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}

/// The exit code; a tool that hangs is ended and fails the test.
fn wait(child: &mut Child) -> i32 {
    let started = Instant::now();
    loop {
        match child.try_wait().expect("a child can be waited for") {
            Some(status) => return status.code().unwrap_or(-1),
            None if started.elapsed() > PATIENCE => {
                let _ = child.kill();
                panic!("the tool did not end within {PATIENCE:?}");
            }
            None => thread::sleep(Duration::from_millis(5)),
        }
    }
}

fn binary(tool: &str) -> &'static str {
    TOOLS.iter().find(|(name, _)| *name == tool).unwrap_or_else(|| panic!("no tool {tool}")).1
}

/// The folder of models: as given, or the project's own; `None` where there is none.
pub(crate) fn models() -> Option<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join(".models");
    inherited("TECHRAG_MODELS").map(PathBuf::from).or_else(|| own.is_dir().then_some(own))
}

/// Whether a test that needs models can run. Where models are required, as in CI, their absence is a failure.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub(crate) fn models_or_skip(test: &str) -> bool {
    let there = models().is_some_and(|folder| folder.join("all-MiniLM-L6-v2").is_dir());
    assert!(there || inherited("TECHRAG_REQUIRE_MODELS").is_none(), "{test} needs models: run `make models`");
    if !there {
        eprintln!("skipped: {test} needs models (make models)");
    }
    there
}

#[expect(clippy::disallowed_methods, reason = "tests pass the environment on to the tools")]
pub(crate) fn inherited(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Stdout of a cargo command in the project.
#[expect(clippy::disallowed_methods, reason = "the layout is read from cargo")]
pub(crate) fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    let output = output.expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}
