//! The languages whose grammar is built in: which of their constructs have a name to be found by.

use tree_sitter::{Language, Node};

use crate::draft;

/// A language.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grammar {
    /// Its name, for the provenance.
    pub(super) name: &'static str,
    language: fn() -> Language,
    /// Constructs with a name that are kept whole.
    functions: &'static [&'static str],
    /// Constructs with a name whose members are looked at one by one where the whole is too long.
    containers: &'static [&'static str],
    /// Constructs without a name of their own around those with one.
    wrappers: &'static [&'static str],
    /// What stands in front of a construct and belongs to it.
    leading: &'static [&'static str],
    /// What parts the names of container and member.
    pub(super) joint: &'static str,
}

/// What a construct is to its file.
pub(super) enum Role<'a> {
    /// Kept whole, under this name.
    Function(String),
    /// With members, under this name.
    Container(String, Node<'a>),
    /// Only looked into.
    Wrapper,
    /// A comment or an attribute of what follows.
    Leading,
    /// Nothing that has a name.
    Other,
}

const PYTHON: Grammar = Grammar {
    name: "python",
    language: || tree_sitter_python::LANGUAGE.into(),
    functions: &["function_definition"],
    containers: &["class_definition"],
    wrappers: &["if_statement", "try_statement", "block"],
    leading: &["comment"],
    joint: ".",
};

const RUST: Grammar = Grammar {
    name: "rust",
    language: || tree_sitter_rust::LANGUAGE.into(),
    functions: &["function_item", "macro_definition", "struct_item", "enum_item", "union_item", "type_item"],
    containers: &["impl_item", "trait_item", "mod_item"],
    wrappers: &["declaration_list", "foreign_mod_item"],
    leading: &["line_comment", "block_comment", "attribute_item"],
    joint: "::",
};

const JAVASCRIPT: Grammar = Grammar {
    name: "javascript",
    language: || tree_sitter_javascript::LANGUAGE.into(),
    functions: &["function_declaration", "generator_function_declaration", "method_definition"],
    containers: &["class_declaration"],
    wrappers: &["export_statement", "class_body"],
    leading: &["comment", "decorator"],
    joint: ".",
};

const C: Grammar = Grammar {
    name: "c",
    language: || tree_sitter_c::LANGUAGE.into(),
    functions: &["function_definition", "struct_specifier", "enum_specifier", "union_specifier", "type_definition"],
    containers: &[],
    wrappers: &["preproc_ifdef", "preproc_if", "preproc_else", "linkage_specification", "declaration_list"],
    leading: &["comment"],
    joint: "::",
};

impl Grammar {
    /// The language of files with this ending.
    pub(super) fn of(ending: &str) -> Option<Self> {
        match ending {
            "py" | "pyi" | "pyw" => Some(PYTHON),
            "rs" => Some(RUST),
            "js" | "mjs" | "cjs" | "jsx" => Some(JAVASCRIPT),
            "c" | "h" => Some(C),
            _ => None,
        }
    }

    /// The grammar for the parser.
    pub(super) fn language(self) -> Language {
        (self.language)()
    }

    /// What a construct is.
    pub(super) fn role<'a>(self, node: Node<'a>, text: &str) -> Role<'a> {
        let kind = node.kind();
        // A decorated or exported construct is the construct, with what stands in front of it.
        if matches!(kind, "decorated_definition" | "export_statement")
            && let Some(inner) =
                node.child_by_field_name("definition").or_else(|| node.child_by_field_name("declaration"))
        {
            return self.role(inner, text);
        }
        if self.leading.contains(&kind) {
            return Role::Leading;
        }
        if self.functions.contains(&kind) {
            return name(node, text).map_or(Role::Other, Role::Function);
        }
        if self.containers.contains(&kind)
            && let (Some(name), Some(body)) = (name(node, text), node.child_by_field_name("body"))
        {
            return Role::Container(name, body);
        }
        if matches!(kind, "lexical_declaration" | "variable_declaration") {
            return assigned(node, text).map_or(Role::Other, Role::Function);
        }
        if self.wrappers.contains(&kind) { Role::Wrapper } else { Role::Other }
    }
}

/// Most characters of a name: nobody writes longer ones, and each stands in the heading of every piece.
pub(super) const MOST_NAME: usize = 200;

/// The name of a construct: its own, of an implementation the type's, in C the innermost declarator's.
fn name(node: Node<'_>, text: &str) -> Option<String> {
    let of = |node: Node<'_>| {
        let name = text.get(node.byte_range())?;
        // White space goes, so a few times as many characters are enough for the name.
        Some(draft::cut(&techrag_core::text::squeeze(&draft::cut(name, 4 * MOST_NAME)), MOST_NAME))
    };
    if node.kind() == "impl_item" {
        let implemented = node.child_by_field_name("type").and_then(of)?;
        return Some(match node.child_by_field_name("trait").and_then(of) {
            Some(of) => format!("<{implemented} as {of}>"),
            None => implemented,
        });
    }
    if let Some(name) = node.child_by_field_name("name") {
        return of(name);
    }
    let mut inner = node.child_by_field_name("declarator")?;
    while let Some(next) = inner.child_by_field_name("declarator") {
        inner = next;
    }
    of(inner)
}

/// `const f = () => …`: a function by another name.
fn assigned(node: Node<'_>, text: &str) -> Option<String> {
    let mut cursor = node.walk();
    let declarator = node.named_children(&mut cursor).find(|child| child.kind() == "variable_declarator")?;
    let value = declarator.child_by_field_name("value")?;
    matches!(value.kind(), "arrow_function" | "function_expression" | "class").then(|| name(declarator, text)).flatten()
}
