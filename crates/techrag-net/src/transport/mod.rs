//! HTTP as all rooms use it: bounded, timed, retried, cancellable, with one kind of failure per outcome.
//!
//! | promise | how it is kept |
//! |---|---|
//! | no body fills the memory | bytes are counted after decompression, [`Config::body_limit`] ends the call |
//! | no call hangs | connecting, each read and the whole call with its retries and waits have a timeout |
//! | keys stay where they belong | a redirect is followed without them; plain http carries them to loopback only; `Debug` and errors never show them |
//! | a limit is honoured | 429 and 5xx are retried after `Retry-After` or a growing wait; a wait beyond [`Retry::patience`] is an error that says until when |
//! | offline means offline | no socket is opened, loopback included |
//!
//! **Architecture invariant:** nothing here knows what a service is or says; statuses and headers only.

mod client;
mod error;
mod request;
mod retry;
mod stream;

pub use client::{Client, Config, Timeouts};
pub use error::{Error, Kind};
pub use request::{Method, Request, Response, Secret, is_loopback};
pub use retry::Retry;
pub use stream::Stream;

#[cfg(test)]
mod tests;
