//! The driver: a runtime, a pool, a time limit on every call, and what failures mean.

use std::time::Duration;

use neo4rs::{BoltType, ConfigBuilder, Graph, Query, Txn};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use crate::store::{Error, Result};

/// Rows fetched at a time.
const FETCH: usize = 1000;

/// Where a server is and who asks.
#[derive(Clone)]
pub struct Server {
    /// `bolt://HOST:PORT`.
    pub address: String,
    /// User.
    pub user: String,
    /// Password; never shown.
    pub password: String,
    /// Longest wait for a connection, and for each answer ten times that.
    pub patience: Duration,
}

/// A server, asked synchronously.
pub(super) struct Client {
    runtime: Runtime,
    graph: Graph,
    address: String,
    patience: Duration,
}

/// A transaction under way.
pub(super) struct Change<'a> {
    txn: Txn,
    client: &'a Client,
}

impl Client {
    pub(super) fn new(server: &Server) -> Result<Self> {
        let address = server.address.clone();
        let failed = |why: String| Error::Unreachable { server: address.clone(), why };
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(|error| failed(error.to_string()))?;
        let config = ConfigBuilder::default()
            .uri(&server.address)
            .user(&server.user)
            .password(&server.password)
            .fetch_size(FETCH)
            .connection_timeout(server.patience)
            .build()
            .map_err(|error| failed(error.to_string()))?;
        // The pool's timers live in the runtime.
        let inside = runtime.enter();
        let graph = Graph::connect(config).map_err(|error| failed(error.to_string()))?;
        drop(inside);
        Ok(Self { runtime, graph, address: server.address.clone(), patience: server.patience * 10 })
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// The rows of one statement, each an object by column.
    pub(super) fn read(&self, cypher: &str, parameters: Value) -> Result<Vec<Value>> {
        let query = self.query(cypher, parameters)?;
        self.runtime.block_on(self.limited(async {
            let mut stream = self.graph.execute(query).await?;
            let mut rows = Vec::new();
            while let Some(row) = stream.next().await? {
                rows.push(row.to::<Value>()?);
            }
            Ok(rows)
        }))
    }

    /// Runs a change in one transaction: committed if it succeeds, rolled back if not.
    pub(super) fn change<T>(&self, change: impl AsyncFnOnce(&mut Change<'_>) -> Result<T>) -> Result<T> {
        self.runtime.block_on(async {
            let txn = self.limited(self.graph.start_txn()).await?;
            let mut under_way = Change { txn, client: self };
            match change(&mut under_way).await {
                Ok(done) => {
                    self.limited(async { under_way.txn.commit().await.map(drop) }).await?;
                    Ok(done)
                }
                Err(error) => {
                    // The failure is what the caller must hear of; a server that is gone has rolled back by itself.
                    let _ = self.limited(under_way.txn.rollback()).await;
                    Err(error)
                }
            }
        })
    }

    fn query(&self, cypher: &str, parameters: Value) -> Result<Query> {
        let mut query = Query::new(cypher.to_owned());
        let Value::Object(parameters) = parameters else { return Ok(query) };
        for (name, value) in parameters {
            let value = BoltType::try_from(value).map_err(|error| self.failure(&error))?;
            query = query.param(&name, value);
        }
        Ok(query)
    }

    async fn limited<T>(&self, call: impl Future<Output = neo4rs::Result<T>>) -> Result<T> {
        match timeout(self.patience, call).await {
            Ok(result) => result.map_err(|error| self.failure(&error)),
            Err(_) => Err(self.unreachable(format!("no answer within {} s", self.patience.as_secs()))),
        }
    }

    fn unreachable(&self, why: String) -> Error {
        Error::Unreachable { server: self.address.clone(), why }
    }

    /// Whether the server is gone or says no.
    fn failure(&self, error: &neo4rs::Error) -> Error {
        let refused = |why: String| Error::Refused { server: self.address.clone(), why };
        match error {
            neo4rs::Error::AuthenticationError(why) => refused(why.clone()),
            neo4rs::Error::Neo4j(said) => {
                let (code, why) = (said.code().to_owned(), format!("{}: {}", said.code(), said.message()));
                // A server that is shutting down or starting answers with transient and database errors.
                if code.starts_with("Neo.ClientError") { refused(why) } else { self.unreachable(why) }
            }
            other => self.unreachable(other.to_string()),
        }
    }
}

impl Change<'_> {
    /// The rows of one statement.
    pub(super) async fn rows(&mut self, cypher: &str, parameters: Value) -> Result<Vec<Value>> {
        let query = self.client.query(cypher, parameters)?;
        let (client, txn) = (self.client, &mut self.txn);
        client
            .limited(async {
                let mut stream = txn.execute(query).await?;
                let mut rows = Vec::new();
                while let Some(row) = stream.next(txn.handle()).await? {
                    rows.push(row.to::<Value>()?);
                }
                Ok(rows)
            })
            .await
    }
}
