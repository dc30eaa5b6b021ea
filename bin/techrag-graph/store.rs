//! The options that say where the graph is, and how it is opened.

use std::time::Duration;

use techrag_cli::{Cli, Unreachable, hint};
use techrag_graph::Store;
use techrag_graph::store::address::{is_server, without_user};
use techrag_graph::store::{Embedded, Error, Neo4j, Server, Supply};

/// Where the graph is.
#[derive(clap::Args)]
pub(crate) struct StoreArgs {
    /// The graph: embedded in the library, or a server as bolt://HOST:PORT
    #[arg(long, value_name = "STORE", default_value = EMBEDDED)]
    store: String,
    /// User of the server
    #[arg(long, value_name = "NAME", env = "NEO4J_USER", default_value = "neo4j")]
    neo4j_user: String,
    /// Password of the server; better from the environment, where no process list shows it
    #[arg(long, value_name = "PASSWORD", env = "NEO4J_PASSWORD", hide_env_values = true, default_value = "")]
    neo4j_password: String,
    /// Longest wait for a connection to the server, in seconds
    #[arg(long, value_name = "S", default_value_t = 5, value_parser = techrag_cli::range::whole::<u64>(1..=techrag_cli::range::LONGEST))]
    store_timeout: u64,
}

const EMBEDDED: &str = "embedded";

impl StoreArgs {
    fn server(&self) -> Server {
        Server {
            address: self.store.clone(),
            user: self.neo4j_user.clone(),
            password: self.neo4j_password.clone(),
            patience: Duration::from_secs(self.store_timeout.max(1)),
        }
    }

    fn on_server(&self) -> anyhow::Result<bool> {
        match self.store.as_str() {
            EMBEDDED => Ok(false),
            address if is_server(address) => Ok(true),
            other => anyhow::bail!("{:?} is no store: say embedded or bolt://HOST:PORT", without_user(other)),
        }
    }

    /// The store for reading.
    ///
    /// # Errors
    /// If it cannot be opened; an unreachable server ends the run with exit code 4.
    pub(crate) fn reading(&self, cli: &Cli) -> anyhow::Result<Box<dyn Store>> {
        if self.on_server()? {
            self.refuse_offline(cli)?;
            return Ok(Box::new(Neo4j::new(&self.server()).map_err(fatal)?));
        }
        Ok(Box::new(Embedded::open(cli.library()?).map_err(fatal)?))
    }

    /// The store for writing; constraints and indexes are made.
    ///
    /// # Errors
    /// As [`Self::reading`], and if another process writes.
    pub(crate) fn writing(&self, cli: &Cli, command: &str) -> anyhow::Result<Box<dyn Store>> {
        if self.on_server()? {
            self.refuse_offline(cli)?;
            let server = Neo4j::new(&self.server()).map_err(fatal)?;
            server.prepare().map_err(fatal)?;
            return Ok(Box::new(server));
        }
        let owner = format!("{} {command}", cli.by());
        Ok(Box::new(Embedded::open_for_writing(cli.library()?, &owner).map_err(fatal)?))
    }

    /// The store of a stage that only enriches, which serves without one too.
    ///
    /// # Errors
    /// If the library itself cannot be read.
    pub(crate) fn enriching(&self, cli: &Cli) -> anyhow::Result<Supply> {
        if !self.on_server()? {
            return Ok(Supply::library(cli.library()?));
        }
        if cli.offline() {
            return Ok(Supply::none("sockets are forbidden (--offline)"));
        }
        Ok(Supply::of(Box::new(Neo4j::new(&self.server()).map_err(fatal)?)))
    }

    fn refuse_offline(&self, cli: &Cli) -> anyhow::Result<()> {
        anyhow::ensure!(!cli.offline(), "a graph server is asked for, and sockets are forbidden (--offline)");
        Ok(())
    }
}

/// The error of a store as the run's end has it.
pub(crate) fn fatal(error: Error) -> anyhow::Error {
    let advice = error.hint();
    let error = match error {
        Error::Unreachable { server, why } => {
            Unreachable { service: format!("the graph server at {server}"), message: why }.into()
        }
        // A server that was asked for by name and does not serve is no more use than one that is down.
        Error::Refused { server, why } => {
            Unreachable { service: format!("the graph server at {server}"), message: format!("it refuses: {why}") }
                .into()
        }
        other => anyhow::Error::new(other),
    };
    match advice {
        Some(advice) => hint(error, advice),
        None => error,
    }
}
