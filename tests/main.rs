//! Contracts end to end, over real binaries and pipes.
