//! The answer as one JSON object.

use serde_json::{Value, json};

use super::Detail;
use super::view::View;

pub(super) fn render(view: &View, detail: Detail) -> String {
    let mut value = serde_json::to_value(view).unwrap_or(Value::Null);
    if let (Detail::Explain, Some(object)) = (detail, value.as_object_mut()) {
        object.insert("trace".into(), json!(view.steps));
        object.insert("usage".into(), json!(view.usage));
        object.insert("checks".into(), json!(view.findings));
        if !view.asked.is_empty() {
            object.insert("select".into(), json!(view.asked));
        }
        object.insert("notes".into(), json!(view.notes));
    }
    value.to_string()
}
