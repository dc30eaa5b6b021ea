//! Sessions of one graph, lent to threads.
//!
//! N sessions of one thread each beat one session of N threads (30.4 against 25.0 texts a second on two cores) and
//! leave no doubt about the order of sums. Sessions are made when they are first needed: one query loads one.

use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use ort::environment::Environment;
use ort::ep::CPU;
use ort::session::Session;
use ort::session::builder::GraphOptimizationLevel;

use crate::error::Error;

/// What sessions do with memory between runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    /// Keep it: the next run has the same shapes.
    Kept,
    /// Give it back. The runtime keeps a plan for each shape it has seen and memory in powers of two: 1.2 GB after a few
    /// pages of lines, each of its own width.
    Returned,
}

/// Sessions of one graph.
pub(crate) struct Pool {
    id: String,
    graph: PathBuf,
    environment: Environment,
    memory: Memory,
    most: usize,
    idle: Mutex<Idle>,
    freed: Condvar,
}

struct Idle {
    sessions: Vec<Session>,
    made: usize,
}

/// A session on loan; it goes back when dropped, also when the run panicked.
struct Loan<'a> {
    owner: &'a Pool,
    session: Option<Session>,
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        let mut idle = self.owner.lock();
        match self.session.take() {
            Some(session) => idle.sessions.push(session),
            None => idle.made -= 1,
        }
        drop(idle);
        self.owner.freed.notify_one();
    }
}

impl Pool {
    /// Opens the first session.
    ///
    /// # Errors
    /// [`Error::File`] if the graph does not load.
    pub(crate) fn open(environment: Environment, id: &str, graph: PathBuf, most: usize) -> Result<Self, Error> {
        Self::with_memory(environment, id, graph, most, Memory::Kept)
    }

    /// The same, where it is said what becomes of memory between runs.
    ///
    /// # Errors
    /// [`Error::File`] if the graph does not load.
    pub(crate) fn with_memory(
        environment: Environment,
        id: &str,
        graph: PathBuf,
        most: usize,
        memory: Memory,
    ) -> Result<Self, Error> {
        let session = start(&environment, id, &graph, memory)?;
        let idle = Mutex::new(Idle { sessions: vec![session], made: 1 });
        Ok(Self { id: id.to_owned(), graph, environment, memory, most: most.max(1), idle, freed: Condvar::new() })
    }

    /// Manifest id of the network.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Most sessions at a time.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Something wrong with the graph's file.
    pub(crate) fn faulty(&self, problem: impl std::fmt::Display) -> Error {
        Error::file(&self.id, &self.graph, problem)
    }

    /// Does something with a session, waiting for one if all are busy.
    ///
    /// # Errors
    /// [`Error::File`] if another session cannot be opened, otherwise what `work` says.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Session) -> Result<T, Error>) -> Result<T, Error> {
        let mut loan = self.borrow()?;
        match loan.session.as_mut() {
            Some(session) => work(session),
            None => Err(Error::run(&self.id, "no session")),
        }
    }

    fn borrow(&self) -> Result<Loan<'_>, Error> {
        let mut idle = self.lock();
        loop {
            if let Some(session) = idle.sessions.pop() {
                return Ok(Loan { owner: self, session: Some(session) });
            }
            if idle.made < self.most {
                idle.made += 1;
                drop(idle);
                let mut loan = Loan { owner: self, session: None };
                loan.session = Some(start(&self.environment, &self.id, &self.graph, self.memory)?);
                return Ok(loan);
            }
            idle = self.freed.wait(idle).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn start(environment: &Environment, id: &str, graph: &Path, memory: Memory) -> Result<Session, Error> {
    // The builder's errors hold the builder and are not Send: they become text at once.
    let said = |error: &dyn std::fmt::Display| Error::file(id, graph, error);
    let mut builder = Session::builder(environment)
        .map_err(|error| said(&error))?
        .with_optimization_level(GraphOptimizationLevel::All)
        .map_err(|error| said(&error))?
        .with_intra_threads(1)
        .map_err(|error| said(&error))?;
    if memory == Memory::Returned {
        let processor = CPU::default().with_arena_allocator(false).build();
        builder = builder
            .with_memory_pattern(false)
            .map_err(|error| said(&error))?
            .with_execution_providers([processor])
            .map_err(|error| said(&error))?;
    }
    builder.commit_from_file(graph).map_err(|error| said(&error))
}
