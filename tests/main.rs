//! Contracts end to end, over real binaries and pipes; and the layout of the project itself.

mod chunk;
mod chunk_office;
mod configuration;
mod embed;
mod external;
mod fetching;
mod graph;
mod graph_input;
mod graph_scope;
mod graph_server;
mod graph_tools;
mod harness;
mod index;
mod injection;
mod isolation;
mod library;
mod llm;
mod manners;
mod pipeline;
mod scan;
mod schemas;
mod speech;
mod streams;
mod tidy;
mod visual;
mod visual_faults;
