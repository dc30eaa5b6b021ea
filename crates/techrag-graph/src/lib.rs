//! The knowledge graph of papers, authors, topics, methods, metrics and
//! applications: extraction, stores, resolution, expansion, context.
