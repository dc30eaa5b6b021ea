//! JSON Schemas of the records, generated from the types.

use schemars::{Schema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Value, json};

use super::{Chunk, Document, Entities, ErrorRecord, Kind, Query, Removed, VERSION};

/// The schema of every record of the wire, by tag, in the order of [`Kind::ALL`].
pub fn schemas() -> Vec<(&'static str, Value)> {
    Kind::ALL.into_iter().map(|kind| (kind.tag(), schema(kind))).collect()
}

fn schema(kind: Kind) -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let body = match kind {
        Kind::Document => root::<Document>(generator),
        Kind::Chunk => root::<Chunk>(generator),
        Kind::Removed => root::<Removed>(generator),
        Kind::Entities => root::<Entities>(generator),
        Kind::Query => root::<Query>(generator),
        Kind::Error => root::<ErrorRecord>(generator),
    };
    with_header(body.to_value(), kind)
}

fn root<T: schemars::JsonSchema>(generator: SchemaGenerator) -> Schema {
    generator.into_root_schema_for::<T>()
}

/// The codec writes `type` and `v` in front of the struct's own fields; the schema says so too.
fn with_header(mut schema: Value, kind: Kind) -> Value {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        let mut all = serde_json::Map::new();
        all.insert("type".into(), json!({ "const": kind.tag() }));
        all.insert("v".into(), json!({ "const": VERSION }));
        all.append(properties);
        *properties = all;
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.splice(0..0, [json!("type"), json!("v")]);
    }
    schema
}
