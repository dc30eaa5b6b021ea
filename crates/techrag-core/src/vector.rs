//! Vectors as they travel: base64 of little-endian f32, or a JSON array for people.

use std::borrow::Cow;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// How a vector is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Base64 of little-endian f32: a third of the bytes of an array, and exact.
    #[default]
    Base64,
    /// A JSON array of numbers.
    Array,
}

/// A vector of f32. Every value is finite once it was read from the wire.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vector {
    /// The components.
    pub values: Vec<f32>,
    /// How it is written.
    pub form: Form,
}

impl Vector {
    /// Its length (Euclidean norm), summed in f64.
    pub fn norm(&self) -> f64 {
        self.values.iter().map(|value| f64::from(*value) * f64::from(*value)).sum::<f64>().sqrt()
    }
}

impl From<Vec<f32>> for Vector {
    fn from(values: Vec<f32>) -> Self {
        Self { values, form: Form::default() }
    }
}

impl Serialize for Vector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.form {
            Form::Array => self.values.serialize(serializer),
            Form::Base64 => {
                let bytes: Vec<u8> = self.values.iter().flat_map(|value| value.to_le_bytes()).collect();
                serializer.serialize_str(&STANDARD.encode(bytes))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Vector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Wire<'a> {
            Base64(#[serde(borrow)] Cow<'a, str>),
            Array(Vec<f32>),
        }
        let vector = match Wire::deserialize(deserializer)? {
            Wire::Array(values) => Self { values, form: Form::Array },
            Wire::Base64(text) => Self { values: decode(&text).map_err(de::Error::custom)?, form: Form::Base64 },
        };
        match vector.values.iter().position(|value| !value.is_finite()) {
            Some(at) => Err(de::Error::custom(format!("component {at} of the vector is not finite"))),
            None => Ok(vector),
        }
    }
}

fn decode(text: &str) -> Result<Vec<f32>, String> {
    let bytes = STANDARD.decode(text).map_err(|error| format!("vector is not base64: {error}"))?;
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(format!("vector has {} bytes, not a multiple of 4", bytes.len()));
    }
    Ok(words.iter().map(|word| f32::from_le_bytes(*word)).collect())
}

impl JsonSchema for Vector {
    fn schema_name() -> Cow<'static, str> {
        "Vector".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Base64 of little-endian f32, or an array of numbers (`--vectors array`). All finite.",
            "anyOf": [
                { "type": "string", "contentEncoding": "base64" },
                { "type": "array", "items": { "type": "number" } }
            ]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_round_trip_exactly() {
        for form in [Form::Base64, Form::Array] {
            let vector = Vector { values: vec![0.1, -2.5e-8, f32::MIN_POSITIVE, 3.0], form };
            let json = serde_json::to_string(&vector).unwrap();
            assert_eq!(serde_json::from_str::<Vector>(&json).unwrap(), vector, "{json}");
        }
    }

    #[test]
    fn what_is_not_a_finite_vector_is_refused_by_name() {
        let nan = STANDARD.encode(f32::NAN.to_le_bytes());
        for (json, why) in [
            (format!("\"{nan}\""), "component 0"),
            ("\"AAA\"".into(), "not base64"),
            ("\"AAAA\"".into(), "multiple of 4"),
            ("[1e39]".into(), "component 0"),
        ] {
            let error = serde_json::from_str::<Vector>(&json).unwrap_err().to_string();
            assert!(error.contains(why), "{json}: {error}");
        }
    }
}
