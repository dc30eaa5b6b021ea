//! The one door to sockets: HTTP with retry, rate limits, cache, record and
//! replay; chat completions over any OpenAI-compatible server; prices.

pub mod chat;
pub mod clock;
pub mod loopback;
pub mod polite;
pub mod tape;
pub mod transport;
