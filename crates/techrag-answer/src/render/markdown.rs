//! The answer as Markdown. What comes from documents cannot open a link, an image, HTML or a heading.

use super::terminal::cited;
use super::view::View;
use super::{Detail, explain};
use crate::catalog::Told;

pub(super) fn render(view: &View, detail: Detail) -> String {
    let mut out = vec![format!("## {}", escape(&view.question)), String::new()];
    match &view.told {
        Some(told) => out.extend(self::told(told)),
        None => out.extend(view.answer.lines().map(escape)),
    }
    if let Some(fallback) = &view.fallback {
        out.extend([String::new(), format!("*{}*", escape(fallback))]);
    }
    if let Some(missing) = &view.missing {
        out.extend([String::new(), format!("*{}*", escape(missing))]);
    }
    if !view.abstained {
        out.extend([String::new(), format!("*{}*", escape(&view.summary()))]);
        out.extend(view.doubts.iter().map(|doubt| format!("- ⚠ {}", escape(doubt))));
    }
    if !view.sources.is_empty() {
        out.extend([String::new(), "### Sources".into(), String::new()]);
    }
    for source in &view.sources {
        let mut line = format!("{}. **{}**", source.n, escape(&source.title));
        let mut about: Vec<String> = source.authors.iter().map(|author| escape(author)).collect();
        about.extend(source.year.map(|year| year.to_string()));
        about.push(escape(&source.key));
        about.extend(cited(source).as_deref().map(escape));
        about.extend(source.doi.as_ref().map(|doi| format!("doi:{}", escape(doi))));
        line.push_str(&format!(", {}", about.join(", ")));
        out.push(line);
    }
    if let Some((title, lines)) = &view.beside {
        out.extend([String::new(), format!("### {title}"), String::new()]);
        out.extend(lines.iter().map(|line| format!("- {}", escape(line))));
    }
    if detail == Detail::Explain {
        for (title, lines) in explain::sections(view) {
            out.extend([String::new(), format!("### {title}"), String::new()]);
            out.extend(lines.iter().map(|line| format!("- {}", escape(line))));
        }
    }
    out.join("\n")
}

/// What the catalog says: its rows are a list.
fn told(told: &Told) -> Vec<String> {
    let rows = told.rows.iter().map(|row| format!("- {}", escape(row)));
    let gap = (!told.rows.is_empty()).then(String::new);
    let lines = [escape(&told.headline), String::new(), format!("*{}*", escape(&told.read_as))];
    lines.into_iter().chain(gap).chain(rows).collect()
}

/// Makes characters that mean something in Markdown or HTML mean themselves. Brackets stay readable: without a
/// following `(`, which is escaped, they make no link.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '#' | '!' | '|' | '~' => escaped.extend(['\\', c]),
            '(' if escaped.ends_with(']') => escaped.push_str("\\("),
            ':' if escaped.ends_with(']') => escaped.push_str("\\:"),
            c => escaped.push(c),
        }
    }
    escaped
}
